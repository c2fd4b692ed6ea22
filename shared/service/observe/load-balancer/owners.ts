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

/** The marks by which the listeners and pools of one load balancer are recognised as one Service's. */
export interface Owners {
  readonly cluster: ClusterIdentity;
  readonly key: ServiceKey;
  readonly uid?: string;
  /** Tags name other Services on the load balancer, so a child without a mark may be theirs. */
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
 * A listener is the Service's by the Service's UID; by the Go provider's tag, which names the Service, so that a
 * namesake inherits; or, where no tag says otherwise, by the name that a controller gave it.
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

/** No Go provider's tag or name tells of another Service. One that was cut, or none, tells nothing. */
function isNamedByNobodyElse(said: readonly string[], { key, shared }: Owners): boolean {
  const telling = said.filter((tag) => serviceOfGoTag(tag) !== undefined);
  return telling.length > 0 ? telling.some((tag) => isGoTagOf(tag, key)) : !shared;
}

/**
 * An unused pool is the Service's if levelset made it for a port and its name is the Service's, or if the Go provider
 * lost it. Octavia lists listeners whose policies use the pool as well.
 */
export function ownsUnusedPool(owners: Owners, wire: WireResource): boolean {
  if (tagValue(wire['tags'], 'port') === undefined) {
    const { listeners } = wire;
    const isUnused = Array.isArray(listeners) && listeners.length === 0;
    return isUnused && isChildName(wire['name'], 'pool', owners.tags);
  }
  return isNamedByNobodyElse([String(wire['name']).replace(/^pool_\d+_/, '')], owners);
}

/** The Go provider or levelset tagged it, for whichever Service. */
function isTagged(tags: unknown): boolean {
  return (
    Array.isArray(tags) &&
    tags.some((tag) => String(tag).startsWith('kube_service_') || String(tag).startsWith(TAG_PREFIX))
  );
}

/** A pool that our listener uses is ours, unless a person put it in the place of ours. */
export function ownsPool(wire: WireResource): boolean {
  return tagValue(wire['tags'], 'port') !== undefined || isControllersName(wire['name'], 'pool');
}

/** The node ports that kube-apiserver gives by default. */
const NODE_PORTS = { from: 30_000, to: 32_767 };

/**
 * A member of a pool that levelset made is ours. In a pool of another controller a member is a person's own if it has no
 * name, or a port that is no node port and that no other member has.
 */
export function ownsMember(wire: WireResource, all: readonly WireResource[], pool: WireResource): boolean {
  if (!isAdopted(pool)) return true;
  const name = wire['name'];
  if (typeof name !== 'string' || name === '') return false;
  const port = Number(wire['protocol_port']);
  if (port >= NODE_PORTS.from && port <= NODE_PORTS.to) return true;
  return all.some((other) => other.id !== wire.id && Number(other['protocol_port']) === port);
}

/**
 * The Service has left the load balancer: nothing on it is the Service's, no tag names the Service, and another Service
 * uses it.
 */
export function isGivenUp(
  lb: WireResource,
  children: readonly ObservedResource[],
  { cluster, key, uid, shared }: Owners,
): boolean {
  const isUsed = children.length > 0 || shared;
  return isUsed && !isOnIt(lb['tags'], key, uid, cluster) && children.every(({ owned }) => !owned);
}
