/** Whose a resource is: by its tags, and by its name or description if another controller made it. */
import type { ServiceKey } from '../request.ts';
import {
  clusterTag,
  hasTag,
  serviceTag,
  TAG_PREFIX,
  tagValue,
  type ClusterIdentity,
  floatingIPDescription,
  goFloatingIPText,
  keptTag,
  tagValues,
} from '../ownership.ts';
import type { ObservedResource, Whose, WireResource } from '../resources.ts';
import type { ServiceObject } from '../service-object.ts';
import {
  isChildName,
  isControllersName,
  isMadeByController,
  schemeNames,
  goTagsIn,
  madeForKey,
  isGoTagOf,
  isOnIt,
  serviceOfGoTag,
  servicesIn,
  textOf,
} from './makers-and-sharers.ts';
import type { Sharing } from './observed-service.ts';
import { allowsNamespace } from './reach-and-limits.ts';

/** Who made the load balancer that was found. One that no controller made for a Service is a person's, who let Services use it. */
export function whoseLoadBalancer(wire: WireResource): Whose {
  if (!isMadeByController(wire)) return 'foreign';
  return tagValue(wire['tags'], 'cluster') === undefined ? 'adoptable' : 'ours';
}

/** Whether another controller or a person made a load balancer or a pool, so that differences wait for approval. */
export function isOfAnotherMaker({ kind, whose, wire }: ObservedResource): boolean {
  if (kind === 'pool') return whose === 'adoptable';
  return kind === 'loadbalancer' && !(whose === 'ours' && String(wire['name']).startsWith('kube_service_'));
}

export interface Owners {
  readonly cluster: ClusterIdentity;
  readonly key: ServiceKey;
  readonly uid?: string;
  /** The load balancer's tags name other Services, so a child without a mark may be theirs. */
  readonly shared: boolean;
  /** Names that a load balancer of this Service may have. OCCM's names are also its tags. */
  readonly tags: readonly string[];
  readonly names: readonly string[];
}

export function ownersOf(
  object: ServiceObject,
  cluster: ClusterIdentity,
  loadBalancer: WireResource,
): Owners {
  const uid = object.service?.metadata.uid;
  // a description is rewritten, and says nothing beside a name that tells for whom the load balancer was made
  const names = schemeNames(cluster, object.name, uid, loadBalancer).filter(
    (name) => serviceOfGoTag(name) === undefined || isGoTagOf(name, object.name),
  );
  // on a load balancer of ours, OCCM's listeners have its tag or ours, so their names do not count
  const isOurs = hasTag(loadBalancer['tags'], clusterTag(cluster));
  const without = isOurs ? names.filter((name) => !name.startsWith('kube_service_')) : names;
  const services = servicesIn(loadBalancer['tags'], cluster);
  return {
    cluster,
    key: object.name,
    ...(uid === undefined ? {} : { uid }),
    shared: services.some((service) => service !== textOf(object.name)),
    tags: names,
    names: without,
  };
}

/**
 * A listener is the Service's by the tag with its UID; without another cluster's tag also by OCCM's, which a namesake inherits. If its tags name
 * no Service it counts unless the load balancer is shared, and without tags by the name that a controller gave it.
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

/** Whether OCCM's tags or names (`said`) are for this Service. Cut or missing ones are, unless the load balancer is shared. */
function isNamedByNobodyElse(said: readonly string[], { key, shared }: Owners): boolean {
  const telling = said.filter((tag) => serviceOfGoTag(tag) !== undefined);
  return telling.length > 0 ? telling.some((tag) => isGoTagOf(tag, key)) : !shared;
}

function isTagged(tags: unknown): boolean {
  return (
    Array.isArray(tags) &&
    tags.some((tag) => String(tag).startsWith('kube_service_') || String(tag).startsWith(TAG_PREFIX))
  );
}

/** Without our tag or a controller's name a pool is a person's. Ours in a controller's place counts as that one's: changes wait for approval. */
export function whosePool(
  owners: Owners,
  wire: WireResource,
  user: Pick<ObservedResource, 'whose'> | undefined,
): Whose {
  const isUsed = isTaggedPool(wire) || isControllersName(wire['name'], 'pool');
  const isTheServices = user ? user.whose !== 'foreign' && isUsed : ownsUnusedPool(owners, wire);
  if (!isTheServices) return 'foreign';
  return isMadeByAnother(wire) ? 'adoptable' : 'ours';
}

/** Whether another controller made a pool, or the one whose place it took. Our pools have the tag `levelset-port`. */
export function isMadeByAnother(pool: WireResource): boolean {
  return !isTaggedPool(pool) || tagValue(pool['tags'], 'replaces') !== undefined;
}

function isTaggedPool({ tags }: WireResource): boolean {
  return tagValue(tags, 'port') !== undefined;
}

/** Whether a pool that is no default pool is the Service's. Octavia also lists listeners whose policies use the pool. */
function ownsUnusedPool(owners: Owners, wire: WireResource): boolean {
  if (!isTaggedPool(wire)) {
    const { listeners } = wire;
    const isUnused = Array.isArray(listeners) && listeners.length === 0;
    return isUnused && isChildName(wire['name'], 'pool', owners.tags);
  }
  return isNamedByNobodyElse([String(wire['name']).replace(/^pool_\d+_/, '')], owners);
}

const NODE_PORTS = { from: 30_000, to: 32_767 };

/** A member of another controller's pool is a person's without a name, or at a port that is no node port and no other member's. */
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

/** Whether nothing on the load balancer and no tag of it is the Service's, and somebody else uses it. */
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
 * By tags and description (decision 161). A floating IP on a load balancer left to others stays. The last Service takes it along, if it was made
 * for that one or for the first.
 */
export function whoseFloatingIP(
  wire: WireResource,
  object: ServiceObject,
  cluster: ClusterIdentity,
  loadBalancer: WireResource | undefined,
  sharing: Sharing | undefined,
): Whose {
  const isMadeForIt = isFloatingIPOfIt(wire, object.name, loadBalancer, cluster);
  const isOnVip = loadBalancer !== undefined && wire['port_id'] === loadBalancer['vip_port_id'];
  if (!object.wanted && isOnVip && !(sharing?.decides && sharing.maker === 'this'))
    return isMadeForIt && sharing?.others.length === 0 ? 'ours' : 'foreign';
  if (isMadeForIt) return 'ours';
  return hasTag(wire['tags'], clusterTag(cluster)) ? 'adoptable' : 'foreign';
}

/** Whether a floating IP was made for this Service, or for the maker of the load balancer, which has left it. */
function isFloatingIPOfIt(
  floatingIP: WireResource,
  name: ServiceKey,
  loadBalancer: WireResource | undefined,
  cluster: ClusterIdentity,
): boolean {
  const maker = loadBalancer && madeForKey(loadBalancer);
  return [name, maker ?? name].some((key) => isFloatingIPMadeFor(floatingIP, key, cluster));
}

interface FloatingIPAsker {
  readonly name: ServiceKey;
  readonly service?: { readonly metadata: { readonly uid: string } } | undefined;
}

/** How a description of levelset ends, after OCCM's text. */
const HASH = /\(levelset [0-9a-f]{12}\)$/;

/** Whether levelset or OCCM made a floating IP for this very Service: only then it may be deleted. A mark of another cluster excludes it. */
export function isFloatingIPMadeFor(wire: WireResource, name: ServiceKey, cluster: ClusterIdentity): boolean {
  if (isFloatingIPElsewhere(wire, cluster)) return false;
  const text = String(wire['description']);
  const start = `${goFloatingIPText(name)} from cluster `;
  if (HASH.test(text))
    return text.startsWith(start) && hashOf(text) === hashOf(floatingIPDescription(cluster, name));
  return text === `${start}${cluster.name}`;
}

/** Whether a floating IP is another cluster's: by a tag, or else by the end of levelset's own description. */
export function isFloatingIPElsewhere(wire: WireResource, cluster: ClusterIdentity): boolean {
  const tagged = tagValues(wire['tags'], 'cluster');
  if (tagged.length > 0) return tagged.some((id) => id !== cluster.id);
  const text = String(wire['description']);
  return HASH.test(text) && serviceDescribed(text) !== undefined && !isDescribedFor(wire, cluster);
}

/** Whether levelset's own description says that the floating IP was made for a Service of this cluster, whatever its name was. */
export function isDescribedFor({ description }: WireResource, { id }: Pick<ClusterIdentity, 'id'>): boolean {
  const text = String(description);
  const made = serviceDescribed(text);
  return (
    made !== undefined &&
    HASH.test(text) &&
    hashOf(text) === hashOf(floatingIPDescription({ id, name: '' }, made))
  );
}

/** Whether levelset made the floating IP for a Service of this cluster, and its tags are gone or were never written. */
export function isUntagged(wire: WireResource, cluster: Pick<ClusterIdentity, 'id'>): boolean {
  const hasOurTags = [wire['tags']].flat().some((tag) => String(tag).startsWith(TAG_PREFIX));
  return !hasOurTags && isDescribedFor(wire, cluster);
}

/** Why a Service may not have a free floating IP that it names; undefined with consent: a tag on it, or the operator's word (`isAllowed`). */
export function whyNotFree(
  wire: WireResource,
  { name, service }: FloatingIPAsker,
  cluster: ClusterIdentity,
  isAllowed: boolean,
): string | undefined {
  if (isFloatingIPElsewhere(wire, cluster))
    return `is a floating IP of another cluster, as its tags or its description say; delete the Service that has it there, then remove the marks: openstack floating ip unset --tag levelset-cluster=... ${wire.id}, openstack floating ip set --description "" ${wire.id}`;
  const { tags } = wire;
  if (isAllowed || allowsNamespace(tags, name.namespace)) return undefined;
  if (hasTag(tags, keptTag(cluster, name.namespace))) return undefined;
  const owner = ownerInWords(wire, { name, service }, cluster);
  if (owner === undefined) return undefined;
  const address = String(wire['floating_ip_address']);
  return `is a floating IP ${owner}; to use it here, allow it by the tag levelset-allow=${name.namespace} on the floating IP, or by --allowed-references=${name.namespace}/floatingip/${address}; if a Service of this namespace has it, you can also delete that Service while it has keep-floatingip`;
}

function ownerInWords(
  wire: WireResource,
  { name, service }: FloatingIPAsker,
  cluster: ClusterIdentity,
): string | undefined {
  const { tags } = wire;
  const kept = tagValue(tags, 'kept');
  if (kept !== undefined) return `that is kept for another namespace, ${kept.split('/')[1] ?? ''}`;
  if (isFloatingIPMadeFor(wire, name, cluster)) return undefined;
  if (service && hasTag(tags, serviceTag(service.metadata.uid))) return undefined;
  const made = serviceDescribed(String(wire['description']));
  const uid = tagValue(tags, 'service');
  if (uid !== undefined)
    return made ? `of Service ${textOf(made)}` : `of another Service, whose UID is ${uid}`;
  if (!made) return undefined;
  const of = /from cluster (.*)$/.exec(String(wire['description']))?.[1] ?? '';
  const isNamesake = made.namespace === name.namespace && made.name === name.name;
  return isNamesake
    ? `that was made for a Service of this very name under the cluster name ${of}, while --cluster-name is ${cluster.name}`
    : `that was made for Service ${textOf(made)} of cluster ${of}`;
}

const DESCRIBED = new RegExp(
  `^${goFloatingIPText({ namespace: '([^/ ]+)', name: '([^ ]+)' })} from cluster `,
);

export function serviceDescribed(description: string): ServiceKey | undefined {
  const [, namespace, name] = DESCRIBED.exec(description) ?? [];
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}

function hashOf(text: string): string | undefined {
  return HASH.exec(text)?.[0];
}
