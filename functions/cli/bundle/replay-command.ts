import type { Flags } from '../../../shared/config/read-flags.ts';
import { printable } from '../../../shared/model/text/text.ts';
import { VERSION } from '../../version.ts';
import { findPlans } from '../find-plans.ts';
import { readObjects } from '../objects.ts';
import { commandLog } from '../terminal/command-log.ts';
import { tellPlans } from '../plan-command.ts';
import { readBundle } from './read-bundle.ts';
import { replayWorld } from './replay-world.ts';

/** `levelset replay`: plans what a bundle has, and prints what `levelset plan` printed there. It needs no network. Exit codes: those of `plan`. */
export async function replayCommand(file: string, flags: Flags): Promise<number> {
  const bundle = await readBundle(file);
  const {
    code,
    text = '',
    errors = [],
  } = tellPlans(await findPlans(readObjects([], {}), replayWorld(bundle, commandLog(flags))));
  console.log(text);
  for (const error of errors) console.error(`levelset: ${error}`);
  if (text !== bundle.plan.text)
    console.error(
      `levelset: levelset ${printable(bundle.version)} planned otherwise there; this is levelset ${VERSION}:\n${bundle.plan.text.split('\n').map(printable).join('\n')}`,
    );
  return code;
}
