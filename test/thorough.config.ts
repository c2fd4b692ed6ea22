import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/**
 * What takes too long for npm test: every story killed at every write, every call gone wrong, ten
 * sharers of one load balancer, a hundred
 * clusters, each mistake that the doctor names, each annotation and option set and taken away,
 * and what ends by a real clock or runs osls, esbuild, helm or the program as a process many times.
 */
export const THOROUGH = [
  'test/faults/matrix/*.test.ts',
  'test/laws/bounds/*.test.ts',
  'test/laws/drift/{deep-sweep,reported-drift}.test.ts',
  'test/laws/isolation/{hanging-cluster,one-call-fails}.test.ts',
  'test/scenarios/reconfigured/every-option.test.ts',
  'test/scenarios/service/annotations.test.ts',
  'test/scenarios/sharing/{sharing-attacked,ten-at-once}.test.ts',
  'test/scenarios/processes/{fleet,linear,nodes-in-a-minute,out-of-date,watches}.test.ts',
  'test/unit/deadline.test.ts',
  'test/functions/lambda/{bundles,lambda-trouble,package}.test.ts',
  'test/functions/lambda/clusters/worker.test.ts',
  'test/functions/cli/{clusters,npm-pack,waits}.test.ts',
  'test/functions/cli/doctor/doctor.test.ts',
  'test/functions/documents/sandbox-tutorial.test.ts',
  'test/functions/monitoring/monitoring.test.ts',
  'test/functions/page/outage.test.ts',
  'test/functions/serve/{leader,operators-trouble}.test.ts',
  'test/functions/release/release.test.ts',
  'test/sandbox/kubectl.test.ts',
];

/** `npm run thorough`: those, the laws in 60 worlds each, every right taken away, and the page in a browser. */
export default defineConfig({
  test: {
    include: [
      'test/laws/**/*.test.ts',
      'test/rights/each-right.test.ts',
      'test/functions/page/*.test.ts',
      ...THOROUGH,
    ],
    setupFiles: [join(import.meta.dirname, 'laws/many-worlds.ts')],
    testTimeout: 600_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
