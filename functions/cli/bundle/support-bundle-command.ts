import { access, chmod, constants, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FLAGS } from '../../../shared/config/flags.ts';
import type { Flags } from '../../../shared/config/read-flags.ts';
import { ReconcileError } from '../../../shared/model/errors.ts';
import type { World } from '../../../shared/ports.ts';
import { VERSION } from '../../version.ts';
import { eachCluster, type Told } from '../each-cluster.ts';
import { findPlans } from '../find-plans.ts';
import { readObjects } from '../objects.ts';
import { tellPlans } from '../plan-command.ts';
import { bundleText, pack, type Bundle } from './bundle.ts';
import { recordWorld } from './record-world.ts';
import { safeConfig, withoutSecrets } from './safe-config.ts';

/**
 * `levelset support-bundle`: plans everything, and writes what the plan was made of to a file, with the plan, and without secrets.
 * Exit codes: those of `levelset plan`.
 */
export function supportBundleCommand(flags: Flags, env: NodeJS.ProcessEnv): Promise<number> {
  return eachCluster(flags, env, (world) => write(world, flags, env), { onOne: true, withoutKeystone: true });
}

async function write(world: World, flags: Flags, env: NodeJS.ProcessEnv): Promise<Told> {
  const file = flags.bundleFile ?? FLAGS['bundle-file'].default;
  await mayBeWritten(file);
  const { world: recorded, reads, answered } = recordWorld(world);
  const plan = tellPlans(await findPlans(readObjects([], {}), recorded));
  await answered();
  const bundle: Bundle = {
    bundle: 1,
    version: VERSION,
    node: process.versions.node,
    now: recorded.clock.now(),
    config: safeConfig(world.config),
    reads,
    plan: { code: plan.code, text: plan.text ?? '' },
  };
  const content = pack(withoutSecrets(bundleText(bundle), world.config, env), file);
  await writeFile(file, content, { mode: 0o600 });
  await chmod(file, 0o600); // a file that was there keeps its mode
  const size = `${Math.ceil(content.length / 1024)} KiB`;
  const text = `${file}: ${Object.keys(reads).length} reads, ${size}, without secrets; names and addresses are in it.\nlevelset replay ${file} plans it anywhere.`;
  return { code: plan.code, text, errors: plan.errors ?? [] };
}

/** Throws CONFIG_INVALID before anything is planned for nothing. */
async function mayBeWritten(file: string): Promise<void> {
  const folder = dirname(file);
  try {
    await access(folder, constants.W_OK);
  } catch {
    throw new ReconcileError(
      'CONFIG_INVALID',
      `-o ${file}: ${folder} is no folder that this user may write to: name a file elsewhere`,
    );
  }
}
