import { access, chmod, constants, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FLAGS } from '../../../shared/config/flags.ts';
import type { Flags } from '../../../shared/config/read-flags.ts';
import { printable } from '../../../shared/model/text/text.ts';
import type { World } from '../../../shared/ports.ts';
import { VERSION } from '../../version.ts';
import { eachCluster, type CommandResult } from '../each-cluster.ts';
import { readObjects } from '../requests.ts';
import { findPlans, tellPlans } from '../look-commands.ts';
import { commandLog, misused, type RunCommand } from '../command.ts';
import { pack, readBundle, safeConfig, withoutSecrets } from './bundle.ts';
import { recordWorld, replayWorld } from './recorded.ts';

/** `levelset support-bundle`: what a plan of everything was made of, with the plan. */
export const supportBundleCommand: RunCommand = (_words, flags, env) =>
  eachCluster(flags, env, (world) => write(world, flags, env), { onOne: true, withoutKeystone: true });

async function write(world: World, flags: Flags, env: NodeJS.ProcessEnv): Promise<CommandResult> {
  const file = flags.bundleFile ?? FLAGS['bundle-file'].default;
  const folder = dirname(file);
  await access(folder, constants.W_OK).catch(() => {
    throw misused(
      `-o ${file}: ${folder} is not a folder that this user may write to: name a file in another folder`,
    );
  });
  const { world: recorded, reads, answered } = recordWorld(world);
  const { code, text: planned = '', errors = [] } = await planAll(recorded);
  await answered();
  const bundle = {
    bundle: 1,
    version: VERSION,
    node: process.versions.node,
    now: recorded.clock.now(),
    config: safeConfig(world.config),
    reads,
    plan: { code, text: planned },
  } as const;
  const content = pack(bundle, file, (all) => withoutSecrets(all, world.config, env));
  await writeFile(file, content, { mode: 0o600 });
  await chmod(file, 0o600); // a file that was there keeps its mode
  const size = `${Math.ceil(content.length / 1024)} KiB`;
  const text = `${file}: ${Object.keys(reads).length} reads, ${size}, without secrets; names and addresses are in it.\nlevelset replay ${file} plans it anywhere.`;
  return { code, text, errors };
}

async function planAll(world: World): Promise<CommandResult> {
  return tellPlans(await findPlans(readObjects([], {}), world));
}

/** `levelset replay`: what `levelset plan` printed where the bundle was made. */
export const replayCommand: RunCommand = async ([file = ''], flags) => {
  const bundle = await readBundle(file);
  const { code, text = '', errors = [] } = await planAll(replayWorld(bundle, commandLog(flags)));
  console.log(text);
  for (const error of errors) console.error(`levelset: ${error}`);
  if (text !== bundle.plan.text)
    console.error(
      `levelset: levelset ${printable(bundle.version)} planned otherwise there; this is levelset ${VERSION}:\n${bundle.plan.text.split('\n').map(printable).join('\n')}`,
    );
  return code;
};
