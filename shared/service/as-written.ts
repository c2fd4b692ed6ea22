import { lockOf, type Applied } from '../apply/apply.ts';
import { RELIES_MS, writtenAt, type BesideMembers, type WrittenPlan } from '../memory/load-balancers.ts';
import {
  type FoundLoadBalancers,
  type ObservedService,
  isShared,
} from '../model/load-balancer/observed-service.ts';
import {
  isChildInError,
  isOutsideOctavia,
  poolOfMembers,
  writesMembers,
} from '../model/load-balancer/octavia.ts';
import { clusterTag, hasTag, type ClusterIdentity } from '../model/ownership.ts';
import type { Plan, Step } from '../model/plan.ts';
import type { ObservedResource } from '../model/resources.ts';
import type { ServiceObject } from '../model/service-object.ts';
import type { World } from '../ports.ts';
import type { Desired } from './desired/desire-service.ts';
import { forgetStored } from './observe/certificates.ts';
import { tellsTrouble } from '../report/condition.ts';

interface Written {
  readonly object: ServiceObject;
  readonly cluster: ClusterIdentity;
  readonly observed: ObservedService;
  readonly desired: Pick<Desired, 'resources'>;
  readonly plan: Plan;
  readonly hash: string;
  readonly locked: boolean;
  readonly repairing?: object;
}

function hasNotes({ problems, refused, awaitingApproval, driftStays }: Plan): boolean {
  return [problems, refused, awaitingApproval].some(({ length }) => length > 0) || driftStays !== undefined;
}

export function lastWritten(
  object: ServiceObject,
  { loadBalancer: lb, duplicates, replacement, notJoined }: FoundLoadBalancers,
  { memory, clock }: Pick<World, 'memory' | 'clock'>,
): WrittenPlan | undefined {
  const { service, wanted, withLeftovers } = object;
  if (!service || !wanted || withLeftovers || tellsTrouble(service)) return undefined;
  if (!lb || duplicates.length > 0 || replacement || notJoined) return undefined;
  if (lb['provisioning_status'] !== 'ACTIVE' || clock.now() - writtenAt(lb) > RELIES_MS) return undefined;
  const written = memory.loadBalancers.written(lb.id);
  return written?.key === object.key && written.uid === service.metadata.uid ? written : undefined;
}

/** Whether a look at the load balancer alone finds nothing to do and nothing to tell, and that the same is desired as was written. */
export function isAsWritten(
  { plan, hash, observed }: Pick<Written, 'plan' | 'hash' | 'observed'>,
  written: WrittenPlan,
): boolean {
  return hash === written.hash && plan.steps.length === 0 && !hasNotes(plan) && !isShared(observed.sharing);
}

/**
 * What a run's writes mean for the next one: after a load balancer or members were made by a whole plan, it looks at the load balancer alone.
 * After other writes of members it reads the members of those pools, and relies on what was read of the rest.
 */
export function noteWrites(
  comparison: Written,
  applied: Applied,
  { memory, clock }: Pick<World, 'memory' | 'clock'>,
): void {
  const { cluster, observed } = comparison;
  const { steps, known, error } = applied;
  const { loadBalancers } = memory;
  if (steps.some(({ kind }) => kind === 'secret')) forgetStored({ memory });
  const lb = known.get('lb');
  if (!lb) return;
  const writes = steps.filter((step) => lockOf(step) === 'lb');
  const beside = besideMembers(comparison, writes, applied, clock.now());
  // what a refused write was planned from may not be so
  if (error || writes.length > 0) loadBalancers.forget(lb.id);
  if (beside) loadBalancers.noteBesideMembers(lb.id, beside);
  loadBalancers.noteWrittenInError(lb.id, writtenInError(steps, observed.resources), clock.now());
  const isDeleted = steps.some((step) => step.verb === 'delete' && step.id === lb.id);
  // one without tags is in no list by tags
  if (isDeleted && hasTag(lb['tags'], clusterTag(cluster))) loadBalancers.noteDeleted(lb.id);
  const written = writtenPlan(comparison, applied);
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

function besideMembers(
  { object, observed, repairing }: Written,
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
  return { uid: object.service?.metadata.uid, readAt, pools, children, floatingIP: known.get('floatingip') };
}

function writtenPlan(
  { object, observed, plan, desired, locked, repairing, hash }: Written,
  { steps, stopped, error, known }: Applied,
): WrittenPlan | undefined {
  const { service, wanted, key } = object;
  const { replacement } = observed;
  const isWhole = !error && !stopped && steps.length === plan.steps.length && !hasNotes(plan);
  const isOther = !service || !wanted || isShared(observed.sharing) || locked || (replacement ?? repairing);
  const hasPolicies = desired.resources.some(({ kind }) => kind === 'l7policy');
  if (!isWhole || isOther || hasPolicies || !steps.some(lockOf) || !steps.every(isAnew)) return undefined;
  return { key, uid: service.metadata.uid, hash, floatingIP: known.get('floatingip') };
}

/** Whether a step makes what was not there, and a load balancer that is ACTIVE afterwards has it. */
function isAnew(step: Step): boolean {
  if (step.verb === 'members') return step.changed.length + step.removed.length === 0;
  const { verb, kind, address } = step;
  return verb === 'create' && (address === 'lb' || kind === 'member' || isOutsideOctavia(kind));
}
