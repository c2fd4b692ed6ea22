import type { Flags } from '../../shared/config/read-flags.ts';
import { renderDrift } from '../../shared/plan/render-drift.ts';
import { findPlans } from './find-plans.ts';

/**
 * `levelset drift`: reads every Service in full, and the routes, and prints what somebody else changed in OpenStack, and what others have set there.
 * Exit 2 if there is drift, 1 if something could not be read.
 */
export async function driftCommand(
  objects: readonly string[],
  flags: Flags,
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const { plans, incomplete, failures } = await findPlans(objects, flags, env, { everyService: true });
  const shown = plans.filter(({ drift, setByOthers }) => drift ?? setByOthers);
  if (flags.output === 'json') {
    const all = shown.map(({ unit, services, drift = [], driftStays = false, setByOthers = [] }) => ({
      ...{ unit, services, drift, driftStays, setByOthers },
    }));
    console.log(JSON.stringify(all, undefined, 2));
  } else console.log(shown.map(renderDrift).join('\n\n') || 'No drift.');
  for (const line of failures) console.error(line);
  if (incomplete || failures.length > 0) return 1;
  return plans.some(({ drift }) => drift) ? 2 : 0;
}
