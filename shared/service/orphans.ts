import type { Config } from '../config/config.ts';
import type { Service } from '../model/kubernetes.ts';
import {
  goTags,
  isLeftToOthers,
  goTagsIn,
  madeForKey,
  serviceOfGoTag,
  textOf,
} from '../model/load-balancer/makers-and-sharers.ts';
import { isUntagged, serviceDescribed } from '../model/load-balancer/whose.ts';
import { clusterTag, hasTag, tagValue, tagValues, type ClusterIdentity } from '../model/ownership.ts';
import { onceFor } from '../model/once-for.ts';
import { keyOf, parseKey, type Key } from '../model/request.ts';
import type { WireResource } from '../model/resources.ts';
import { readStoredName } from '../model/tls/certificate-facts.ts';
import { foundIn, type Project } from './observe/project.ts';
import { wantsLoadBalancer, whyReleased } from './service-object.ts';

export interface Orphan {
  readonly key: Key;
  readonly kind: 'loadbalancer' | 'securitygroup' | 'floatingip' | 'secret';
  readonly wire: WireResource;
}

interface Orphans {
  readonly orphans: readonly Orphan[];
  readonly warnings: readonly string[];
}

/**
 * A floating IP counts only with our tags, if it is attached to no port and not kept; one without tags is only told of. All deletions of a sweep begin
 * here: after the quarantine it queues the key, and the run asks for the Service again and keeps to the budget (decision 151). A list that failed
 * yields no orphans.
 */
export function findOrphans(
  services: readonly Service[],
  project: Project,
  cluster: ClusterIdentity,
  config: Config,
): Orphans {
  const live = services.filter((service) => isLookedAfter(service, config));
  const isOrphan = (wire: WireResource): boolean =>
    !uidsOf(live).has(tagValue(wire['tags'], 'service') ?? '');
  // on the load balancer that it left, another Service may want the floating IP back that somebody took off
  const leftToOthers = new Set(
    foundIn(project.loadBalancers)
      .filter((lb) => isLeftToOthers(lb, cluster))
      .map((lb) => textOf(madeForKey(lb))),
  );
  const found = [
    ...foundIn(project.loadBalancers).flatMap((wire) =>
      goneFrom(wire, services, live, cluster).map((name) => ({ kind: 'loadbalancer', name, wire }) as const),
    ),
    ...foundIn(project.securityGroups)
      .filter(isOrphan)
      .map((wire) => ({ kind: 'securitygroup', name: tagValue(wire['tags'], 'name'), wire }) as const),
    ...foundIn(project.floatingIPs)
      .filter((ip) => !tagValue(ip['tags'], 'kept') && !ip['port_id'])
      .map((wire) => ({ kind: 'floatingip', name: nameInDescription(wire), wire }) as const)
      .filter(({ wire }) => hasTag(wire['tags'], clusterTag(cluster)) && isOrphan(wire))
      .filter(({ name }) => !leftToOthers.has(name)),
    ...foundIn(project.secrets).flatMap((wire) =>
      leftBehind(wire, cluster, live).map((name) => ({ kind: 'secret', name, wire }) as const),
    ),
  ];
  const orphans = found.flatMap(({ kind, name, wire }) => {
    const key = parseKey(`service/${name ?? ''}`);
    return key === undefined ? [] : [{ key, kind, wire }];
  });
  const lost = found.filter(({ name }) => name === undefined).length;
  return {
    orphans,
    warnings: [
      ...(lost > 0
        ? [
            `${lost} resources in OpenStack have the tag of this cluster and do not say for which Service they were, so levelset keeps them; levelset gc -o wide shows all that have the tag`,
          ]
        : []),
      ...inWords(
        foundIn(project.floatingIPs).filter(
          (ip) => !ip['port_id'] && isUntagged(ip, cluster) && !namesOf(live).has(nameInDescription(ip)),
        ),
      ),
    ],
  };
}

function inWords(untagged: readonly WireResource[]): readonly string[] {
  if (untagged.length === 0) return [];
  const names = untagged.map(
    (ip) => `${String(ip['floating_ip_address'])} (made for ${nameInDescription(ip) ?? ''})`,
  );
  const ids = untagged.map(({ id }) => id).join(' ');
  return [
    `levelset keeps these floating IPs, which it made for Services that are gone, since without its tags nothing says whether somebody else has had them since: ${names.join(', ')}. If they are nobody's, run: openstack floating ip delete ${ids}`,
  ];
}

/** Whether the Service wants a load balancer, or was released, so that nothing of it is deleted without approval. */
function isLookedAfter(service: Service, config: Config): boolean {
  return wantsLoadBalancer(service, config) || whyReleased(service, config) !== undefined;
}

/**
 * A Service that is gone counts, and so does a living namesake, which inherits. A Service that only OCCM's tag names may be another controller's, so
 * it counts only if there is no Service of that name at all. `[undefined]`: the tags name none.
 */
function goneFrom(
  { tags }: WireResource,
  all: readonly Service[],
  live: readonly Service[],
  cluster: ClusterIdentity,
): readonly (string | undefined)[] {
  const names = tagValues(tags, 'name');
  const isIn = (services: readonly Service[], name: string): boolean => namesOf(services).has(name);
  const uid = tagValue(tags, 'service');
  const isNamesake = names.length === 1 && uid !== undefined && !uidsOf(live).has(uid);
  const byGoTag = goTagsIn(tags).flatMap((tag) => {
    const key = serviceOfGoTag(tag);
    const name = textOf(key);
    return key && name !== undefined && goTags(cluster.name, key).includes(tag) ? [name] : [];
  });
  const gone = [
    ...names.filter((name) => isNamesake || !isIn(live, name)),
    ...byGoTag.filter((name) => !names.includes(name) && !isIn(all, name)),
  ];
  return names.length + byGoTag.length === 0 ? [undefined] : gone;
}

/** A certificate has no tags, but a name. */
function leftBehind(
  { name }: WireResource,
  cluster: ClusterIdentity,
  live: readonly Service[],
): readonly string[] {
  const owner = textOf(readStoredName(name, cluster)?.service);
  return owner === undefined || namesOf(live).has(owner) ? [] : [owner];
}

const namesOf = onceFor(
  (services: readonly Service[]): ReadonlySet<string | undefined> =>
    new Set(services.map((service) => textOf(keyOf(service)))),
);

const uidsOf = onceFor(
  (services: readonly Service[]): ReadonlySet<string> =>
    new Set(services.map(({ metadata }) => metadata.uid)),
);

function nameInDescription(wire: WireResource): string | undefined {
  return textOf(serviceDescribed(String(wire['description'])));
}
