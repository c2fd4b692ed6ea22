import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/**
 * The tests against a real cloud and a real cluster: npm run test:lab. One at a time, they share both. The conformance
 * suite is among them, so that the simulators are held against the real thing whenever this runs.
 */
export default defineConfig({
  test: {
    include: ['test/e2e/**/*.test.ts', 'test/conformance/**/*.test.ts'],
    globalSetup: [join(import.meta.dirname, 'global-setup.ts')],
    pool: 'forks',
    maxWorkers: 1,
    fileParallelism: false,
    reporters: ['verbose'],
    testTimeout: 180_000,
    hookTimeout: 300_000,
  },
});
