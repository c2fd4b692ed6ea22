import type { Config } from './config/config.ts';
import type { Service } from './model/kubernetes.ts';
import { clusterTag, goFloatingIPText, hasTag, tagValue } from './model/ownership.ts';
import type { ClusterIdentity } from './model/ownership.ts';
import { parseKey } from './model/request.ts';
import type { Key } from './model/request.ts';
import type { WireResource } from './model/resources.ts';
import { readStoredName } from './model/stored-certificate.ts';
import type { Project } from './observe/project.ts';
import { hasFinalizer, wantsLoadBalancer } from './unit.ts';

export interface Orphans {
  readonly keys: readonly Key[];
  readonly warnings: readonly string[];
  /** The lists cannot both be right: nothing at all is to be taken away because of them. */
  readonly doubtful: boolean;
}

/**
 * What is ours in OpenStack and has no Service that wants it. The key goes to reconcile, which asks the apiserver for
 * that very Service before it deletes. No Services at all where load balancers are ours looks like a wrong answer.
 */
export function findOrphans(
  services: readonly Service[],
  project: Project,
  cluster: ClusterIdentity,
  config: Config,
): Orphans {
  const live = new Map(
    services
      .filter((service) => wantsLoadBalancer(service, config))
      .map((service) => [service.metadata.uid, service]),
  );
  const isOrphan = (wire: WireResource): boolean => !live.has(tagValue(wire['tags'], 'service') ?? '');
  const orphans = [
    ...[...project.loadBalancers, ...project.securityGroups]
      .filter(isOrphan)
      .map((wire) => tagValue(wire['tags'], 'name')),
    ...project.floatingIPs
      .filter(
        (ip) =>
          hasTag(ip['tags'], clusterTag(cluster)) &&
          !tagValue(ip['tags'], 'kept') &&
          !ip['port_id'] &&
          isOrphan(ip),
      )
      .map(nameInDescription),
    ...project.secrets.flatMap((wire) => leftBehind(wire, cluster, [...live.values()])),
  ];
  const keys = [...new Set(orphans.flatMap((name) => parseKey(`service/${name ?? ''}`) ?? []))];
  const hasAny = services.some((service) => live.has(service.metadata.uid) || hasFinalizer(service));
  if (!hasAny && keys.length >= SUSPICIOUS) {
    const warning = `this cluster has load balancers, floating IPs or security groups of ${keys.length} Services that are not there, and there is not one Service of type LoadBalancer: nothing is deleted. If that is right, run: levelset reconcile ${keys.join(' ')}`;
    return { keys: [], warnings: [warning], doubtful: true };
  }
  const lost = orphans.filter((name) => name === undefined).length;
  return {
    keys,
    doubtful: false,
    warnings:
      lost > 0 ? [`${lost} resources of this cluster do not say which Service they were for; they stay`] : [],
  };
}

/** A certificate that was stored for a Service which is not there; it has no tags, but a name. */
function leftBehind(
  { name }: WireResource,
  cluster: ClusterIdentity,
  live: readonly Service[],
): readonly string[] {
  const owner = readStoredName(name, cluster)?.service;
  const isThere = live.some(
    ({ metadata }) => metadata.namespace === owner?.namespace && metadata.name === owner.name,
  );
  return owner && !isThere ? [`${owner.namespace}/${owner.name}`] : [];
}

/** So many orphans at once, with no Service left, are more likely a wrong answer than the truth. */
const SUSPICIOUS = 2;

const DESCRIBED = new RegExp(
  `^${goFloatingIPText({ namespace: '([^/ ]+)', name: '([^ ]+)' })} from cluster `,
);

function nameInDescription(wire: WireResource): string | undefined {
  const match = DESCRIBED.exec(String(wire['description']));
  return match ? `${match[1] ?? ''}/${match[2] ?? ''}` : undefined;
}
