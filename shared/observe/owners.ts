import { isChildName, isControllersName, schemeNames } from '../model/name-schemes.ts';
import { clusterTag, hasTag, TAG_PREFIX, tagValue } from '../model/ownership.ts';
import type { ClusterIdentity } from '../model/ownership.ts';
import type { ObservedResource, WireResource } from '../model/resources.ts';
import type { Unit } from '../model/unit.ts';

/** By what the children of one load balancer are recognised as one Service's. */
export interface Owners {
  readonly cluster: ClusterIdentity;
  /** Tags of the Go provider. */
  readonly tags: readonly string[];
  /** The ends of names given by controllers that used no tags. */
  readonly names: readonly string[];
}

export function ownersOf(unit: Unit, cluster: ClusterIdentity, loadBalancer: WireResource): Owners {
  const names = schemeNames(cluster, unit.name, unit.service?.metadata.uid, loadBalancer);
  // on what is ours already, the Go provider's listeners have its tag or ours
  const isOurs = hasTag(loadBalancer['tags'], clusterTag(cluster));
  const without = isOurs ? names.filter((name) => !name.startsWith('kube_service_')) : names;
  return { cluster, tags: names, names: without };
}

/** Our tag, the Go provider's, or, where nobody's tag says otherwise, the name that a controller gave. */
export function ownsListener(owners: Owners, wire: WireResource): boolean {
  const { cluster, names } = owners;
  const tags = wire['tags'];
  if (hasTag(tags, clusterTag(cluster)) || owners.tags.some((tag) => hasTag(tags, tag))) return true;
  return !isTagged(tags) && isChildName(wire['name'], 'listener', names);
}

/** By the Go provider or by us, for whichever Service. */
function isTagged(tags: unknown): boolean {
  return (
    Array.isArray(tags) &&
    tags.some((tag) => String(tag).startsWith('kube_service_') || String(tag).startsWith(TAG_PREFIX))
  );
}

/** Of a pool that our listener uses: not one that a person put in its place. */
export function ownsPool(wire: WireResource): boolean {
  return tagValue(wire['tags'], 'port') !== undefined || isControllersName(wire['name'], 'pool');
}

/** What kube-apiserver gives as node ports, unless it is told otherwise. */
const NODE_PORTS = { from: 30_000, to: 32_767 };

/**
 * Of a member in our pool: all, when we made the pool. Other controllers name members after nodes, and so may a person:
 * one is somebody's own when it has no name, or a port that is no node port and that no other member has.
 */
export function ownsMember(wire: WireResource, all: readonly WireResource[], pool: WireResource): boolean {
  if (tagValue(pool['tags'], 'port') !== undefined) return true;
  const name = wire['name'];
  if (typeof name !== 'string' || name === '') return false;
  const port = Number(wire['protocol_port']);
  if (port >= NODE_PORTS.from && port <= NODE_PORTS.to) return true;
  return all.some((other) => other.id !== wire.id && Number(other['protocol_port']) === port);
}

/** Left behind, without a tag of ours, since what is still on it is somebody else's. */
export function isGivenUp(lb: WireResource, children: readonly ObservedResource[]): boolean {
  return !isTagged(lb['tags']) && children.length > 0 && children.every(({ owned }) => !owned);
}
