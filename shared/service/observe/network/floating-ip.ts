import { publishedAddresses, requestedFloatingIP } from '../../../model/kubernetes.ts';
import {
  isFloatingIPMadeFor,
  isFloatingIPElsewhere,
  whyNotFree,
} from '../../../model/load-balancer/whose.ts';
import {
  clusterTag,
  floatingIPDescription,
  hasTag,
  loadBalancerName,
  serviceTag,
  tagValue,
  tagValues,
  type ClusterIdentity,
} from '../../../model/ownership.ts';
import { vipsOf, type NetworkQuestion } from '../../../model/network/network-facts.ts';
import { allowsNamespace, outOfReach } from '../../../model/load-balancer/reach-and-limits.ts';
import type { WireResource } from '../../../model/resources.ts';
import type { ServiceObject } from '../../../model/service-object.ts';
import type { Cloud } from '../../../ports.ts';
import type { FoundLoadBalancers } from '../../../model/load-balancer/observed-service.ts';
import { isLeftToOthers, madeForKey } from '../../../model/load-balancer/makers-and-sharers.ts';
import type { ServiceKey } from '../../../model/request.ts';
import { lookUpIfPossible, type ListSource } from '../../../observe/reads.ts';

export interface FoundFloatingIP {
  readonly wire?: WireResource | undefined;
  /** Made for this Service, and used by nothing: its load balancer has another one, or is to have none. */
  readonly leftover?: readonly WireResource[];
  readonly loadBalancerIPTaken?: string;
}

type Found = Pick<FoundLoadBalancers, 'loadBalancer' | 'replacement' | 'duplicates'>;

interface Wish extends Pick<
  NetworkQuestion,
  'external' | 'keeps_floating_ip' | 'only_own_floating_ip' | 'floating_ip_allowed' | 'vip_port_id'
> {
  /** The load balancer is shared, and nothing of the whole changes. */
  readonly staysAsItIs: boolean;
}

/** An internal Service that shares nothing and publishes only VIPs goes on when Neutron's lists fail: the next sweep finds what is left. */
export async function findFloatingIP(
  object: ServiceObject,
  found: Found,
  wish: Wish,
  cluster: ClusterIdentity,
  source: ListSource,
): Promise<FoundFloatingIP> {
  const look = (): Promise<FoundFloatingIP> => lookForOne(object, found, wish, cluster, source.lists);
  const vips = found.loadBalancer ? vipsOf(found.loadBalancer) : [];
  const hasOne = publishedAddresses(object.service).some((address) => !vips.includes(address));
  if (wish.external || wish.staysAsItIs || hasOne || !object.wanted) return look();
  return (await lookUpIfPossible(source, 'floating IPs', look)) ?? {};
}

/**
 * The floating IP on the VIP port, or a replacement's; else that of spec.loadBalancerIP; else an unattached one made for this Service: its load balancer
 * vanished, or it was kept. After the Service joined another load balancer or became internal, that is a leftover. A Service that wants none looks
 * for an unattached one only without a load balancer; then one with the Service's tag counts as well, and a kept one does not.
 */
async function lookForOne(
  object: ServiceObject,
  found: Found,
  intent: Wish,
  cluster: ClusterIdentity,
  cloud: Pick<Cloud, 'list'>,
): Promise<FoundFloatingIP> {
  const { external: wantsOne } = intent;
  const asked = wantsOne && object.service ? requestedFloatingIP(object.service) : undefined;
  const { loadBalancer, replacement, duplicates } = found;
  // a load balancer that is not there yet will have the port that the Service names
  const next = loadBalancer ? replacement : { id: '', vip_port_id: wantsOne && intent.vip_port_id };
  const attached = (await attachedTo(loadBalancer, cloud)) ?? (await attachedTo(next, cloud));
  if (attached && isFloatingIPElsewhere(attached, cluster)) return { loadBalancerIPTaken: ON_VIP };
  // a floating IP to keep may have been detached and not marked yet
  const mayKeep = intent.keeps_floating_ip === true && !wantsOne;
  const looks = object.wanted && !mayKeep && (object.withLeftovers === true || duplicates.length > 0);
  if (attached) {
    return looks
      ? { wire: attached, leftover: await findLeftover(attached, object, found, cluster, cloud) }
      : { wire: attached };
  }
  const ofDuplicate = wantsOne && !asked ? await onDuplicate(object, duplicates, cluster, cloud) : undefined;
  if (ofDuplicate) return { wire: ofDuplicate };
  if (asked) return findAsked(asked, intent, object, cluster, cloud);
  if (loadBalancer && !wantsOne && looks)
    return { leftover: await findLeftover(undefined, object, found, cluster, cloud) };
  if (loadBalancer && !wantsOne) return {};
  const made = await cloud.list('floatingip', { description: floatingIPDescription(cluster, object.name) });
  const borrowed =
    object.service && !wantsOne
      ? await cloud.list('floatingip', { tags: serviceTag(object.service.metadata.uid) })
      : [];
  const left = wantsOne ? await leftBy(loadBalancer && madeForKey(loadBalancer), object, cluster, cloud) : [];
  const mine = await withoutOthers(made, object, found, cluster, cloud);
  const free = [...mine, ...borrowed, ...left].find(
    (ip) =>
      !ip['port_id'] &&
      !isKept(ip, wantsOne) &&
      !isElsewhere(ip, object, cluster) &&
      (object.service !== undefined || hasTag(ip['tags'], clusterTag(cluster))),
  );
  return free ? { wire: free } : {};
}

/** What was made for the Service that has left the load balancer to this one, and is nobody's since. */
async function leftBy(
  maker: ServiceKey | undefined,
  { name, service }: ServiceObject,
  cluster: ClusterIdentity,
  cloud: Pick<Cloud, 'list'>,
): Promise<readonly WireResource[]> {
  if (!maker || !service || (maker.namespace === name.namespace && maker.name === name.name)) return [];
  const made = await cloud.list('floatingip', { description: floatingIPDescription(cluster, maker) });
  return made.filter(({ tags }) => {
    const user = tagValue(tags, 'service');
    const isNobodys = user === undefined || user === service.metadata.uid;
    return hasTag(tags, clusterTag(cluster)) && tagValue(tags, 'kept') === undefined && isNobodys;
  });
}

/** The floating IP of a load balancer that was made twice, and goes: it may have been published. */
async function onDuplicate(
  object: ServiceObject,
  duplicates: readonly WireResource[],
  cluster: ClusterIdentity,
  cloud: Pick<Cloud, 'list'>,
): Promise<WireResource | undefined> {
  const attached = await Promise.all(duplicates.map((duplicate) => attachedTo(duplicate, cloud)));
  return attached.find((ip) => ip && isFloatingIPMadeFor(ip, object.name, cluster));
}

/** Floating IPs made for this very Service, by their whole description, free or on a duplicate. What it names, publishes or keeps stays. */
async function findLeftover(
  inUse: WireResource | undefined,
  object: ServiceObject,
  found: Found,
  cluster: ClusterIdentity,
  cloud: Pick<Cloud, 'list'>,
): Promise<readonly WireResource[]> {
  const made = await cloud.list('floatingip', { description: floatingIPDescription(cluster, object.name) });
  const going = new Set<unknown>(found.duplicates.map((duplicate) => duplicate['vip_port_id']));
  const named = object.service
    ? [requestedFloatingIP(object.service), ...publishedAddresses(object.service)]
    : [];
  const left = made
    .filter((ip) => ip.id !== inUse?.id && (!ip['port_id'] || going.has(ip['port_id'])))
    .filter((ip) => !named.includes(String(ip['floating_ip_address'])))
    .filter((ip) => tagValue(ip['tags'], 'kept') === undefined && !isElsewhere(ip, object, cluster));
  return withoutOthers(left, object, found, cluster, cloud);
}

/**
 * The floating IPs that were made for this Service, without those of a load balancer that it made and has left to others: while
 * somebody has taken one off, only the tag of the Service says whose it is.
 */
async function withoutOthers(
  made: readonly WireResource[],
  { name, service }: ServiceObject,
  { loadBalancer, replacement, duplicates }: Found,
  cluster: ClusterIdentity,
  cloud: Pick<Cloud, 'list'>,
): Promise<readonly WireResource[]> {
  const isOwn = ({ tags }: WireResource): boolean =>
    service !== undefined && hasTag(tags, serviceTag(service.metadata.uid));
  if (made.every(isOwn)) return made;
  const own = new Set([loadBalancer, replacement, ...duplicates].map((lb) => lb?.id));
  const named = await cloud.list('loadbalancer', { name: loadBalancerName(cluster.name, name) });
  const isLeft = named.some((lb) => !own.has(lb.id) && isLeftToOthers(lb, cluster));
  return isLeft ? made.filter(isOwn) : made;
}

async function attachedTo(
  loadBalancer: WireResource | undefined,
  cloud: Pick<Cloud, 'list'>,
): Promise<WireResource | undefined> {
  const port = loadBalancer?.['vip_port_id'];
  return typeof port === 'string' ? (await cloud.list('floatingip', { port_id: port }))[0] : undefined;
}

/** A kept floating IP stays as it is until its Service wants one again. */
function isKept(ip: WireResource, wantsOne: boolean): boolean {
  return !wantsOne && tagValue(ip['tags'], 'kept') !== undefined;
}

/** Whether a floating IP made for this Service went to another cluster, or by the tag `levelset-allow` to another Service. */
function isElsewhere(
  { tags, ...wire }: WireResource,
  { service }: ServiceObject,
  cluster: ClusterIdentity,
): boolean {
  const user = tagValue(tags, 'service');
  const isGiven = tagValues(tags, 'allow').length > 0 && user !== undefined;
  return isFloatingIPElsewhere({ ...wire, tags }, cluster) || (isGiven && user !== service?.metadata.uid);
}

const ON_VIP =
  'is not used: by its tags or its description, the floating IP on the VIP port is another cluster’s; if that is wrong, remove the marks: openstack floating ip unset --tag levelset-cluster=... ID, openstack floating ip set --description "" ID';

async function findAsked(
  address: string,
  { only_own_floating_ip: onlyOwn, floating_ip_allowed: isAllowed }: Wish,
  object: ServiceObject,
  cluster: ClusterIdentity,
  cloud: Pick<Cloud, 'list'>,
): Promise<FoundFloatingIP> {
  const [ip] = await cloud.list('floatingip', { floating_ip_address: address });
  if (!ip) return {};
  if (ip['port_id']) return { loadBalancerIPTaken: 'is a floating IP that is attached to something else' };
  const taken = whyNotFree(ip, object, cluster, isAllowed === true);
  if (taken !== undefined) return { loadBalancerIPTaken: taken };
  const { namespace } = object.name;
  const isOwn = tagValue(ip['tags'], 'kept') !== undefined || isFloatingIPMadeFor(ip, object.name, cluster);
  if (onlyOwn && !isOwn && !allowsNamespace(ip['tags'], namespace)) {
    return { loadBalancerIPTaken: outOfReach(namespace, 'floatingip', address) };
  }
  return { wire: ip };
}
