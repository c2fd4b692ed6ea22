import { defineConfig } from 'vitest/config';

/** All that needs no lab: npm test. In CI what fails is tried once more, and reported as retried: many tests wait for clocks. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/e2e/**', 'test/bench/**', 'test/faults/kill-*'],
    retry: process.env['CI'] ? 1 : 0,
    testTimeout: 20_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
