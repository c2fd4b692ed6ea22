import type { Flags } from '../../shared/config/read-flags.ts';
import type { Plan } from '../../shared/model/plan.ts';
import type { SweepScope } from '../../shared/model/request.ts';
import { connectWithLogins } from '../connect-with-logins.ts';
import { reasonOf } from '../status-rows.ts';
import { findRequests, readObjects } from './objects.ts';
import { logOf } from './options.ts';
import { runRequests } from './run-requests.ts';

export interface FoundPlans {
  readonly plans: readonly Plan[];
  /** The sweep could not read or compare something: there may be more. */
  readonly incomplete: boolean;
  /** One line for each object without a plan. */
  readonly failures: readonly string[];
}

/** The plans of these objects, or of all that a sweep finds, as dry runs make them. */
export async function findPlans(
  objects: readonly string[],
  flags: Flags,
  env: NodeJS.ProcessEnv,
  scope?: Pick<SweepScope, 'everyService'>,
): Promise<FoundPlans> {
  const keys = readObjects(objects.length === 0 ? ['all'] : objects);
  const { world } = await connectWithLogins({ flags, env, log: logOf(flags, 'warn') });
  const { requests, incomplete } = await findRequests(keys, world, scope);
  const reports = await runRequests(
    requests.map((request) => ({ ...request, dryRun: true })),
    world,
    () => undefined,
  );
  const failed = reports.filter(({ outcome }) => outcome.status === 'failed');
  return {
    plans: reports.flatMap(({ plan }) => plan ?? []),
    incomplete,
    failures: failed.map(({ request, outcome }) => `levelset: ${request.key}: ${reasonOf(outcome)}`),
  };
}
