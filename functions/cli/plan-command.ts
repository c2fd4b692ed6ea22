import { renderPlan } from '../../shared/plan/render-plan.ts';
import type { Flags } from '../../shared/config/read-flags.ts';
import { eachCluster, READ_AT_ONCE, type Told } from './each-cluster.ts';
import { findPlans, type FoundPlans } from './find-plans.ts';
import { readObjects } from './objects.ts';

/** `levelset plan`: prints what a sweep would do, as text or as a JSON array of plans. Exit 1 if it could not make a plan. */
export async function planCommand(
  objects: readonly string[],
  flags: Flags,
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const keys = readObjects(objects.length === 0 ? ['all'] : objects);
  return eachCluster(flags, env, async (world) => told(await findPlans(keys, world), flags), {
    atOnce: READ_AT_ONCE,
  });
}

function told({ plans, incomplete, failures: errors }: FoundPlans, { output }: Flags): Told {
  const code = incomplete || errors.length > 0 ? 1 : 0;
  if (output === 'json') return { code, rows: plans, errors };
  const nothing = incomplete
    ? 'Nothing to do in what could be read.'
    : 'Nothing to do: everything is as desired.';
  return { code, text: plans.map(renderPlan).join('\n\n') || nothing, errors };
}
