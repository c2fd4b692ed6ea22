import type { TestProject } from 'vitest/node';
import { prepareLab } from './prepare-lab.ts';

/** Before the first test file: the lab is there, the manifests are applied, levelset has its token and its cloud.conf. */
export default async function globalSetup({ config }: TestProject): Promise<() => Promise<void>> {
  const { environment, cleanUp } = await prepareLab(
    config.maxWorkers,
    process.env['LEVELSET_E2E_OLDEST'] === 'yes' ? ['1.36', '1.29'] : ['1.36'],
  );
  if (!environment.controllable)
    console.log(
      'USE_EXISTING_CLUSTER: tests that need control of the lab (Nodes and servers of their own, traffic from ' +
        'its client, call counts, stopping parts of it) are left out; each is reported as skipped.',
    );
  return cleanUp;
}
