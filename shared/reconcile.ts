import { CONTROLLERS } from './controllers.ts';
import { requireCluster, worldDuring } from './begin-run.ts';
import { asReconcileError, ReconcileError } from './model/errors.ts';
import { type Report, type Run, outcomeOfError } from './model/outcome.ts';
import { queueKeyOf, type ReconcileRequest } from './model/request.ts';
import type { Budget, World } from './ports.ts';
import { NO_RUN, priorityOf } from './deadline.ts';

/** Runs one key once, in the time of `budget`. Never throws: a failure is an outcome. */
export async function reconcile(request: ReconcileRequest, world: World, budget: Budget): Promise<Report> {
  const started = world.clock.now();
  const { value, calls, failedRequestIds } = await world.calls.record(async () => {
    try {
      const priority = priorityOf(request.trigger);
      const remainingMs = (): number => budget.remainingMs();
      return await run(request, worldDuring(world, { ...NO_RUN, priority, remainingMs }), budget);
    } catch (error) {
      return { outcome: outcomeOfError(asReconcileError(error)), applied: [] };
    }
  });
  return { request, ...value, durationMs: world.clock.now() - started, calls, failedRequestIds };
}

async function run(request: ReconcileRequest, world: World, budget: Budget): Promise<Run> {
  if (request.cluster !== world.cluster) return ofAnother(request, world);
  const controller = CONTROLLERS.find(({ owns }) => owns(request.key));
  if (!controller)
    throw new ReconcileError('CONFIG_INVALID', `no controller looks after the key ${request.key}`);
  if (!controller.looksAfter(world.config)) return SWITCHED_OFF;
  if (!request.dryRun) await requireCluster(world);
  return controller.reconcile(request, world, budget);
}

/** Nothing of one cluster touches another, whatever a queue has delivered. */
function ofAnother(request: ReconcileRequest, { cluster = 'without a name' }: World): Run {
  const reason = `${queueKeyOf(request)} is not of the cluster ${cluster}: nothing was done`;
  return { outcome: { status: 'blocked', reason }, applied: [] };
}

const SWITCHED_OFF: Run = { outcome: { status: 'settled' }, applied: [] };
