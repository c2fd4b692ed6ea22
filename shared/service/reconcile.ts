/**
 * THE PAGE of a Service, whatever woke us:
 *
 *   read the Service -> observe -> desire -> plan -> (finalizer, lease) -> apply -> report
 *
 * Deleting is desiring nothing. Nothing waits for Octavia: the run ends as `progressing` and the key comes back.
 */
import { nothingApplied, runSummary, reportFailure } from './finish.ts';
import { evaluate } from './evaluate.ts';
import type { Evaluation } from './evaluate.ts';
import { asReconcileError, ReconcileError } from '../model/errors.ts';
import type { Run } from '../model/outcome.ts';
import { asServiceKey, isHint, readsInFull } from '../model/request.ts';
import type { ReconcileRequest } from '../model/request.ts';
import type { Unit } from '../model/unit.ts';
import { trustNothing } from './note-writes.ts';
import type { Budget, World } from '../ports.ts';
import { takeRememberedLeases } from './remembered-leases.ts';
import { end, ensureFinalizer, writeUnderRememberedLeases, writeUnderLease } from './under-lease.ts';
import { hasFinalizer, unitOf } from './unit.ts';

export async function reconcileService(
  request: ReconcileRequest,
  world: World,
  budget: Budget,
): Promise<Run> {
  const name = asServiceKey(request.key);
  if (!name) throw new ReconcileError('CONFIG_INVALID', `${request.key} is not the key of a Service`);
  const service = await world.kube.getService(name.namespace, name.name);
  const unit = unitOf(request.key, name, service, world.config);
  if (isNotOurs(unit, request)) return { outcome: { status: 'settled' }, applied: [] };
  if (readsInFull(request.trigger)) trustNothing(unit, world);
  try {
    return await work(request, unit, world, budget);
  } catch (error) {
    const failure = asReconcileError(error);
    if (!request.dryRun) await reportFailure(unit, failure, world);
    throw failure;
  }
}
async function work(request: ReconcileRequest, unit: Unit, world: World, budget: Budget): Promise<Run> {
  const nodes = unit.wanted ? await world.kube.listNodes() : [];
  const cluster = { id: await world.kube.clusterId(), name: world.config.clusterName };
  const evaluation = (held: Unit): Promise<Evaluation> => evaluate(held, nodes, world, cluster);
  if (request.dryRun) {
    const only = await evaluation(unit);
    return { outcome: { status: 'settled' }, plan: only.plan, applied: [], ...runSummary(only) };
  }
  const remembered = takeRememberedLeases(unit.key, world);
  if (remembered) return writeUnderRememberedLeases(remembered, unit, evaluation, world, budget);
  const first = await evaluation(unit);
  const held = await ensureFinalizer(first, world);
  if (first.plan.steps.length === 0) return end(held, nothingApplied(first), world);
  return writeUnderLease(held, evaluation, world, budget);
}

/** Anybody's Service: most events are about one that never had a load balancer. */
function isNotOurs(unit: Unit, request: ReconcileRequest): boolean {
  return isHint(request) && unit.service !== undefined && !unit.wanted && !hasFinalizer(unit.service);
}
