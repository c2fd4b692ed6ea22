import { errorText } from '../model/errors.ts';
import { compareRoutes } from './compare-routes.ts';
import type { Node } from '../model/kubernetes.ts';
import { isEverything, type SweepScope } from '../model/request.ts';
import { NOTHING_FOUND, type Found } from '../model/outcome.ts';
import { sameRecords } from '../model/network/routes.ts';
import type { World } from '../ports.ts';
import { outcomeOfRoutes } from './report/report-routes.ts';

/** A failure is only a warning: load balancers do not wait for a router. */
export async function findRoutes(
  _nodes: () => Promise<readonly Node[]>,
  world: World,
  scope: SweepScope,
): Promise<Found> {
  if (!isEverything(scope)) return NOTHING_FOUND;
  try {
    const comparison = await compareRoutes(false, world);
    const { plan, desired, records } = comparison;
    const seen = {
      ...comparison,
      routes: desired?.router.routes ?? [],
      stopped: false,
      failed: new Map(),
    };
    const isRecorded = !desired || sameRecords(desired.after, records);
    const isQuiet = isRecorded && plan.steps.length === 0;
    const isSettled = isQuiet && outcomeOfRoutes(seen).status === 'settled';
    return { keys: isSettled ? [] : ['routes'], warnings: [] };
  } catch (error) {
    const reason = errorText(error);
    const warnings = [`the sweep could not compare the routes: ${reason}`];
    return { keys: [], warnings, incomplete: true };
  }
}
