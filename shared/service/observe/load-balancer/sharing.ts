import { goTags, isMadeFor, isMadeForService } from '../../../model/load-balancer/other-controllers.ts';
import { isFloatingIPMadeFor } from '../../../model/load-balancer/floating-ip-owner.ts';
import { clusterTag, hasTag, nameTag } from '../../../model/ownership.ts';
import type { ClusterIdentity } from '../../../model/ownership.ts';
import type { ObservedResource, WireResource } from '../../../model/resources.ts';
import {
  goTagsIn,
  isGoTagOf,
  madeForKey,
  serviceOfGoTag,
  servicesIn,
  textOf,
} from '../../../model/load-balancer/shared-load-balancer.ts';
import type { Sharing } from '../../../model/load-balancer/shared-load-balancer.ts';
import type { Unit } from '../../../model/unit.ts';

/**
 * The Service's role on its load balancer, and the other Services on it, by the tags of the load balancer and of its
 * listeners.
 */
export function sharingOf(
  loadBalancer: WireResource,
  resources: readonly ObservedResource[],
  unit: Unit,
  cluster: ClusterIdentity,
): Sharing {
  const told = servicesIn(loadBalancer['tags'], cluster);
  const listeners = resources.filter(({ kind, owned }) => kind === 'listener' && !owned);
  const own = textOf(unit.name);
  const using = listeners.flatMap(({ wire }) => usersOf(wire, cluster, own));
  const missingTags = listeners.flatMap(({ wire }) => tagsOf(wire, cluster));
  return {
    role: isOwner(loadBalancer, unit, cluster) ? 'owner' : 'joiner',
    others: [...new Set([...told, ...using])].filter((service) => service !== own).sort(),
    missingTags: [...new Set(missingTags)].filter((tag) => !hasTag(loadBalancer['tags'], tag)).sort(),
  };
}

/** Whether the load balancer was made for this Service, or for a namesake before it. */
function isOwner(loadBalancer: WireResource, { name, service }: Unit, cluster: ClusterIdentity): boolean {
  const uid = service?.metadata.uid ?? '';
  const called = String(loadBalancer['name']);
  if (goTags(cluster.name, name).includes(called) || isGoTagOf(called, name)) return true;
  return madeForKey(loadBalancer) === undefined && isMadeFor(loadBalancer, name, uid);
}

/** The Services whose listener this is. A namesake in another cluster appears by its tag. */
function usersOf(
  { tags }: WireResource,
  cluster: ClusterIdentity,
  own: string | undefined,
): readonly string[] {
  return servicesIn(tags, cluster).map((text) =>
    text === own ? (goTagsIn(tags)[0] ?? `a namesake of ${text}`) : text,
  );
}

/**
 * The tags that the load balancer should have for a listener: the Go provider's tag, and for a Service of this cluster
 * also our own.
 */
function tagsOf({ tags }: WireResource, cluster: ClusterIdentity): readonly string[] {
  const go = goTagsIn(tags);
  const isOurs = hasTag(tags, clusterTag(cluster));
  return isOurs ? go.flatMap((tag) => [tag, ...nameTagOf(tag)]) : go;
}

function nameTagOf(tag: string): readonly string[] {
  const key = serviceOfGoTag(tag);
  return key ? [nameTag(key)] : [];
}

/**
 * The resources, with the right owner of the floating IP. The floating IP on the VIP port belongs to the Service that
 * owns the load balancer, while that Service wants it. The last Service that leaves gives the floating IP back, if it
 * was made for that Service or for the owner. For every other Service it is foreign.
 */
export function ofWhom(
  resources: readonly ObservedResource[],
  loadBalancer: WireResource,
  { role, others }: Sharing,
  unit: Unit,
  cluster: ClusterIdentity,
): readonly ObservedResource[] {
  const isLast = !unit.wanted && others.length === 0;
  if (role === 'owner' && (unit.wanted || isLast)) return resources;
  const makers = isMadeForService(loadBalancer)
    ? [unit.name, madeForKey(loadBalancer) ?? unit.name]
    : [unit.name];
  return resources.map((resource) => {
    const isOnIt = resource.wire['port_id'] === loadBalancer['vip_port_id'];
    if (resource.kind !== 'floatingip' || !isOnIt) return resource;
    return {
      ...resource,
      owned: isLast && makers.some((name) => isFloatingIPMadeFor(resource.wire, name, cluster)),
    };
  });
}
