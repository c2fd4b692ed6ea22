import type { Plan } from '../../shared/model/plan.ts';
import { renderPlan } from '../../shared/plan/render-plan.ts';
import type { Flags } from '../../shared/config/read-flags.ts';
import { eachCluster, READ_AT_ONCE, type Told } from './each-cluster.ts';
import { findPlans, type FoundPlans } from './find-plans.ts';
import { readObjects } from './objects.ts';

/**
 * `levelset plan`: prints what a sweep would do, as text or as an array of plans. Exit 1 if it could not make a plan or
 * a problem stops one; with --detailed-exitcode 2 if a plan has steps.
 */
export async function planCommand(
  objects: readonly string[],
  flags: Flags,
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const keys = readObjects(objects, flags);
  return eachCluster(flags, env, async (world) => tellPlans(await findPlans(keys, world), flags), {
    atOnce: READ_AT_ONCE,
  });
}

/** What `levelset plan` prints of plans, and its exit code. */
export function tellPlans(
  { plans, incomplete, failures: errors }: FoundPlans,
  { output, detailedExitcode }: Pick<Flags, 'output' | 'detailedExitcode'> = {},
): Told {
  const changes = detailedExitcode && plans.some(({ steps }) => steps.length > 0) ? 2 : 0;
  const code = incomplete || plans.some(isStopped) || errors.length > 0 ? 1 : changes;
  const nothing = incomplete
    ? 'Nothing to do in what could be read.'
    : 'Nothing to do: everything is as desired.';
  const texts = plans.map((plan) => renderPlan(plan, output === 'wide'));
  if (plans.length > 0) texts.push(`Plan: ${countSteps(plans)}.`);
  else if (errors.length === 0) texts.push(nothing);
  return { code, text: texts.join('\n\n'), rows: plans, errors };
}

/** Whether a run of this plan would end as blocked or failed. */
export function isStopped({ problems }: Plan): boolean {
  return problems.some(({ blocking, code }) => blocking ?? code);
}

/** The numbers of the last line of Terraform's plan. A failover is a change. */
function countSteps(plans: readonly Plan[]): string {
  const verbs = plans.flatMap(({ steps }) => steps.map(({ verb }) => verb));
  const add = verbs.filter((verb) => verb === 'create').length;
  const destroy = verbs.filter((verb) => verb === 'delete').length;
  return `${add} to add, ${verbs.length - add - destroy} to change, ${destroy} to destroy`;
}
