/**
 * One run for one Service, whatever caused it: read, evaluate (find, observe, desire, plan), finalizer, lease, apply,
 * report.
 *
 * A Service that is gone takes the same steps, and its run plans to delete what is left. No run waits for Octavia: a
 * run that wrote to a load balancer ends as `progressing`, and the key comes back when Octavia is done.
 */
import { forgetNodes } from '../memory/listed-nodes.ts';
import { asReconcileError, ReconcileError } from '../model/errors.ts';
import type { Run } from '../model/outcome.ts';
import { asServiceKey, isByPerson, isHint, readsInFull } from '../model/request.ts';
import type { ReconcileRequest } from '../model/request.ts';
import type { Unit } from '../model/unit.ts';
import type { Budget, World } from '../ports.ts';
import { withDrift } from './drift.ts';
import { evaluate } from './evaluate.ts';
import type { Evaluation } from './evaluate.ts';
import {
  lacksRoom,
  losesFinalizer,
  nothingApplied,
  reportFailure,
  runSummary,
  waitForNextTry,
  waitForRoom,
  wasRefused,
} from './finish.ts';
import { takeRememberedLeases } from './leases.ts';
import { trustNothing } from './note-writes.ts';
import { end, ensureFinalizer, writeUnderLease, writeUnderRememberedLeases } from './under-lease.ts';
import { nodesOf } from './read-again.ts';
import { requirePlace } from './place.ts';
import { isAnothers, isOurs, unitOf } from './unit.ts';
import { withinBudget } from './vanished.ts';

export async function reconcileService(
  request: ReconcileRequest,
  world: World,
  budget: Budget,
): Promise<Run> {
  const name = asServiceKey(request.key);
  if (!name) throw new ReconcileError('CONFIG_INVALID', `${request.key} is not the key of a Service`);

  // read: most events are about a Service that never had a load balancer, and their runs end here, also when it is gone
  const service = await world.kube.getService(name.namespace, name.name);
  const asRead = unitOf(request.key, name, service, world.config);
  const unit = readsInFull(request.trigger) ? { ...asRead, withLeftovers: true as const } : asRead;
  if (isHint(request) && hasNothingOfOurs(unit, world))
    return { outcome: { status: 'settled' }, applied: [] };

  // another controller's finalizer, and so its load balancer (decision 150)
  if (service && isAnothers(service, world.config)) return { outcome: { status: 'settled' }, applied: [] };

  // the run of a sweep, a resync or a command does not rely on what this process expects after its own writes
  if (readsInFull(request.trigger)) trustNothing(unit, world);
  if (isByPerson(request)) forgetNodes(world);

  try {
    return await run(request, unit, world, budget);
  } catch (error) {
    // report: the Service's condition says why the run failed; the error's code tells the queue when the key comes back
    const failure = asReconcileError(error);
    if (!request.dryRun) await reportFailure(unit, failure, world);
    throw failure;
  }
}

async function run(request: ReconcileRequest, unit: Unit, world: World, budget: Budget): Promise<Run> {
  const [id] = await Promise.all([world.kube.clusterId(), requirePlace(world)]);
  const cluster = { id, name: world.config.clusterName };
  const evaluateNow = async (asRead: Unit): Promise<Evaluation> => {
    const found = await evaluate(asRead, await nodesOf(asRead, world), world, cluster);
    const evaluation = await withDrift(await withinBudget(found, world), world, request.dryRun);
    noteHolder(evaluation, world);
    return evaluation;
  };

  // a dry run returns the plan and writes nothing, not even the condition
  if (request.dryRun) {
    const only = await evaluateNow(unit);
    return { outcome: { status: 'settled' }, plan: only.plan, applied: [], ...runSummary(only) };
  }

  // the last run of this Service may have remembered its leases: then this run takes them first, and evaluates once,
  // under them
  const remembered = takeRememberedLeases(unit.key, world);
  if (remembered) return writeUnderRememberedLeases(remembered, unit, evaluateNow, world, budget);

  // evaluate: find the load balancer, read the intent, observe, desire, plan, tell what is drift
  const first = await evaluateNow(unit);

  if (wasRefused(first, request, world)) return waitForNextTry(first);

  // room: as many load balancers as may be are in Octavia's hands, so the run leaves nothing behind
  if (await lacksRoom(first, budget)) return waitForRoom(first);

  // finalizer: the Service has it before anything is made, so that a Service which is deleted meanwhile leaves nothing
  // behind
  const held = await ensureFinalizer(first, world);

  // report alone, if the plan has no step: all is as desired, or the Service is blocked, locked, refused or awaits
  // approval; but the finalizer goes under the lease alone, since another process may be making what was not there
  if (first.plan.steps.length === 0 && !losesFinalizer(first)) return end(held, nothingApplied(first), world);

  // lease, read again, apply, report: evaluate again under the lease, unless no other run can have had it since the
  // first evaluation and Kubernetes says the same
  return writeUnderLease(held, evaluateNow, world, budget);
}

/**
 * Whether a Service is not levelset's, or is gone, and this process knows of nothing that it has in OpenStack. A sweep finds what such a Service has left behind all the same.
 */
function hasNothingOfOurs({ key, service }: Unit, { memory, config }: World): boolean {
  return !(service && isOurs(service, config)) && !memory.holders.has(key);
}

/** Notes whether an event about the Service concerns levelset, also when the Service is gone. */
function noteHolder({ unit, observed }: Evaluation, { memory }: World): void {
  const holds = observed.loadBalancer ?? observed.resources.find(({ owned }) => owned);
  if (unit.wanted || holds) memory.holders.set(unit.key, true);
  else memory.holders.delete(unit.key);
}
