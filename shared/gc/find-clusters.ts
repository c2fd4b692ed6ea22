import { loadBalancerOfPort } from '../model/load-balancer/octavia.ts';
import type { WireResource } from '../model/resources.ts';
import { clustersOf, lastWrittenAt, type Belongings } from './belongings.ts';

/** The kinds that say by themselves which cluster they are of. */
const TAGGED = ['loadBalancers', 'listeners', 'floatingIPs', 'securityGroups', 'secrets'] as const;

/** A cluster whose tag is in the project. */
export interface FoundCluster {
  /** The UID of its namespace kube-system. */
  readonly id: string;
  /** The apiserver that was asked has this UID. */
  readonly isThisOne: boolean;
  /** When something of it was last written in OpenStack, in milliseconds since 1970; 0 if nothing says so. */
  readonly writtenAt: number;
  readonly has: Readonly<Record<(typeof TAGGED)[number], number>>;
}

/** The clusters that a registry leads to. */
export interface NamedClusters {
  /** Names of entries by the UIDs of their clusters. */
  readonly entries: ReadonlyMap<string, string>;
  /** Names of entries whose kube-apiservers have not said which clusters they are. */
  readonly silent: readonly string[];
}

/** The clusters that have something in the project, the one that was written last first. A pool counts with its load balancer. */
export function findClusters(all: Belongings, thisOne: string | undefined): readonly FoundCluster[] {
  const tagged = TAGGED.flatMap((kind) =>
    all[kind].flatMap((wire) => clustersOf(wire).map((id) => ({ id, kind, writtenAt: lastWrittenAt(wire) }))),
  );
  return [...Map.groupBy(tagged, ({ id }) => id)]
    .map(([id, own]) => {
      const counts = TAGGED.map((kind) => [kind, own.filter((one) => one.kind === kind).length]);
      const has = Object.fromEntries(counts) as FoundCluster['has'];
      return {
        id,
        isThisOne: id === thisOne,
        writtenAt: own.reduce((last, one) => Math.max(last, one.writtenAt), 0),
        has,
      };
    })
    .sort((a, b) => b.writtenAt - a.writtenAt);
}

/**
 * VIP ports that Octavia has left: the load balancer in their name is gone. Nothing on them says for which cluster they
 * were, so only a person can tell.
 */
export function forgottenVips({ ports, loadBalancers }: Belongings): readonly WireResource[] {
  const there = new Set(loadBalancers.map(({ id }) => id));
  const vips = new Set(loadBalancers.map((lb) => lb['vip_port_id']));
  return ports.filter((port) => {
    const lb = loadBalancerOfPort(port);
    return lb !== undefined && !there.has(lb) && !vips.has(port.id);
  });
}
