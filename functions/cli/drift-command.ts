import type { Flags } from '../../shared/config/read-flags.ts';
import { renderDrift } from '../../shared/plan/render-drift.ts';
import { connectWithLogins } from '../connect-with-logins.ts';
import { reasonOf } from '../status-rows.ts';
import { findRequests, readObjects } from './objects.ts';
import { logOf } from './options.ts';
import { runRequests } from './run-requests.ts';

/**
 * `levelset drift`: reads every Service in full, and prints what somebody else changed in OpenStack, and what others have set there.
 * Exit 2 if there is drift, 1 if something could not be read.
 */
export async function driftCommand(
  objects: readonly string[],
  flags: Flags,
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const keys = readObjects(objects.length === 0 ? ['all'] : objects);
  const { world } = await connectWithLogins({ flags, env, log: logOf(flags, 'warn') });
  const { requests, incomplete } = await findRequests(keys, world, { everyService: true });
  const reports = await runRequests(
    requests.map((request) => ({ ...request, dryRun: true })),
    world,
    () => undefined,
  );
  const plans = reports.flatMap(({ plan }) => plan ?? []);
  const shown = plans.filter(({ drift, setByOthers }) => drift ?? setByOthers);
  if (flags.output === 'json') {
    const all = shown.map(({ unit, services, drift = [], driftStays = false, setByOthers = [] }) => ({
      ...{ unit, services, drift, driftStays, setByOthers },
    }));
    console.log(JSON.stringify(all, undefined, 2));
  } else console.log(shown.map(renderDrift).join('\n\n') || 'No drift.');
  const failed = reports.filter(({ outcome }) => outcome.status === 'failed');
  for (const { request, outcome } of failed) console.error(`levelset: ${request.key}: ${reasonOf(outcome)}`);
  if (incomplete || failed.length > 0) return 1;
  return plans.some(({ drift }) => drift) ? 2 : 0;
}
