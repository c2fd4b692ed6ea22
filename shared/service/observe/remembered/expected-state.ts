import type { ExpectedState } from '../../../memory/memory.ts';
import { isLocked, isOutsideOctavia } from '../../../model/load-balancer/octavia.ts';
import type { StatusPool, StatusTree } from '../../../model/load-balancer/octavia.ts';
import type { ObservedResource, WireResource } from '../../../model/resources.ts';
import type { Unit } from '../../../model/unit.ts';
import type { CloudReader, World } from '../../../ports.ts';
import { memberOf } from '../children.ts';

/**
 * An expected state counts for so long: somebody beside levelset may change settings, and the status tree does not show
 * these.
 */
const VALID_MS = 60_000;

type Remembered = Pick<World['memory'], 'expectedStates'>;

/**
 * Remembers the state that the writes of this process should lead to, so that the next run makes one call instead of
 * one for each list. The state counts for a minute: in every run while Octavia holds its lock, and once more after
 * that. `sinceMs` is the time of the first write after everything was read.
 */
export function expectState(unit: Unit, state: Omit<ExpectedState, 'uid'>, memory: Remembered): void {
  memory.expectedStates.set(unit.key, { ...state, uid: unit.service?.metadata.uid });
}

export function forgetExpectedState(unit: Unit, memory: Remembered): void {
  memory.expectedStates.delete(unit.key);
}

/** The state that our own writes led to, as the status tree confirms it. */
export interface ConfirmedState {
  /** The time of the first of these writes, in milliseconds since 1970. */
  readonly sinceMs: number;
  readonly loadBalancer: WireResource;
  /** Empty while Octavia is at work on the load balancer. Settings are as they were written. */
  readonly children: readonly ObservedResource[];
  /** Resources outside Octavia as they were written. They are not confirmed, since the tree does not show them. */
  readonly outsideOctavia: readonly ObservedResource[];
}

/**
 * Compares the expected state with the status tree, in one call of OpenStack. After a run that has only made members, and whose load
 * balancer the poller has found ACTIVE since, there is none: the next sweep compares what is on it (decision 326). Undefined if no state is expected, if
 * another process has had the lease since, or if the tree shows something else: then everything has to be read. `isRight`
 * says whether the load balancer is still the one that the Service asks for.
 */
export async function confirmExpectedState(
  unit: Unit,
  isRight: (loadBalancer: WireResource) => boolean,
  { cloud, clock, memory }: CloudReader,
): Promise<ConfirmedState | undefined> {
  const expected = memory.expectedStates.get(unit.key);
  if (!expected || clock.now() - expected.sinceMs > VALID_MS) return undefined;
  const { uid, sinceMs, resources, onlyMembersMade } = expected;
  const lb = resources.find(({ kind }) => kind === 'loadbalancer');
  if (!lb || uid === undefined || uid !== unit.service?.metadata.uid || !isRight(lb.wire)) return undefined;
  const isFreed = memory.freed.get(lb.id) === unit.key;
  memory.freed.delete(lb.id);
  const tree = isFreed && onlyMembersMade ? 'not asked' : await cloud.statuses(lb.id);
  if (!tree) return undefined;
  const outsideOctavia = resources.filter(({ kind }) => isOutsideOctavia(kind));
  const inside = resources.filter((resource) => resource !== lb && !outsideOctavia.includes(resource));
  const provisioning_status = tree === 'not asked' ? 'ACTIVE' : tree.provisioning_status;
  const loadBalancer = { ...lb.wire, provisioning_status };
  if (isLocked(loadBalancer)) return { sinceMs, loadBalancer, children: [], outsideOctavia };
  forgetExpectedState(unit, memory);
  const children = tree === 'not asked' ? inside.map(finished) : confirm(inside, tree);
  return children && { sinceMs, loadBalancer, children, outsideOctavia };
}

/** As Octavia leaves what it was at work on. What was in ERROR before stays so. */
function finished(child: ObservedResource): ObservedResource {
  return isLocked(child.wire) ? { ...child, wire: { ...child.wire, provisioning_status: 'ACTIVE' } } : child;
}

/**
 * The expected children with their ids, if the status tree shows exactly these and all of them are ACTIVE. Undefined if
 * anything differs, or if there are policies, which are few and always read. The tree shows no settings.
 */
function confirm(
  expected: readonly ObservedResource[],
  tree: StatusTree,
): readonly ObservedResource[] | undefined {
  if (expected.some(({ kind }) => kind === 'l7policy')) return undefined;
  const pools = new Map(tree.listeners.flatMap((listener) => listener.pools).map((pool) => [pool.id, pool]));
  const listeners = tree.listeners.map(({ id }) => id);
  const everything = [tree, ...tree.listeners, ...pools.values(), ...[...pools.values()].flatMap(contents)];
  if (everything.some(({ provisioning_status: status }) => status !== 'ACTIVE')) return undefined;
  if (
    !sameIds(idsOf(expected, 'listener'), listeners) ||
    !sameIds(idsOf(expected, 'pool'), [...pools.keys()])
  ) {
    return undefined;
  }
  const confirmed = expected.filter(({ kind }) => kind === 'listener' || kind === 'pool');
  for (const pool of confirmed.filter(({ kind }) => kind === 'pool')) {
    const shown = pools.get(pool.id);
    const below = shown && contentsOf(pool, shown, expected);
    if (!below) return undefined;
    confirmed.push(...below);
  }
  return confirmed.map((child) => ({ ...child, wire: { ...child.wire, provisioning_status: 'ACTIVE' } }));
}

function contentsOf(
  pool: ObservedResource,
  shown: StatusPool,
  expected: readonly ObservedResource[],
): readonly ObservedResource[] | undefined {
  const under = expected.filter(({ parent }) => parent === pool.address);
  const ids = new Map(
    shown.members.map((member) => [memberOf(pool.address, { ...member }).address, member.id]),
  );
  const monitor = shown.health_monitor?.id;
  const found = under.flatMap((child) => {
    const id = child.kind === 'healthmonitor' ? monitor : ids.get(child.address);
    return id === undefined || (child.id !== '' && child.id !== id)
      ? []
      : [{ ...child, id, wire: { ...child.wire, id } }];
  });
  const count = shown.members.length + (monitor === undefined ? 0 : 1);
  return found.length === under.length && found.length === count ? found : undefined;
}

const contents = ({ members, health_monitor: monitor }: StatusPool) => [
  ...members,
  ...(monitor ? [monitor] : []),
];

function idsOf(resources: readonly ObservedResource[], kind: string): readonly string[] {
  return resources.filter((resource) => resource.kind === kind).map(({ id }) => id);
}

function sameIds(a: readonly string[], b: readonly string[]): boolean {
  return [...a].sort().join() === [...b].sort().join();
}
