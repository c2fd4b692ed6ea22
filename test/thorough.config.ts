import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/**
 * What takes too long for npm test: the laws in 300 worlds each, every story killed at every write, every call gone
 * wrong, every right taken away, a Node of 500 load balancers, ten sharers of one load balancer, a hundred clusters,
 * and calls that hang, whose runs end by a real clock.
 */
export default defineConfig({
  test: {
    include: [
      'test/laws/**/*.test.ts',
      'test/faults/kill*.test.ts',
      'test/faults/matrix/*.test.ts',
      'test/rights/each-*.test.ts',
      'test/scenarios/sharing/sharing-by-name.test.ts',
      'test/scenarios/processes/fleet.test.ts',
    ],
    setupFiles: [join(import.meta.dirname, 'laws/many-worlds.ts')],
    testTimeout: 600_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
