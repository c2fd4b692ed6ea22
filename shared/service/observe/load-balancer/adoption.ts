import { publishedAddresses, type Service } from '../../../model/kubernetes.ts';
import { DESCRIPTION_MARK, namedId, tagValue, type ClusterIdentity } from '../../../model/ownership.ts';
import {
  isMadeFor,
  kinxLoadBalancerName,
  legacyLoadBalancerName,
} from '../../../model/load-balancer/makers-and-sharers.ts';
import { vipsOf } from '../../../model/network/network-facts.ts';
import type { ServiceKey } from '../../../model/request.ts';
import type { WireResource } from '../../../model/resources.ts';
import type { ServiceObject } from '../../../model/service-object.ts';
import type { Cloud } from '../../../ports.ts';

type Lists = Pick<Cloud, 'list'>;

/**
 * With OCCM's tag the proof is the annotation's id, or a description of the Service with its published address: the cluster name `kubernetes` is
 * everybody's default, so the tag alone proves nothing (decision 10).
 */
export async function provenByTag(
  tagged: readonly WireResource[],
  service: Service,
  cloud: Lists,
): Promise<readonly WireResource[]> {
  const free = tagged.filter(isFree);
  const named = free.filter(({ id }) => id === namedId(service));
  if (named.length > 0) return named;
  return filterAsync(
    free,
    async (lb) => isDescribed(lb, service.metadata) && (await isPublished(lb, service, cloud)),
  );
}

/**
 * Without a tag only the annotation's id (`named`) counts, else kinx's name, else at the published address the older controllers' name. In each
 * case name or description must say this Service.
 */
export async function findByName(
  object: ServiceObject,
  named: readonly WireResource[] | undefined,
  cluster: ClusterIdentity,
  cloud: Lists,
): Promise<readonly WireResource[]> {
  const { service, name } = object;
  if (!service) return [];
  const { uid } = service.metadata;
  const isOurs = (lb: WireResource): boolean => isFree(lb) && isMadeFor(lb, name, uid);
  if (named) return named.filter(isOurs);
  for (const asked of [kinxLoadBalancerName(cluster.name, name), legacyLoadBalancerName(uid)]) {
    const found = (await cloud.list('loadbalancer', { name: asked })).filter(isOurs);
    const proven = await filterAsync(found, (lb) => isPublished(lb, service, cloud));
    if (proven.length > 0) return proven;
  }
  return [];
}

function isFree(lb: WireResource): boolean {
  return tagValue(lb['tags'], 'cluster') === undefined && lb['provisioning_status'] !== 'DELETED';
}

export function isDescribed(lb: WireResource, { namespace, name }: ServiceKey): boolean {
  return `${String(lb['description'])} `.includes(`${DESCRIPTION_MARK}${namespace}/${name} `);
}

async function isPublished(lb: WireResource, service: Service, cloud: Lists): Promise<boolean> {
  const published = publishedAddresses(service);
  if (published.length === 0) return false;
  if (vipsOf(lb).some((vip) => published.includes(vip))) return true;
  const attached = await cloud.list('floatingip', { port_id: String(lb['vip_port_id']) });
  return attached.some((ip) => published.includes(String(ip['floating_ip_address'])));
}

async function filterAsync<T>(
  items: readonly T[],
  keeps: (item: T) => Promise<boolean>,
): Promise<readonly T[]> {
  const kept = await Promise.all(items.map(keeps));
  return items.filter((_, at) => kept[at]);
}
