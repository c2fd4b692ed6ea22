import type { Plan } from '../../shared/model/plan.ts';
import type { Key, SweepScope } from '../../shared/model/request.ts';
import type { World } from '../../shared/ports.ts';
import { findRequests, isMissing } from './objects.ts';
import { adviceIn, describeFailed, runRequests } from './run-requests.ts';

export interface FoundPlans {
  readonly plans: readonly Plan[];
  /** The sweep could not read or compare something: there may be more. */
  readonly incomplete: boolean;
  /** One line for each object without a plan, or for all that have none for the same reason. */
  readonly failures: readonly string[];
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
    () => undefined,
  );
  const missing = new Set(reports.filter((report) => isMissing(report, keys)));
  return {
    plans: reports.flatMap((report) => (missing.has(report) ? [] : (report.plan ?? []))),
    incomplete,
    failures: [
      ...[...absent, ...[...missing].map(({ request }) => request.key)].map((key) => `${key} not found`),
      ...describeFailed(reports, (report) => `${report.request.key}: ${adviceIn(report)}`),
    ],
  };
}
