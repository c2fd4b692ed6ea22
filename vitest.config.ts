import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { THOROUGH } from './test/thorough.config.ts';

// a dozen tests start the program as a process of its own: the first one compiles its files for all
process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'node-compile-cache');

const EXCLUDE = ['test/e2e/**', 'test/bench/**', ...THOROUGH];
/** What remembers in its process: the functions of Lambda their connections, the laws the seed of fast-check. */
const LAMBDA = ['test/functions/lambda/**/*.test.ts'];
const LAWS = ['test/laws/**/*.test.ts'];

/**
 * All that needs no lab: npm test. Files share a process, which loads the program once, and the laws one of their own; each
 * file of the functions of Lambda has its own.
 * Most files wait more than they work: eight at a time take two thirds of the time of four on two cores.
 * A law of 17 s of a processor takes 70 s on two cores that others use.
 */
export default defineConfig({
  test: {
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 8,
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: [...EXCLUDE, ...LAMBDA, ...LAWS],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'laws', include: LAWS, exclude: EXCLUDE, isolate: false } },
      { extends: true, test: { name: 'lambda', include: LAMBDA, exclude: EXCLUDE } },
    ],
  },
});
