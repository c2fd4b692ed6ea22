import { join, relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { LAB_FILES } from './rotation/lab-files.ts';

const ROOT = join(import.meta.dirname, '../..');

/**
 * The longest first, so that none is alone at the end. The conformance suite breaks things on purpose, and some leave a
 * port behind in Octavia: it goes last.
 */
class LongestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isConformance = ({ moduleId }: TestSpecification): number =>
      Number(moduleId.includes('/test/conformance/'));
    const seconds = ({ moduleId }: TestSpecification): number =>
      LAB_FILES[relative(ROOT, moduleId)]?.seconds ?? 0;
    return Promise.resolve(
      files.toSorted((a, b) => isConformance(a) - isConformance(b) || seconds(b) - seconds(a)),
    );
  }
}

/** Kubernetes clusters of the lab, as `infra/lab/lab.sh` has them: a file has one to itself while it runs. */
const { LAB_CLUSTERS = '2' } = process.env;
const clusters = Number(LAB_CLUSTERS);

/**
 * The tests against a real cloud and real clusters: npm run test:lab. One file at a time in each cluster; the cloud is
 * shared, but not its projects. The conformance suite is among them, so that the simulators are held against the real
 * thing.
 */
export default defineConfig({
  test: {
    include: ['test/e2e/**/*.test.ts', 'test/conformance/**/*.test.ts'],
    globalSetup: [join(import.meta.dirname, 'lab/prepare-lab.ts')],
    pool: 'forks',
    maxWorkers: clusters,
    fileParallelism: clusters > 1,
    sequence: { sequencer: LongestFirst },
    setupFiles: [join(import.meta.dirname, 'lab/setup-file.ts')],
    // each wait has a limit of its own, which moves on while the cloud is at work (lab/until.ts); taking over thirteen load
    // balancers beside the chaos took 700 s where Octavia answers a POST in 8 s
    testTimeout: 1_200_000,
    hookTimeout: 600_000,
  },
});
