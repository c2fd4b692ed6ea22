/** From the plan to its report: the Service is held, what is about to be made is recorded, and the steps are applied. */
import { apply, lockOf } from '../apply/apply.ts';
import type { Applied } from '../apply/apply.ts';
import { deletes, reserveDeletion } from '../apply/reserve-deletion.ts';
import { isError, isRefusedWrite, ReconcileError } from '../model/errors.ts';
import type { Run } from '../model/outcome.ts';
import { FINALIZER, clusterTag, hasTag } from '../model/ownership.ts';
import { attempt } from '../observe/attempt.ts';
import type { Budget, World } from '../ports.ts';
import { tellPlan } from '../report/plan-notes.ts';
import type { Evaluation } from './evaluate.ts';
import { beginWork, finish } from './finish.ts';
import { recordRepair, takeBack } from './repair.ts';
import { hasFinalizer } from './unit.ts';
import type { BesideMembers, WrittenPlan } from '../memory/load-balancers.ts';
import {
  isChildInError,
  isOutsideOctavia,
  poolOfMembers,
  writesMembers,
} from '../model/load-balancer/octavia.ts';
import { isShared } from '../model/load-balancer/shared-load-balancer.ts';
import type { Step } from '../model/plan.ts';
import type { ObservedResource } from '../model/resources.ts';
import { hasNotes } from './as-written.ts';
import { forgetStored } from './observe/certificates.ts';

/**
 * Adds the finalizer to a Service that wants a load balancer and does not have the finalizer yet. Nothing is made without it. A load
 * balancer that is there is looked after even so, since it serves.
 */
export async function ensureFinalizer(
  evaluation: Evaluation,
  { kube }: Pick<World, 'kube'>,
): Promise<Evaluation> {
  const { unit } = evaluation;
  if (!unit.service || !unit.wanted || hasFinalizer(unit.service)) return evaluation;
  const finalizers = [...(unit.service.metadata.finalizers ?? []), FINALIZER];
  const patched = await attempt(kube.patchService(unit.service, { metadata: { finalizers } }));
  const service = isError(patched) ? unit.service : patched;
  const held = { ...evaluation, unit: { ...unit, service } };
  if (hasFinalizer(service)) return held;
  const stripped = `the finalizer ${FINALIZER} of Service ${unit.key.slice('service/'.length)} was answered with 200, and a webhook or policy has taken it away; without it levelset makes no load balancer`;
  const unheld = isError(patched) ? patched : new ReconcileError('KUBE_DENIED', stripped);
  if (!isRefusedWrite(unheld) || !evaluation.observed.loadBalancer) throw unheld;
  return { ...held, unheld };
}

/** Whether the plan takes an address away, and the Service is not any more as it was read. Costs one GET, and else none. */
export async function isOutdated(
  { unit, plan }: Evaluation,
  { kube }: Pick<World, 'kube'>,
): Promise<boolean> {
  const takes = plan.steps.some(
    ({ verb, kind }) => verb === 'delete' && (kind === 'loadbalancer' || kind === 'floatingip'),
  );
  if (!takes) return false;
  const now = await kube.getService(unit.name.namespace, unit.name.name);
  const [then, is] = [unit.service, now].map(
    (one) => one && `${one.metadata.uid}/${one.metadata.resourceVersion}`,
  );
  return then !== is;
}

/** Takes room in the deletion budget. If other processes used it up, the plan refuses the deletion. */
async function reserve(evaluation: Evaluation, world: World): Promise<Evaluation> {
  const { plan, leaving } = evaluation;
  if (!leaving || !deletes(plan)) return evaluation;
  return { ...evaluation, plan: await reserveDeletion(plan, leaving, world) };
}

export async function write(planned: Evaluation, world: World, budget: Budget): Promise<Run> {
  const evaluation = await reserve(planned, world);
  tellPlan(evaluation.plan, world);
  const repair = await recordRepair(evaluation, world);
  try {
    await beginWork(evaluation, world);
  } catch (error) {
    if (repair) await takeBack(repair, undefined, world);
    throw error;
  }
  const applied = await apply(evaluation.plan.steps, evaluation.observed.resources, { ...world, budget });
  const isMade = applied.steps.some(({ verb }) => verb === 'failover');
  if (repair && !isMade) await takeBack(repair, applied.error, world);
  noteWrites(evaluation, applied, world);
  return finish(evaluation, applied, world);
}

/**
 * What a run's writes mean for the next runs. After one that made a load balancer, or members, and so wrote its whole plan, the next
 * run looks at the load balancer alone: what is on it, and the floating IP, are as they were written. After other writes of members it
 * reads the members of those pools, and relies on what was read of the rest.
 */
function noteWrites(
  evaluation: Evaluation,
  applied: Applied,
  { memory, clock }: Pick<World, 'memory' | 'clock'>,
): void {
  const { cluster, observed } = evaluation;
  const { steps, known, error } = applied;
  const { loadBalancers } = memory;
  if (steps.some(({ kind }) => kind === 'secret')) forgetStored({ memory });
  const lb = known.get('lb');
  if (!lb) return;
  const writes = steps.filter((step) => lockOf(step) === 'lb');
  const beside = besideMembers(evaluation, writes, applied, clock.now());
  // what a refused write was planned from may not be so
  if (error || writes.length > 0) loadBalancers.forget(lb.id);
  if (beside) loadBalancers.noteBesideMembers(lb.id, beside);
  loadBalancers.noteWrittenInError(lb.id, writtenInError(steps, observed.resources), clock.now());
  const isDeleted = steps.some((step) => step.verb === 'delete' && step.id === lb.id);
  // one without tags is in no list by tags
  if (isDeleted && hasTag(lb['tags'], clusterTag(cluster))) loadBalancers.noteDeleted(lb.id);
  const written = writtenPlan(evaluation, applied);
  if (written) loadBalancers.noteWritten(lb.id, written);
}

/** Ids of the children in ERROR that were written, so that those which stay in ERROR are not written in every run. */
function writtenInError(steps: readonly Step[], observed: readonly ObservedResource[]): readonly string[] {
  const written = new Set(steps.flatMap(({ verb, address }) => (verb === 'members' ? [] : address)));
  const batches = new Set(steps.flatMap(({ verb, address }) => (verb === 'members' ? address : [])));
  const isWritten = ({ kind, address, parent }: ObservedResource): boolean =>
    written.has(address) || (kind === 'member' && batches.has(parent ?? ''));
  return observed.filter((child) => isChildInError(child) && isWritten(child)).map(({ id }) => id);
}

/** What this run knows of the load balancer beside the members that it wrote. */
function besideMembers(
  { unit, observed, repairing }: Evaluation,
  writes: readonly Step[],
  { error, known }: Applied,
  now: number,
): BesideMembers | undefined {
  const isOther = isShared(observed.sharing) || (observed.replacement ?? repairing) !== undefined;
  if (error || isOther || writes.length === 0 || !writes.every(writesMembers)) return undefined;
  const pools = new Set(writes.map(poolOfMembers));
  const children = observed.resources.filter(
    ({ kind, parent = '' }) =>
      kind !== 'loadbalancer' && !isOutsideOctavia(kind) && !(kind === 'member' && pools.has(parent)),
  );
  const { asWrittenSince: readAt = now } = observed;
  const floatingIP = floatingIPOf(observed.resources, known);
  return { uid: unit.service?.metadata.uid, readAt, pools, children, floatingIP };
}

function writtenPlan(
  { unit, observed, plan, desired, locked, repairing, hash }: Evaluation,
  { steps, stopped, error, known }: Applied,
): WrittenPlan | undefined {
  const { service, wanted, key } = unit;
  const { replacement, resources } = observed;
  const isWhole = !error && !stopped && steps.length === plan.steps.length && !hasNotes(plan);
  const isOther = !service || !wanted || isShared(observed.sharing) || locked || (replacement ?? repairing);
  const hasPolicies = desired.resources.some(({ kind }) => kind === 'l7policy');
  if (!isWhole || isOther || hasPolicies || !steps.some(lockOf) || !steps.every(isAnew)) return undefined;
  return { key, uid: service.metadata.uid, hash, floatingIP: floatingIPOf(resources, known) };
}

function floatingIPOf(
  observed: readonly ObservedResource[],
  known: Applied['known'],
): ObservedResource<'floatingip'> | undefined {
  const owned = observed.find(({ address }) => address === 'floatingip')?.owned ?? true;
  const wire = known.get('floatingip');
  return wire && { kind: 'floatingip', address: 'floatingip', id: wire.id, owned, wire };
}

/** Whether a step makes what was not there, and a load balancer that is ACTIVE afterwards has it. */
function isAnew(step: Step): boolean {
  if (step.verb === 'members') return step.changed.length + step.removed.length === 0;
  const { verb, kind, address } = step;
  return verb === 'create' && (address === 'lb' || kind === 'member' || isOutsideOctavia(kind));
}
