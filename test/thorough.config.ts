import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/**
 * What takes too long for npm test: the laws in a thousand worlds each, every story killed at every write, every call gone
 * wrong, every right taken away, two relays, and a Node of 500 load balancers.
 */
export default defineConfig({
  test: {
    include: [
      'test/laws/**/*.test.ts',
      'test/faults/kill-*.test.ts',
      'test/faults/matrix/*.test.ts',
      'test/rights/each-*.test.ts',
      'test/functions/**/two-relays.test.ts',
      'test/scenarios/**/node-of-five-hundred.test.ts',
    ],
    setupFiles: [join(import.meta.dirname, 'laws/thousand-runs.ts')],
    retry: process.env['CI'] ? 1 : 0,
    testTimeout: 600_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
