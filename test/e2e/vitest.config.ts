import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The conformance suite breaks things on purpose, and some leave a port behind in Octavia: it goes last. */
class ConformanceLast extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLast = ({ moduleId }: TestSpecification): boolean => moduleId.includes('/test/conformance/');
    const sorted = await super.sort(files);
    return [...sorted.filter((file) => !isLast(file)), ...sorted.filter(isLast)];
  }
}

/**
 * The tests against a real cloud and a real cluster: npm run test:lab. One at a time, they share both. The conformance
 * suite is among them, so that the simulators are held against the real thing whenever this runs. In CI what fails is
 * tried once more, and reported as retried: the real parts share a machine with whatever else it does.
 */
export default defineConfig({
  test: {
    include: ['test/e2e/**/*.test.ts', 'test/conformance/**/*.test.ts'],
    globalSetup: [join(import.meta.dirname, 'global-setup.ts')],
    pool: 'forks',
    maxWorkers: 1,
    fileParallelism: false,
    sequence: { sequencer: ConformanceLast },
    setupFiles: [join(import.meta.dirname, 'rotation/count-assertions.ts')],
    retry: process.env['CI'] ? 1 : 0,
    testTimeout: 180_000,
    hookTimeout: 300_000,
  },
});
