import {
  isChildName,
  isControllersName,
  schemeNames,
} from '../../../model/load-balancer/other-controllers.ts';
import { isAdopted, clusterTag, hasTag, serviceTag, TAG_PREFIX, tagValue } from '../../../model/ownership.ts';
import type { ClusterIdentity } from '../../../model/ownership.ts';
import type { ServiceKey } from '../../../model/request.ts';
import type { ObservedResource, WireResource } from '../../../model/resources.ts';
import {
  goTagsIn,
  isGoTagOf,
  isOnIt,
  serviceOfGoTag,
  servicesIn,
  textOf,
} from '../../../model/load-balancer/shared-load-balancer.ts';
import type { Unit } from '../../../model/unit.ts';

/** By what the children of one load balancer are recognised as one Service's. */
export interface Owners {
  readonly cluster: ClusterIdentity;
  readonly key: ServiceKey;
  readonly uid?: string;
  /** The load balancer's tags name other Services: what does not say whose it is may be theirs. */
  readonly shared: boolean;
  /** Tags of the Go provider. */
  readonly tags: readonly string[];
  /** The ends of names given by controllers that used no tags. */
  readonly names: readonly string[];
}

export function ownersOf(unit: Unit, cluster: ClusterIdentity, loadBalancer: WireResource): Owners {
  const uid = unit.service?.metadata.uid;
  const names = schemeNames(cluster, unit.name, uid, loadBalancer);
  // on what is ours already, the Go provider's listeners have its tag or ours
  const isOurs = hasTag(loadBalancer['tags'], clusterTag(cluster));
  const without = isOurs ? names.filter((name) => !name.startsWith('kube_service_')) : names;
  const services = servicesIn(loadBalancer['tags'], cluster);
  return {
    cluster,
    key: unit.name,
    ...(uid === undefined ? {} : { uid }),
    shared: services.some((service) => service !== textOf(unit.name)),
    tags: names,
    names: without,
  };
}

/**
 * By the Service's UID; by the Go provider's tag, which stands beside ours and names the Service, so that a namesake
 * inherits; or, where nobody's tag says otherwise, by the name that a controller gave.
 */
export function ownsListener(owners: Owners, wire: WireResource): boolean {
  const { cluster, uid, names } = owners;
  const tags = wire['tags'];
  if (uid !== undefined && hasTag(tags, serviceTag(uid))) return true;
  const claimed = tagValue(tags, 'cluster');
  if (claimed !== undefined && claimed !== cluster.id) return false;
  if (owners.tags.some((tag) => hasTag(tags, tag))) return true;
  if (claimed !== undefined) return isNamedByNobodyElse(goTagsIn(tags), owners);
  return !isTagged(tags) && isChildName(wire['name'], 'listener', names);
}

/** The Go provider's tags or names of other Services; one that was cut, or none, tells nothing. */
function isNamedByNobodyElse(said: readonly string[], { key, shared }: Owners): boolean {
  const telling = said.filter((tag) => serviceOfGoTag(tag) !== undefined);
  return telling.length > 0 ? telling.some((tag) => isGoTagOf(tag, key)) : !shared;
}

/**
 * Of a pool that no listener uses: yet, when levelset made it for a port, its name being its Service's; any more, when the
 * Go provider lost it on the way. Octavia lists listeners whose policies use it as well.
 */
export function ownsUnusedPool(owners: Owners, wire: WireResource): boolean {
  if (tagValue(wire['tags'], 'port') === undefined) {
    const { listeners } = wire;
    const isUnused = Array.isArray(listeners) && listeners.length === 0;
    return isUnused && isChildName(wire['name'], 'pool', owners.tags);
  }
  return isNamedByNobodyElse([String(wire['name']).replace(/^pool_\d+_/, '')], owners);
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
  if (!isAdopted(pool)) return true;
  const name = wire['name'];
  if (typeof name !== 'string' || name === '') return false;
  const port = Number(wire['protocol_port']);
  if (port >= NODE_PORTS.from && port <= NODE_PORTS.to) return true;
  return all.some((other) => other.id !== wire.id && Number(other['protocol_port']) === port);
}

/** Left behind: nothing on it is this Service's, no tag says that it uses it, and somebody else does. */
export function isGivenUp(
  lb: WireResource,
  children: readonly ObservedResource[],
  { cluster, key, uid, shared }: Owners,
): boolean {
  const isUsed = children.length > 0 || shared;
  return isUsed && !isOnIt(lb['tags'], key, uid, cluster) && children.every(({ owned }) => !owned);
}
