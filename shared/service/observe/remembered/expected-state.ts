import type { Key } from '../../../model/request.ts';
import { isOutsideOctavia } from '../../../model/load-balancer/octavia.ts';
import type { ObservedResource } from '../../../model/resources.ts';
import type { Unit } from '../../../model/unit.ts';
import type { Cloud } from '../../../ports.ts';
import { confirm } from './confirm.ts';

/**
 * What the writes of this process should have led to, so that the run that comes back asks one question instead of one
 * per list. It counts once, and only for a minute: another process may have changed settings, which the status tree does
 * not show.
 */
interface ExpectedState {
  readonly uid: string | undefined;
  /** Of the first write after everything was read. */
  readonly sinceMs: number;
  readonly resources: readonly ObservedResource[];
}

const VALID_MS = 60_000;

const expectedStates = new WeakMap<Cloud, Map<Key, ExpectedState>>();

export function expectState(
  unit: Unit,
  resources: readonly ObservedResource[],
  cloud: Cloud,
  sinceMs: number,
): void {
  const memory = expectedStates.get(cloud) ?? new Map<Key, ExpectedState>();
  expectedStates.set(cloud, memory);
  memory.set(unit.key, { uid: unit.service?.metadata.uid, sinceMs, resources });
}

export function forgetExpectedState(unit: Unit, cloud: Cloud): void {
  expectedStates.get(cloud)?.delete(unit.key);
}

/**
 * All that is expected of the unit when the status tree shows exactly that, settings as they were written; only what is
 * beside the load balancer while Octavia is at work on it. Undefined: look for yourself.
 */
export async function confirmExpectedState(
  unit: Unit,
  wantsFloatingIP: boolean,
  cloud: Cloud,
  now: number,
): Promise<{ readonly sinceMs: number; readonly resources: readonly ObservedResource[] } | undefined> {
  const expected = expectedStates.get(cloud)?.get(unit.key);
  const { uid, sinceMs, resources = [] } = expected ?? {};
  const lb = resources.find(({ kind }) => kind === 'loadbalancer');
  const outsideOctavia = resources.filter(({ kind }) => isOutsideOctavia(kind));
  if (!lb || sinceMs === undefined || now - sinceMs > VALID_MS) return undefined;
  if (uid !== unit.service?.metadata.uid) return undefined;
  if (wantsFloatingIP !== outsideOctavia.some(({ kind }) => kind === 'floatingip')) return undefined;
  const tree = await cloud.statuses(lb.id);
  if (!tree) return undefined;
  const { provisioning_status } = tree;
  const shown = { ...lb, wire: { ...lb.wire, provisioning_status } };
  if (provisioning_status.startsWith('PENDING_')) return { sinceMs, resources: [shown, ...outsideOctavia] };
  forgetExpectedState(unit, cloud);
  const children = confirm(
    resources.filter((resource) => resource !== lb && !outsideOctavia.includes(resource)),
    tree,
  );
  return children && { sinceMs, resources: [shown, ...outsideOctavia, ...children] };
}
