import type { Flags } from '../../shared/config/read-flags.ts';
import { renderDrift } from '../../shared/plan/render-plan.ts';
import { eachCluster, READ_AT_ONCE, type Told } from './each-cluster.ts';
import { findPlans, type FoundPlans } from './find-plans.ts';
import { readObjects } from './objects.ts';

/**
 * `levelset drift`: reads every Service in full, and the routes, and prints the steps of those
 * that were settled and are not any more. Exit 2 if there is drift, 1 if something could not be read.
 */
export async function driftCommand(
  objects: readonly string[],
  flags: Flags,
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const keys = readObjects(objects, flags);
  const scope = { everyService: true } as const;
  return eachCluster(flags, env, async (world) => told(await findPlans(keys, world, scope)), {
    atOnce: READ_AT_ONCE,
  });
}

function told({ plans, incomplete, failures: errors }: FoundPlans): Told {
  const drifted = plans.some(({ drift }) => drift) ? 2 : 0;
  const code = incomplete || errors.length > 0 ? 1 : drifted;
  const shown = plans.filter(({ drift, steps }) => drift ?? steps.length > 0);
  const rows = shown.map(({ unit, services, steps, drift = [], driftStays = false }) => ({
    ...{ unit, services, drift, driftStays, notSettled: drift.length === 0 ? steps.length : 0 },
  }));
  const looked = incomplete ? 'No drift in what could be read.' : 'No drift.';
  const nothing = errors.length > 0 ? '' : looked;
  return { code, text: shown.map(renderDrift).join('\n') || nothing, rows, errors };
}
