/**
 * What a run's writes mean for the next runs. After one that made a load balancer, or members, and so wrote its whole plan, the next
 * run looks at the load balancer alone: what is on it, and the floating IP, are as they were written. After other writes of members it
 * reads the members of those pools, and relies on what was read of the rest.
 */
import { lockOf } from '../apply/apply.ts';
import type { Applied } from '../apply/apply.ts';
import type { BesideMembers, WrittenPlan } from '../memory/load-balancers.ts';
import {
  isChildInError,
  isOutsideOctavia,
  poolOfMembers,
  writesMembers,
} from '../model/load-balancer/octavia.ts';
import { isShared } from '../model/load-balancer/shared-load-balancer.ts';
import { clusterTag, hasTag } from '../model/ownership.ts';
import type { Step } from '../model/plan.ts';
import type { ObservedResource } from '../model/resources.ts';
import type { World } from '../ports.ts';
import { hasNotes } from './as-written.ts';
import type { Evaluation } from './evaluate.ts';
import { forgetStored } from './observe/certificates.ts';

export function noteWrites(
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
