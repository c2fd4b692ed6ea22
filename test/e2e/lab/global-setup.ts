import type { TestProject } from 'vitest/node';
import { prepareLab } from './prepare-lab.ts';

/** Before the first test file: the lab is there, the manifests are applied, levelset has its token and its cloud.conf. */
export default async function globalSetup({ config }: TestProject): Promise<() => Promise<void>> {
  const { cleanUp } = await prepareLab(
    config.maxWorkers,
    process.env['LEVELSET_E2E_OLDEST'] === 'yes' ? ['1.36', '1.29'] : ['1.36'],
  );
  return cleanUp;
}
