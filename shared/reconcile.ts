/**
 * THE PAGE. What happens to one key, whatever woke us:
 *
 *   read the Service -> observe -> desire -> plan -> (finalizer, lease) -> apply -> report
 *
 * Deleting is desiring nothing. Nothing waits for Octavia: the run ends as `progressing` and the key comes back.
 */
import { nothingApplied, seen, tellOfFailure } from './service/conclude.ts';
import type { Run } from './model/outcome.ts';
import { withEndpoints } from './service/endpoints.ts';
import { lookAt } from './service/look.ts';
import type { Look } from './service/look.ts';
import { ReconcileError } from './model/errors.ts';
import type { Report } from './model/outcome.ts';
import { asNodeKey, asServiceKey, isHint, looksCloser } from './model/request.ts';
import type { ReconcileRequest } from './model/request.ts';
import type { Unit } from './model/unit.ts';
import { trustNothing } from './service/note-writes.ts';
import { reconcileNode } from './node/reconcile.ts';
import { reconcileRoutes } from './routes/reconcile.ts';
import type { Budget, World } from './ports.ts';
import { outcomeOfError } from './report/outcome.ts';
import { withTlsSecrets } from './service/tls-secrets.ts';
import { takeTurn } from './service/turns.ts';
import { end, hold, inTurn, writeUnderLease } from './service/under-lease.ts';
import { hasFinalizer, unitOf } from './service/unit.ts';
import { looksAfterServices } from './config/looks-after.ts';

/** One key, once. Never throws: a failure is an outcome. */
export async function reconcile(request: ReconcileRequest, world: World, budget: Budget): Promise<Report> {
  const started = world.clock.now();
  const { value, calls, failedRequestIds } = await world.calls.record(async () => {
    try {
      return await run(request, world, budget);
    } catch (error) {
      return { outcome: outcomeOfError(asReconcileError(error)), applied: [] };
    }
  });
  return { request, ...value, durationMs: world.clock.now() - started, calls, failedRequestIds };
}

async function run(request: ReconcileRequest, world: World, budget: Budget): Promise<Run> {
  const node = asNodeKey(request.key);
  if (node !== undefined) return reconcileNode(node, request, world, budget);
  if (request.key === 'routes') return reconcileRoutes(request, world, budget);
  const name = asServiceKey(request.key);
  if (!name) throw new ReconcileError('CONFIG_INVALID', `${request.key} is no unit of work`);
  // switched off is hands off: what there is keeps serving, also for Services that are deleted
  if (!looksAfterServices(world.config)) return { outcome: { status: 'settled' }, applied: [] };
  const service = await world.kube.getService(name.namespace, name.name);
  const bare = unitOf(request.key, name, service, world.config);
  const unit = await withTlsSecrets(await withEndpoints(bare, world.kube), world);
  if (isNotOurs(unit, request)) return { outcome: { status: 'settled' }, applied: [] };
  if (looksCloser(request.trigger)) trustNothing(unit, world);
  try {
    return await work(request, unit, world, budget);
  } catch (error) {
    const failure = asReconcileError(error);
    if (!request.dryRun) await tellOfFailure(unit, failure, world);
    throw failure;
  }
}

async function work(request: ReconcileRequest, unit: Unit, world: World, budget: Budget): Promise<Run> {
  const nodes = unit.wanted ? await world.kube.listNodes() : [];
  const cluster = { id: await world.kube.clusterId(), name: world.config.clusterName };
  const look = (held: Unit): Promise<Look> => lookAt(held, nodes, world, cluster);
  if (request.dryRun) {
    const only = await look(unit);
    return { outcome: { status: 'settled' }, plan: only.plan, applied: [], ...seen(only) };
  }
  const turn = takeTurn(unit.key, world.kube);
  if (turn) return inTurn(turn, unit, look, world, budget);
  const first = await look(unit);
  const held = await hold(first, world);
  if (first.plan.steps.length === 0) return end(held, nothingApplied(first), world);
  return writeUnderLease(held, look, world, budget);
}

/** Anybody's Service: most events are about one that never had a load balancer. */
function isNotOurs(unit: Unit, request: ReconcileRequest): boolean {
  return isHint(request) && unit.service !== undefined && !unit.wanted && !hasFinalizer(unit.service);
}

function asReconcileError(error: unknown): ReconcileError {
  if (error instanceof ReconcileError) return error;
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new ReconcileError('UNEXPECTED_RESPONSE', message, { cause: error });
}
