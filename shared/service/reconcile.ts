/**
 * One run for one Service, whatever caused it; of a Service that is gone it deletes what is left. No run waits for Octavia: after a write to a load
 * balancer it ends as `progressing`, and the key comes back when Octavia is done.
 */
import { apply, type Applied } from '../apply/apply.ts';
import { deletes, reserveDeletion } from '../apply/reserve-deletion.ts';
import { forgetNodes, attempt } from '../observe/reads.ts';
import { asReconcileError, isError, isRefusedWrite, ReconcileError } from '../model/errors.ts';
import { makesLoadBalancer } from '../model/load-balancer/octavia.ts';
import { isShared } from '../model/load-balancer/observed-service.ts';
import type { Outcome, Run } from '../model/outcome.ts';
import { createsReplacement } from '../model/plan.ts';
import { FINALIZER } from '../model/ownership.ts';
import { asServiceKey, isByPerson, isByEvent, readsInFull, type ReconcileRequest } from '../model/request.ts';
import type { ServiceObject } from '../model/service-object.ts';
import type { Budget, World } from '../ports.ts';
import { tellPlan } from '../report/condition.ts';
import { noteWrites } from './as-written.ts';
import { withDrift, stateAtWork, triedAgainMs } from './settled-record.ts';
import { compareService, nodesOf, type Comparison } from './compare-service.ts';
import { finish, keepStates, reportFailure, runSummary } from './finish.ts';
import { requireProject } from './project.ts';
import { recordRepair, takeBack } from './repair.ts';
import { hasFinalizer, hasFinalizerOfAnother, isOurs, objectOf } from './service-object.ts';
import { withinDeletionBudget } from './vanished.ts';

export async function reconcileService(
  request: ReconcileRequest,
  world: World,
  budget: Budget,
): Promise<Run> {
  const name = asServiceKey(request.key);
  if (!name) throw new ReconcileError('CONFIG_INVALID', `${request.key} is not the key of a Service`);

  // read: most events are about a Service that never had a load balancer, and their runs end here, also when it is gone
  const service = await world.kube.getService(name.namespace, name.name);
  const asRead = objectOf(request.key, name, service, world.config);
  const object = readsInFull(request.trigger) ? { ...asRead, withLeftovers: true as const } : asRead;
  if (isByEvent(request) && hasNothingOfOurs(object, world))
    return { outcome: { status: 'settled' }, applied: [] };

  // another controller's finalizer, and so its load balancer (decision 150)
  if (service && hasFinalizerOfAnother(service, world.config))
    return { outcome: { status: 'settled' }, applied: [] };

  if (isByPerson(request)) forgetNodes(world);

  try {
    return await run(request, object, world, budget);
  } catch (error) {
    // report: the Service's condition says why the run failed; the error's code tells the queue when the key comes back
    const failure = asReconcileError(error);
    if (!request.dryRun) await reportFailure(object, failure, world);
    throw failure;
  }
}

async function run(
  request: ReconcileRequest,
  object: ServiceObject,
  world: World,
  budget: Budget,
): Promise<Run> {
  const [id] = await Promise.all([world.kube.clusterId(), requireProject(world)]);
  const cluster = { id, name: world.config.clusterName };

  // compare: find the load balancer, read the intent, observe, desire, plan, tell what is drift
  const found = await compareService(object, await nodesOf(object, world), world, cluster);
  const comparison = await judge(found, request, world);
  noteHolder(comparison, world);

  const waits = await whyItEnds(comparison, request, world, budget);
  if (waits) return { outcome: waits, plan: comparison.plan, applied: [], ...runSummary(comparison) };

  // hold: the Service has the finalizer before anything is made, so that one which is deleted meanwhile leaves nothing behind
  const held = await ensureFinalizer(comparison, world);
  if (await isOutdated(held, world)) return AGAIN;

  const reserved = await reserve(held, world);
  const applied = await write(reserved, world, budget);
  noteWrites(reserved, applied, world);
  return finish(reserved, applied, world);
}

/** What leaves does so within its budget, and what differs from the settled record is drift. */
async function judge(found: Comparison, { dryRun }: ReconcileRequest, world: World): Promise<Comparison> {
  const { object, plan } = found;
  if (plan.steps.length === 0) return found;
  if (!object.wanted) return withinDeletionBudget(found, world);
  return object.service && hasFinalizer(object.service) ? withDrift(found, world, dryRun) : found;
}

/** The outcome of a run that has only looked, and so leaves nothing behind; undefined if it goes on. */
async function whyItEnds(
  comparison: Comparison,
  request: ReconcileRequest,
  world: World,
  budget: Budget,
): Promise<Outcome | undefined> {
  const { plan, state } = comparison;
  if (request.dryRun) return { status: 'settled' };
  if (wasRefused(comparison, request, world)) return { status: 'blocked', reason: state?.rejected ?? '' };
  if (plan.steps.length > 0 && !request.inGroup && sharesLoadBalancer(comparison)) {
    const reason = 'waits: levelset works on the Services that share load balancers one after the other';
    return { status: 'progressing', reason, retryAfterMs: 0, needsGroup: true };
  }
  // as many load balancers as may be are in Octavia's hands (decision 271)
  if (makesLoadBalancer(plan) && (await budget.mayCreate?.()) === false) {
    const reason = 'waits: Octavia works on as many load balancers as --concurrent-load-balancers allows';
    return { status: 'progressing', reason, retryAfterMs: SLOT_MS, needsSlot: true };
  }
  return undefined;
}

const SLOT_MS = 5_000;

/** A person has a refused creation tried at once, a sweep when its time has come, everybody when something else is desired (decision 522). */
function wasRefused(comparison: Comparison, request: ReconcileRequest, world: World): boolean {
  const { plan, state, hash, observed } = comparison;
  if (state?.rejected === undefined || !makesLoadBalancer(plan)) return false;
  if (observed.loadBalancer && !plan.steps.every(createsReplacement)) return false;
  return state.hash === hash && !isByPerson(request) && world.clock.now() < triedAgainMs(state);
}

function sharesLoadBalancer(comparison: Comparison): boolean {
  const { object, intent, observed } = comparison;
  const { loadBalancer: lb, sharing } = observed;
  if (!lb) return object.wanted && intent?.annotated.Service.loadBalancerName !== undefined;
  return isShared(sharing);
}

/** Nothing is made without the finalizer. A load balancer that is there is looked after even so, since it serves. */
async function ensureFinalizer(comparison: Comparison, { kube }: Pick<World, 'kube'>): Promise<Comparison> {
  const { object } = comparison;
  if (!object.service || !object.wanted || hasFinalizer(object.service)) return comparison;
  const finalizers = [...(object.service.metadata.finalizers ?? []), FINALIZER];
  const patched = await attempt(kube.patchService(object.service, { metadata: { finalizers } }));
  const service = isError(patched) ? object.service : patched;
  const held = { ...comparison, object: { ...object, service } };
  if (hasFinalizer(service)) return held;
  const stripped = `the finalizer ${FINALIZER} of Service ${object.key.slice('service/'.length)} was accepted (200), and a webhook or policy removed it; without it levelset makes no load balancer`;
  const unheld = isError(patched) ? patched : new ReconcileError('KUBE_DENIED', stripped);
  if (!isRefusedWrite(unheld) || !comparison.observed.loadBalancer) throw unheld;
  return { ...held, unheld };
}

/** Whether the plan takes an address away, and the Service is not any more as it was read. Costs one GET, and else none. */
async function isOutdated({ object, plan }: Comparison, { kube }: Pick<World, 'kube'>): Promise<boolean> {
  const takes = plan.steps.some(
    ({ verb, kind }) => verb === 'delete' && (kind === 'loadbalancer' || kind === 'floatingip'),
  );
  if (!takes) return false;
  const now = await kube.getService(object.name.namespace, object.name.name);
  const [then, is] = [object.service, now].map(
    (one) => one && `${one.metadata.uid}/${one.metadata.resourceVersion}`,
  );
  return then !== is;
}

const AGAIN: Run = {
  outcome: { status: 'progressing', reason: 'the Service has changed since it was read', retryAfterMs: 0 },
  applied: [],
};

/** Takes room in the deletion budget. If other processes used it up, the plan refuses the deletion. */
async function reserve(comparison: Comparison, world: World): Promise<Comparison> {
  const { plan, leaving } = comparison;
  if (!leaving || !deletes(plan)) return comparison;
  return { ...comparison, plan: await reserveDeletion(plan, leaving, world) };
}

async function write(comparison: Comparison, world: World, budget: Budget): Promise<Applied> {
  tellPlan(comparison.plan, world);
  const repair = comparison.repairing && (await recordRepair(comparison, comparison.repairing, world));
  try {
    await beginWork(comparison, world);
  } catch (error) {
    if (repair) await takeBack(repair, undefined, world);
    throw error;
  }
  const applied = await apply(comparison.plan.steps, comparison.observed.resources, { ...world, budget });
  const isMade = applied.steps.some(({ verb }) => verb === 'failover');
  if (repair && !isMade) await takeBack(repair, applied.error, world);
  return applied;
}

/** What differs from now on may be levelset's own work, so the settled state goes. Where drift is only reported, throws ReconcileError if it stays. */
async function beginWork(comparison: Comparison, world: World): Promise<void> {
  const { object, state, plan, intent } = comparison;
  const { service, wanted } = object;
  const comesBack = !wanted && service?.metadata.deletionTimestamp === undefined;
  if (!service || plan.steps.length === 0 || !(state ?? comesBack)) return;
  // what is missing is added beside drift that stays: whatever is left of it is missing still
  if (plan.driftStays && state?.hash === comparison.hash) return;
  const changes = new Map([[service.metadata.uid, state && stateAtWork(comparison, state)]]);
  if (intent?.annotated.Service.drift === 'report') await world.kube.state.save(changes);
  else await keepStates(changes, world);
}

/** Whether the Service is not levelset's or gone, and this process knows of nothing in OpenStack. A sweep finds leftovers all the same. */
function hasNothingOfOurs({ key, service }: ServiceObject, { memory, config }: World): boolean {
  return !(service && isOurs(service, config)) && !memory.holders.has(key);
}

function noteHolder({ object, observed }: Comparison, { memory }: World): void {
  const holds = observed.loadBalancer ?? observed.resources.find(({ whose }) => whose !== 'foreign');
  if (object.wanted || holds) memory.holders.set(object.key, true);
  else memory.holders.delete(object.key);
}
