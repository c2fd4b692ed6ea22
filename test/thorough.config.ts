import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/**
 * What takes too long for npm test: every story killed at every write, every call gone wrong, every right taken away, ten
 * sharers of one load balancer, a hundred clusters, and what ends by a real clock or runs osls and esbuild many times.
 */
export const THOROUGH = [
  'test/faults/matrix/*.test.ts',
  'test/rights/each-*.test.ts',
  'test/laws/bounds/*.test.ts',
  'test/scenarios/sharing/sharing-by-name.test.ts',
  'test/scenarios/processes/fleet.test.ts',
  'test/scenarios/processes/linear.test.ts',
  'test/scenarios/processes/nodes-in-a-minute.test.ts',
  'test/unit/deadline.test.ts',
  'test/functions/lambda/lambda-trouble.test.ts',
  'test/functions/lambda/bundles.test.ts',
  'test/functions/lambda/package.test.ts',
  'test/functions/cli/waits.test.ts',
  'test/functions/page/outage.test.ts',
  'test/functions/serve/leader.test.ts',
  'test/functions/serve/operators-trouble.test.ts',
  'test/functions/release/release.test.ts',
];

/** `npm run thorough`: those, and the laws in 300 worlds each. */
export default defineConfig({
  test: {
    include: ['test/laws/**/*.test.ts', ...THOROUGH],
    setupFiles: [join(import.meta.dirname, 'laws/many-worlds.ts')],
    testTimeout: 600_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
