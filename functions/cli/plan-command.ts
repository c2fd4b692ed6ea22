import { renderPlan } from '../../shared/plan/render-plan.ts';
import type { Flags } from '../../shared/config/read-flags.ts';
import { connectWithLogins } from '../connect-with-logins.ts';
import { reasonOf } from '../status-rows.ts';
import { findRequests, readObjects } from './objects.ts';
import { logOf } from './options.ts';
import { runRequests } from './run-requests.ts';

/** `levelset plan`: prints what a sweep would do, as text or as a JSON array of plans. Exit 1 if it could not make a plan. */
export async function planCommand(
  objects: readonly string[],
  flags: Flags,
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const keys = readObjects(objects.length === 0 ? ['all'] : objects);
  const { world } = await connectWithLogins({ flags, env, log: logOf(flags, 'warn') });
  const { requests, incomplete } = await findRequests(keys, world);
  const reports = await runRequests(
    requests.map((request) => ({ ...request, dryRun: true })),
    world,
    () => undefined,
  );
  const nothing = incomplete
    ? 'Nothing to do in what could be read.'
    : 'Nothing to do: everything is as desired.';
  const plans = reports.flatMap(({ plan }) => plan ?? []);
  if (flags.output === 'json') console.log(JSON.stringify(plans, undefined, 2));
  else console.log(plans.map(renderPlan).join('\n\n') || nothing);
  const failed = reports.filter(({ outcome }) => outcome.status === 'failed');
  for (const { request, outcome } of failed) console.error(`levelset: ${request.key}: ${reasonOf(outcome)}`);
  return incomplete || failed.length > 0 ? 1 : 0;
}
