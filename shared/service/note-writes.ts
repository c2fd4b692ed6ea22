import { lockOf } from '../apply/apply.ts';
import type { Applied } from '../apply/apply.ts';
import type { Step } from '../model/plan.ts';
import type { Look } from './look.ts';
import type { Unit } from '../model/unit.ts';
import { afterwards } from './observe/remembered/afterwards.ts';
import { expectAfterwards, expectNothing } from './observe/remembered/expectation.ts';
import { forgetStored } from './observe/stored-certificates.ts';
import { forget } from './observe/remembered/recollection.ts';
import type { World } from '../ports.ts';

/** What this process expects after its own writes, for the run that comes back. Anything doubtful is read in full. */
export function noteWrites(
  look: Look,
  applied: Applied,
  { cloud, clock }: Pick<World, 'cloud' | 'clock'>,
): void {
  const { unit, cluster, observed } = look;
  const { steps, known } = applied;
  if (steps.length === 0) return;
  if (steps.some(({ kind }) => kind === 'secret')) forgetStored(cloud);
  const lb = known.get('lb');
  if (lb && steps.some((step) => lockOf(step) === 'lb')) forget(lb.id, cloud);
  const hasPolicies = look.desired.resources.some(({ kind }) => kind === 'l7policy');
  if (
    !lb ||
    !unit.wanted ||
    look.pending ||
    observed.replacement ||
    isShared(look) ||
    applied.error ||
    hasPolicies ||
    steps.some(changesPlaces)
  ) {
    expectNothing(unit, cloud);
    return;
  }
  const written = { steps, known, name: unit.name, cluster };
  const sinceMs = observed.expectedSinceMs ?? clock.now();
  expectAfterwards(unit, afterwards(observed.resources, written), cloud, sinceMs);
}

/** The next look reads everything, whatever this process wrote. */
export function trustNothing(unit: Unit, { cloud }: Pick<World, 'cloud'>): void {
  expectNothing(unit, cloud);
}

/** Others write it, too, and what they wrote does not show in the status tree. */
function isShared({ observed: { sharing } }: Look): boolean {
  return sharing !== undefined && (sharing.role === 'joiner' || sharing.others.length > 0);
}

/** A pool takes the place of another, or the load balancer goes: what is there then has other addresses. */
function changesPlaces(step: Step): boolean {
  if (step.verb === 'update') return step.changes.some(({ attribute }) => attribute === 'default_pool_id');
  if (step.address.startsWith('lb/')) return true;
  return step.verb === 'delete' && (step.kind === 'loadbalancer' || step.because !== undefined);
}
