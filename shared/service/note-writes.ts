import { lockOf } from '../apply/apply.ts';
import type { Applied } from '../apply/apply.ts';
import { clusterTag, hasTag } from '../model/ownership.ts';
import type { Step } from '../model/plan.ts';
import type { Evaluation } from './evaluate.ts';
import type { Unit } from '../model/unit.ts';
import { predictState } from './observe/remembered/predict-state.ts';
import { expectState, forgetExpectedState } from './observe/remembered/expected-state.ts';
import { forgetStored } from './observe/certificates.ts';
import { noteWritesInError } from './observe/remembered/children-in-error.ts';
import { forgetChildren } from './observe/remembered/child-cache.ts';
import type { World } from '../ports.ts';

/**
 * Notes the state that this run's writes should lead to, for the next run. If that state is in doubt, the expected
 * state is forgotten, and the next run reads the lists.
 */
export function noteWrites(
  evaluation: Evaluation,
  applied: Applied,
  { memory, clock }: Pick<World, 'memory' | 'clock'>,
): void {
  const { unit, cluster, observed } = evaluation;
  const { steps, known } = applied;
  const lb = known.get('lb');
  // what a refused write was planned from may not be so
  if (lb && applied.error) forgetChildren(lb.id, memory);
  if (steps.length === 0) return;
  // one without tags is in no list by tags
  const isDeleted = steps.some((step) => step.verb === 'delete' && step.id === lb?.id);
  if (lb && isDeleted && hasTag(lb['tags'], clusterTag(cluster))) memory.deleted.set(lb.id, true);
  noteWritesInError(steps, observed.resources, { memory, clock });
  if (steps.some(({ kind }) => kind === 'secret')) forgetStored({ memory });
  if (lb && steps.some((step) => lockOf(step) === 'lb')) forgetChildren(lb.id, memory);
  if (lb) memory.freed.delete(lb.id);
  const hasPolicies = evaluation.desired.resources.some(({ kind }) => kind === 'l7policy');
  if (
    !lb ||
    !unit.wanted ||
    evaluation.locked ||
    observed.replacement ||
    isShared(evaluation) ||
    applied.error ||
    hasPolicies ||
    steps.some(changesPlaces)
  ) {
    forgetExpectedState(unit, memory);
    return;
  }
  const written = { steps, known, name: unit.name, cluster };
  const sinceMs = observed.expectedSinceMs ?? clock.now();
  const onlyMembersMade = steps.every(({ verb, kind }) => verb === 'create' && kind === 'member');
  const resources = predictState(observed.resources, written);
  expectState(unit, { resources, sinceMs, onlyMembersMade }, memory);
}

/**
 * Forgets the state that this process expects after its writes. Children that were read in full still count while
 * `updated_at` is the same.
 */
export function trustNothing(unit: Unit, { memory }: Pick<World, 'memory'>): void {
  forgetExpectedState(unit, memory);
}

/** Whether other Services write to the load balancer as well: the status tree does not show what they wrote. */
function isShared({ observed: { sharing } }: Evaluation): boolean {
  return sharing !== undefined && (sharing.role === 'joiner' || sharing.others.length > 0);
}

/**
 * Whether the step gives a plan address to another resource, or takes the load balancer away: a listener turns to
 * another pool, another load balancer is made or deleted, a resource is made anew, or one goes that OpenStack made during this run
 * (its id is a reference).
 */
function changesPlaces(step: Step): boolean {
  if (step.verb === 'update') return step.changes.some(({ attribute }) => attribute === 'default_pool_id');
  if (step.address.startsWith('lb/') || step.verb === 'failover') return true;
  if (step.verb !== 'delete') return false;
  return step.kind === 'loadbalancer' || step.anew === true || typeof step.id !== 'string';
}
