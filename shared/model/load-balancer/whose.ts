/** Whose a resource is: by its tags, and by its name or description if another controller made it. */
import { clusterTag, hasTag, serviceTag, TAG_PREFIX, tagValue, type ClusterIdentity } from '../ownership.ts';
import type { ServiceKey } from '../request.ts';
import type { ObservedResource, Whose, WireResource } from '../resources.ts';
import type { Unit } from '../unit.ts';
import { isChildName, isControllersName, isMadeByController, schemeNames } from './other-controllers.ts';
import {
  goTagsIn,
  isFloatingIPOfIt,
  isGoTagOf,
  isOnIt,
  serviceOfGoTag,
  servicesIn,
  textOf,
} from './shared-load-balancer.ts';
import type { Sharing } from './shared-load-balancer.ts';

/** A load balancer that no controller made for a Service is a person's, who let Services use it. */
export function whoseLoadBalancer(wire: WireResource): Whose {
  if (!isMadeByController(wire)) return 'foreign';
  return tagValue(wire['tags'], 'cluster') === undefined ? 'adoptable' : 'ours';
}

/** The marks that show whether listeners and pools on one load balancer are one Service's. */
export interface Owners {
  readonly cluster: ClusterIdentity;
  readonly key: ServiceKey;
  readonly uid?: string;
  /** The load balancer's tags name other Services, so a child without a mark may be theirs. */
  readonly shared: boolean;
  /** Names that a load balancer of this Service may have. OCCM's names are also its tags. */
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
  // on a load balancer of ours, OCCM's listeners have its tag or ours, so their names do not count
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
 * Whether a listener is the Service's. The tag with the Service's UID says so. If the listener has no other cluster's tag, OCCM's tag
 * also says so: it names the Service, so that a namesake inherits. A listener of this cluster whose tags name no Service is the Service's
 * if the load balancer is not shared. A listener without tags is the Service's by the name that a controller gave it.
 */
export function whoseListener(owners: Owners, wire: WireResource): Whose {
  if (!ownsListener(owners, wire)) return 'foreign';
  return tagValue(wire['tags'], 'cluster') === undefined ? 'adoptable' : 'ours';
}

function ownsListener(owners: Owners, wire: WireResource): boolean {
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
 * Whether OCCM's tags or names (`said`) are for this Service. If none of them names a Service, because it
 * was cut or is missing, the resource is this Service's unless the load balancer is shared.
 */
function isNamedByNobodyElse(said: readonly string[], { key, shared }: Owners): boolean {
  const telling = said.filter((tag) => serviceOfGoTag(tag) !== undefined);
  return telling.length > 0 ? telling.some((tag) => isGoTagOf(tag, key)) : !shared;
}

/** Whether OCCM or levelset tagged the resource, for whichever Service. */
function isTagged(tags: unknown): boolean {
  return (
    Array.isArray(tags) &&
    tags.some((tag) => String(tag).startsWith('kube_service_') || String(tag).startsWith(TAG_PREFIX))
  );
}

/**
 * Whose a pool is. A pool that our listener uses is the Service's if it has our tag or a controller's name; else a person put it there.
 * One of ours that replaced another controller's counts as the other controller's, so that changes go on waiting for approval.
 */
export function whosePool(
  owners: Owners,
  wire: WireResource,
  user: Pick<ObservedResource, 'whose'> | undefined,
): Whose {
  const isUsed = isTaggedPool(wire) || isControllersName(wire['name'], 'pool');
  const isTheServices = user ? user.whose !== 'foreign' && isUsed : ownsUnusedPool(owners, wire);
  if (!isTheServices) return 'foreign';
  return isMadeElsewhere(wire) ? 'adoptable' : 'ours';
}

/** Whether another controller made a pool, or the one whose place it took. Our pools have the tag `levelset-port`. */
export function isMadeElsewhere(pool: WireResource): boolean {
  return !isTaggedPool(pool) || tagValue(pool['tags'], 'replaces') !== undefined;
}

function isTaggedPool({ tags }: WireResource): boolean {
  return tagValue(tags, 'port') !== undefined;
}

/**
 * Whether a pool that is no listener's default pool is the Service's: levelset made it for a port and its name is for no other Service,
 * or it has OCCM's name and no listener uses it. Octavia also lists listeners whose policies use the pool.
 */
function ownsUnusedPool(owners: Owners, wire: WireResource): boolean {
  if (!isTaggedPool(wire)) {
    const { listeners } = wire;
    const isUnused = Array.isArray(listeners) && listeners.length === 0;
    return isUnused && isChildName(wire['name'], 'pool', owners.tags);
  }
  return isNamedByNobodyElse([String(wire['name']).replace(/^pool_\d+_/, '')], owners);
}

/** The range of node ports that kube-apiserver uses by default. */
const NODE_PORTS = { from: 30_000, to: 32_767 };

/**
 * Whose a member is. In a pool that levelset made, every member is ours. In a pool of another controller, a member is a
 * person's own if it has no name, or if its port is no node port and no other member has that port.
 */
export function whoseMember(
  wire: WireResource,
  all: readonly WireResource[],
  pool: Pick<ObservedResource, 'whose'>,
): Whose {
  if (pool.whose === 'ours') return 'ours';
  const name = wire['name'];
  if (typeof name !== 'string' || name === '') return 'foreign';
  const port = Number(wire['protocol_port']);
  const isNodePort = port >= NODE_PORTS.from && port <= NODE_PORTS.to;
  const isOfSeveral = all.some((other) => other.id !== wire.id && Number(other['protocol_port']) === port);
  return isNodePort || isOfSeveral ? 'adoptable' : 'foreign';
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
  return (
    isUsed && !isOnIt(lb['tags'], key, uid, cluster) && children.every(({ whose }) => whose === 'foreign')
  );
}

/**
 * Whose a floating IP is. One that is on the load balancer which the Service leaves to others stays there; the last one
 * takes it along, if it was made for that Service or for the one that the load balancer was made for.
 */
export function whoseFloatingIP(
  wire: WireResource,
  unit: Unit,
  cluster: ClusterIdentity,
  loadBalancer: WireResource | undefined,
  sharing: Sharing | undefined,
): Whose {
  const isMadeForIt = isFloatingIPOfIt(wire, unit.name, loadBalancer, cluster);
  const isOnIt = loadBalancer !== undefined && wire['port_id'] === loadBalancer['vip_port_id'];
  if (!unit.wanted && isOnIt && !(sharing?.decides && sharing.maker === 'this'))
    return isMadeForIt && sharing?.others.length === 0 ? 'ours' : 'foreign';
  if (isMadeForIt) return 'ours';
  return hasTag(wire['tags'], clusterTag(cluster)) ? 'adoptable' : 'foreign';
}
