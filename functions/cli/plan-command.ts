import type { Plan } from '../../shared/model/plan.ts';
import type { Key, SweepScope } from '../../shared/model/request.ts';
import { renderDrift, renderPlan } from '../../shared/plan/render-plan.ts';
import type { Flags } from '../../shared/config/read-flags.ts';
import type { World } from '../../shared/ports.ts';
import { eachCluster, type Told } from './each-cluster.ts';
import { findRequests, isMissing, readObjects } from './objects.ts';
import type { RunCommand } from './command.ts';
import { adviceIn, describeFailed, runRequests } from './run-requests.ts';

/**
 * `levelset plan`: prints what a sweep would do, as text or as an array of plans. Exit 1 if it could not make a plan or
 * a problem stops one; with --detailed-exitcode 2 if a plan has steps.
 */
export const planCommand: RunCommand = (objects, flags, env) => {
  const keys = readObjects(objects, flags);
  return eachCluster(flags, env, async (world) => tellPlans(await findPlans(keys, world), flags));
};

/**
 * `levelset drift`: reads every Service in full, and the routes, and prints the steps of those
 * that were settled and are not any more. Exit 2 if there is drift, 1 if something could not be read.
 */
export const driftCommand: RunCommand = (objects, flags, env) => {
  const keys = readObjects(objects, flags);
  return eachCluster(flags, env, async (world) =>
    tellDrift(await findPlans(keys, world, { everyService: true })),
  );
};

interface FoundPlans {
  readonly plans: readonly Plan[];
  /** The sweep could not read or compare something: there may be more. */
  readonly incomplete: boolean;
  /** One line for each object without a plan, or for all that have none for the same reason. */
  readonly errors: readonly string[];
}

/** The plans of these objects, or of all that a sweep finds, as dry runs make them. */
export async function findPlans(
  keys: readonly Key[],
  world: World,
  scope?: Pick<SweepScope, 'everyService'>,
): Promise<FoundPlans> {
  const { requests, incomplete, absent } = await findRequests(keys, world, scope);
  const reports = await runRequests(
    requests.map((request) => ({ ...request, dryRun: true })),
    world,
  );
  const missing = reports.filter((report) => isMissing(report, keys));
  return {
    plans: reports.flatMap((report) => (missing.includes(report) ? [] : (report.plan ?? []))),
    incomplete,
    errors: [
      ...[...absent, ...missing.map(({ request }) => request.key)].map((key) => `${key} not found`),
      ...describeFailed(reports, (report) => `${report.request.key}: ${adviceIn(report)}`),
    ],
  };
}

/** What `levelset plan` prints of plans, and its exit code. */
export function tellPlans(
  { plans, incomplete, errors }: FoundPlans,
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

function tellDrift({ plans, incomplete, errors }: FoundPlans): Told {
  const drifted = plans.some(({ drift }) => drift) ? 2 : 0;
  const shown = plans.filter(({ drift, steps }) => drift ?? steps.length > 0);
  const rows = shown.map(({ unit, services, steps, drift = [], driftStays = false }) => ({
    ...{ unit, services, drift, driftStays, notSettled: drift.length === 0 ? steps.length : 0 },
  }));
  const looked = incomplete ? 'No drift in what could be read.' : 'No drift.';
  const text = shown.map(renderDrift).join('\n') || (errors.length > 0 ? '' : looked);
  return { code: incomplete || errors.length > 0 ? 1 : drifted, text, rows, errors };
}
