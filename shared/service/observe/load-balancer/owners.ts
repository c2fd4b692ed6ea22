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

/** The marks that show whether listeners and pools on one load balancer are one Service's. */
export interface Owners {
  readonly cluster: ClusterIdentity;
  readonly key: ServiceKey;
  readonly uid?: string;
  /** The load balancer's tags name other Services, so a child without a mark may be theirs. */
  readonly shared: boolean;
  /** Names that a load balancer of this Service may have. The Go provider's names are also its tags. */
  readonly tags: readonly string[];
  /** The names out of `tags` by which a listener without a tag is recognised. */
  readonly names: readonly string[];
}

export function ownersOf(unit: Unit, cluster: ClusterIdentity, loadBalancer: WireResource): Owners {
  const uid = unit.service?.metadata.uid;
  // a description is rewritten, and says nothing beside a name that tells for whom the load balancer was made
  const names = schemeNames(cluster, unit.name, uid, loadBalancer).filter(
    (name) => serviceOfGoTag(name) === undefined || isGoTagOf(name, unit.name),
  );
  // on a load balancer of ours, the Go provider's listeners have its tag or ours, so their names do not count
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
 * Whether a listener is the Service's. The tag with the Service's UID says so. If the listener has no other cluster's
 * tag, the Go provider's tag also says so: it names the Service, so that a namesake inherits. A listener of this
 * cluster whose tags name no Service is the Service's if the load balancer is not shared. A listener without tags is
 * the Service's by the name that a controller gave it.
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

/**
 * Whether the Go provider's tags or names (`said`) are for this Service. If none of them names a Service, because it
 * was cut or is missing, the resource is this Service's unless the load balancer is shared.
 */
function isNamedByNobodyElse(said: readonly string[], { key, shared }: Owners): boolean {
  const telling = said.filter((tag) => serviceOfGoTag(tag) !== undefined);
  return telling.length > 0 ? telling.some((tag) => isGoTagOf(tag, key)) : !shared;
}

/**
 * Whether a pool that is no listener's default pool is the Service's: levelset made it for a port and its name is for
 * no other Service, or it has the Go provider's name and no listener uses it. Octavia also lists listeners whose
 * policies use the pool.
 */
export function ownsUnusedPool(owners: Owners, wire: WireResource): boolean {
  if (tagValue(wire['tags'], 'port') === undefined) {
    const { listeners } = wire;
    const isUnused = Array.isArray(listeners) && listeners.length === 0;
    return isUnused && isChildName(wire['name'], 'pool', owners.tags);
  }
  return isNamedByNobodyElse([String(wire['name']).replace(/^pool_\d+_/, '')], owners);
}

/** Whether the Go provider or levelset tagged the resource, for whichever Service. */
function isTagged(tags: unknown): boolean {
  return (
    Array.isArray(tags) &&
    tags.some((tag) => String(tag).startsWith('kube_service_') || String(tag).startsWith(TAG_PREFIX))
  );
}

/** Whether a pool that our listener uses is ours: it has our tag or a controller's name. Else a person put it there. */
export function ownsPool(wire: WireResource): boolean {
  return tagValue(wire['tags'], 'port') !== undefined || isControllersName(wire['name'], 'pool');
}

/** The range of node ports that kube-apiserver uses by default. */
const NODE_PORTS = { from: 30_000, to: 32_767 };

/**
 * Whether a member is ours. In a pool that levelset made, every member is. In a pool of another controller, a member is
 * a person's own if it has no name, or if its port is no node port and no other member has that port.
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
 * Whether the Service has left the load balancer: nothing on it is the Service's, no tag of it names the Service, and
 * somebody else uses it.
 */
export function isGivenUp(
  lb: WireResource,
  children: readonly ObservedResource[],
  { cluster, key, uid, shared }: Owners,
): boolean {
  const isUsed = children.length > 0 || shared;
  return isUsed && !isOnIt(lb['tags'], key, uid, cluster) && children.every(({ owned }) => !owned);
}
