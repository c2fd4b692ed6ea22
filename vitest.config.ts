import { defineConfig } from 'vitest/config';
import { THOROUGH } from './test/thorough.config.ts';

const EXCLUDE = ['test/e2e/**', 'test/bench/**', ...THOROUGH];
/** What remembers in its process: the functions of Lambda their connections, the laws the seed of fast-check. */
const APART = ['test/functions/**', 'test/laws/**'];

/**
 * All that needs no lab: npm test. Most files share a process, which loads the program once; those that would find
 * there what another file left have one each.
 * A law of 17 s of a processor takes 70 s on two cores that others use.
 */
export default defineConfig({
  test: {
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 4,
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: [...EXCLUDE, ...APART],
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: 'apart', include: APART.map((folder) => `${folder}/*.test.ts`), exclude: EXCLUDE },
      },
    ],
  },
});
