import { ERRORS, type ReconcileError } from '../../model/errors.ts';
import type { Address } from '../../model/address.ts';
import type { Step } from '../../model/plan.ts';
import type { ObservedResource, WireResource } from '../../model/resources.ts';
import { apply, type Applied, type Means } from '../../apply/apply.ts';

export interface AppliedEach extends Pick<Applied, 'steps' | 'stopped' | 'known'> {
  readonly failed: ReadonlyMap<Address, ReconcileError>;
}

export const NONE_APPLIED: AppliedEach = { steps: [], stopped: false, known: new Map(), failed: new Map() };

const AT_ONCE = 8;

/**
 * Executes steps that do not depend on each other. One that fails stops no other; after a missing right all remaining
 * ones fail with it.
 */
export async function applyEach(
  steps: readonly Step[],
  observed: readonly ObservedResource[],
  means: Means,
): Promise<AppliedEach> {
  const there = new Map(observed.map((resource) => [resource.address, resource]));
  const done: Step[] = [];
  const failed = new Map<Address, ReconcileError>();
  const known = new Map<Address, WireResource>();
  let stopped = false;
  let forbidden: ReconcileError | undefined;
  for (let at = 0; at < steps.length; at += AT_ONCE) {
    const batch = steps.slice(at, at + AT_ONCE);
    if (forbidden) for (const { address } of batch) failed.set(address, forbidden);
    else
      await Promise.all(
        batch.map(async (step) => {
          const resource = there.get(step.address);
          const applied = await apply([step], resource ? [resource] : [], means);
          done.push(...applied.steps);
          for (const [address, wire] of applied.known) known.set(address, wire);
          stopped ||= applied.stopped;
          if (applied.error) failed.set(step.address, applied.error);
        }),
      );
    forbidden ??= [...failed.values()].find(({ code }) => ERRORS[code].disposition === 'operator');
  }
  return { steps: done, stopped, known, failed };
}
