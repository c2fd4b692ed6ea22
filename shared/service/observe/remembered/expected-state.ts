import { isOutsideOctavia } from '../../../model/load-balancer/octavia.ts';
import type { ObservedResource } from '../../../model/resources.ts';
import type { Unit } from '../../../model/unit.ts';
import type { CloudReader, World } from '../../../ports.ts';
import { confirm } from './confirm.ts';

/** Another process may have changed settings meanwhile, which the status tree does not show. */
const VALID_MS = 60_000;

type Remembered = Pick<World['memory'], 'expectedStates'>;

/**
 * What the writes of this process should have led to, so that the run that comes back asks one question instead of one
 * per list. It counts once, and only for a minute. `sinceMs` is the first write after everything was read.
 */
export function expectState(
  unit: Unit,
  resources: readonly ObservedResource[],
  sinceMs: number,
  memory: Remembered,
): void {
  memory.expectedStates.set(unit.key, { uid: unit.service?.metadata.uid, sinceMs, resources });
}

export function forgetExpectedState(unit: Unit, memory: Remembered): void {
  memory.expectedStates.delete(unit.key);
}

/**
 * All that is expected of the unit when the status tree shows exactly that, settings as they were written; only what is
 * beside the load balancer while Octavia is at work on it. Undefined: look for yourself.
 */
export async function confirmExpectedState(
  unit: Unit,
  wantsFloatingIP: boolean,
  { cloud, clock, memory }: CloudReader,
): Promise<{ readonly sinceMs: number; readonly resources: readonly ObservedResource[] } | undefined> {
  const expected = memory.expectedStates.get(unit.key);
  const { uid, sinceMs, resources = [] } = expected ?? {};
  const lb = resources.find(({ kind }) => kind === 'loadbalancer');
  const outsideOctavia = resources.filter(({ kind }) => isOutsideOctavia(kind));
  if (!lb || sinceMs === undefined || clock.now() - sinceMs > VALID_MS) return undefined;
  if (uid !== unit.service?.metadata.uid) return undefined;
  if (wantsFloatingIP !== outsideOctavia.some(({ kind }) => kind === 'floatingip')) return undefined;
  const tree = await cloud.statuses(lb.id);
  if (!tree) return undefined;
  const { provisioning_status } = tree;
  const shown = { ...lb, wire: { ...lb.wire, provisioning_status } };
  if (provisioning_status.startsWith('PENDING_')) return { sinceMs, resources: [shown, ...outsideOctavia] };
  forgetExpectedState(unit, memory);
  const children = confirm(
    resources.filter((resource) => resource !== lb && !outsideOctavia.includes(resource)),
    tree,
  );
  return children && { sinceMs, resources: [shown, ...outsideOctavia, ...children] };
}
