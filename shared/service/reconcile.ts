/**
 * One run for one Service, whatever caused it: read, evaluate (find, observe, desire, plan), finalizer, apply, report.
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
import { evaluate, nodesOf } from './evaluate.ts';
import type { Evaluation } from './evaluate.ts';
import {
  finish,
  lacksRoom,
  nothingApplied,
  reportFailure,
  runSummary,
  sharesLoadBalancer,
  waitForLane,
  waitForNextTry,
  waitForRoom,
  wasRefused,
} from './finish.ts';
import { ensureFinalizer, isOutdated, write } from './write.ts';
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

  // evaluate: find the load balancer, read the intent, observe, desire, plan, tell what is drift
  const found = await evaluate(unit, await nodesOf(unit, world), world, cluster);
  const evaluation = await withDrift(await withinBudget(found, world), world, request.dryRun);
  noteHolder(evaluation, world);

  // a dry run returns the plan and writes nothing, not even the condition
  if (request.dryRun)
    return { outcome: { status: 'settled' }, plan: evaluation.plan, applied: [], ...runSummary(evaluation) };

  if (wasRefused(evaluation, request, world)) return waitForNextTry(evaluation);

  // lane: of the Services that share load balancers one writes at a time
  const writes = evaluation.plan.steps.length > 0;
  if (writes && !request.inLane && sharesLoadBalancer(evaluation)) return waitForLane(evaluation);

  // room: as many load balancers as may be are in Octavia's hands, so the run leaves nothing behind
  if (await lacksRoom(evaluation, budget)) return waitForRoom(evaluation);

  // finalizer: the Service has it before anything is made, so that a Service which is deleted meanwhile leaves nothing
  // behind
  const held = await ensureFinalizer(evaluation, world);

  // report alone, if the plan has no step: all is as desired, or the Service is blocked, locked, refused or awaits
  // approval
  if (!writes) return finish(held, nothingApplied(held), world);

  // apply, report
  if (await isOutdated(held, world)) return AGAIN;
  return write(held, world, budget);
}

/** Somebody changed the Service while the run planned to take its address away. */
const AGAIN: Run = {
  outcome: { status: 'progressing', reason: 'the Service has changed since it was read', retryAfterMs: 0 },
  applied: [],
};

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
