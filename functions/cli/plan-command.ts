import { renderPlan } from '../../shared/plan/render-plan.ts';
import type { Flags } from '../../shared/config/read-flags.ts';
import { findPlans } from './find-plans.ts';

/** `levelset plan`: prints what a sweep would do, as text or as a JSON array of plans. Exit 1 if it could not make a plan. */
export async function planCommand(
  objects: readonly string[],
  flags: Flags,
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const { plans, incomplete, failures } = await findPlans(objects, flags, env);
  const nothing = incomplete
    ? 'Nothing to do in what could be read.'
    : 'Nothing to do: everything is as desired.';
  if (flags.output === 'json') console.log(JSON.stringify(plans, undefined, 2));
  else console.log(plans.map(renderPlan).join('\n\n') || nothing);
  for (const line of failures) console.error(line);
  return incomplete || failures.length > 0 ? 1 : 0;
}
