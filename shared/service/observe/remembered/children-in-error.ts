import { isChildInError } from '../../../model/load-balancer/octavia.ts';
import type { Step } from '../../../model/plan.ts';
import type { ObservedResource } from '../../../model/resources.ts';
import type { World } from '../../../ports.ts';

type Remembered = Pick<World, 'memory' | 'clock'>;

/** So long after a write a child that is in ERROR again is left alone, in milliseconds. Each write loads Octavia anew. */
const REST_MS = 60_000;

/** Notes the children in ERROR that were written, so that those which stay in ERROR are not written in every run. */
export function noteWritesInError(
  steps: readonly Step[],
  observed: readonly ObservedResource[],
  { memory, clock }: Remembered,
): void {
  const written = new Set(steps.flatMap(({ verb, address }) => (verb === 'members' ? [] : address)));
  const batches = new Set(steps.flatMap(({ verb, address }) => (verb === 'members' ? address : [])));
  for (const child of observed.filter(isChildInError)) {
    const inBatch = child.kind === 'member' && batches.has(child.parent ?? '');
    if (inBatch || written.has(child.address)) memory.writtenInError.set(child.id, clock.now());
  }
}

/** Ids of children that were written in ERROR less than a minute ago. */
export function writtenLately({ memory, clock }: Remembered): ReadonlySet<string> {
  const ids = [...memory.writtenInError].filter(([, at]) => clock.now() - at < REST_MS);
  return new Set(ids.map(([id]) => id));
}
