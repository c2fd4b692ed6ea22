import type { ObservedResource } from '../../../model/resources.ts';
import type { StatusPool, StatusTree } from '../../../model/load-balancer/octavia.ts';
import { memberOf } from '../pool-contents.ts';

/**
 * The children that are expected, with the ids that were missing, when the status tree shows exactly these and all of
 * them ACTIVE; undefined when anything is different, or when there are policies, which are read (they are few). Settings are
 * not in the tree: only our own writes may be expected.
 */
export function confirm(
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
  return confirmed;
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
