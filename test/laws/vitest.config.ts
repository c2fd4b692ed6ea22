import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** The laws with a thousand worlds each in place of a hundred: npm run laws. */
export default defineConfig({
  test: {
    include: ['test/laws/**/*.test.ts'],
    setupFiles: [join(import.meta.dirname, 'thousand-runs.ts')],
    testTimeout: 600_000,
    maxWorkers: 2,
  },
});
