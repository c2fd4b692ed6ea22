/** What a Service desires of a load balancer that is not its alone (decision 19). */
import { clusterTag, loadBalancerName, nameTag, sharedTag, tagValue } from '../../model/ownership.ts';
import type { ClusterIdentity } from '../../model/ownership.ts';
import type { Problem } from '../../model/plan.ts';
import { keyOf } from '../../model/request.ts';
import type { DesiredResource, WireResource } from '../../model/resources.ts';
import { absentOwner } from '../../model/load-balancer/shared-load-balancer.ts';
import type { Sharing } from '../../model/load-balancer/shared-load-balancer.ts';
import { joinersProblems } from './problems/joiners-problems.ts';
import type { ServiceIntent } from '../intent/service-intent.ts';

export interface SharingContext {
  readonly intent: ServiceIntent | undefined;
  readonly cluster: ClusterIdentity;
  readonly loadBalancer: WireResource | undefined;
  readonly sharing: Sharing | undefined;
  /** On its VIP port. */
  readonly floatingIP: WireResource | undefined;
}

export interface DesiredSharing {
  readonly resources: readonly DesiredResource[];
  readonly problems: readonly Problem[];
}

/**
 * Nothing else for a Service that has its load balancer alone. Who joins sets nothing but tags there, and leaves the
 * floating IP alone; so does who leaves others behind.
 */
export function desireSharing(
  resources: readonly DesiredResource[],
  context: SharingContext,
): DesiredSharing {
  const { intent, sharing, loadBalancer } = context;
  const isWanted = resources.some(({ kind }) => kind === 'loadbalancer');
  if (!isWanted || !intent) {
    const stays = sharing !== undefined && sharing.others.length > 0;
    return { resources: resources.filter(({ kind }) => !stays || kind !== 'floatingip'), problems: [] };
  }
  if (!loadBalancer || sharing?.role !== 'joiner') {
    return { resources: resources.map((one) => withOwnersTags(one, intent, context)), problems: [] };
  }
  return {
    resources: resources.flatMap((one) => {
      if (one.kind === 'floatingip') return [];
      return [one.kind === 'loadbalancer' ? { ...one, attributes: joinersTags(intent, context) } : one];
    }),
    problems: joinersProblems(intent, loadBalancer, context.floatingIP),
  };
}

/** The name by which others find it, for as long as they need it, and who they are. */
function withOwnersTags(
  resource: DesiredResource,
  { annotated, service }: ServiceIntent,
  { loadBalancer, sharing }: SharingContext,
): DesiredResource {
  if (resource.kind !== 'loadbalancer') return resource;
  const { loadBalancerName: name } = annotated.Service;
  const { tags = [] } = resource.attributes as { readonly tags?: readonly string[] };
  const isShared = sharing !== undefined && sharing.others.length > 0;
  const more = [
    ...(name === undefined ? [] : [sharedTag(service.metadata.namespace, name)]),
    ...(isShared ? tagsOf(loadBalancer).filter((tag) => tagValue([tag], 'shared') !== undefined) : []),
    ...(sharing?.missingTags ?? []),
  ];
  return { ...resource, attributes: { ...resource.attributes, tags: [...new Set([...tags, ...more])] } };
}

/** All that is there, and who joins; and for whom it was made, if that one is not on it any more. */
function joinersTags(
  { service }: ServiceIntent,
  { cluster, loadBalancer, sharing }: SharingContext,
): DesiredResource['attributes'] {
  const key = keyOf(service);
  const own = [clusterTag(cluster), nameTag(key), loadBalancerName(cluster.name, key)];
  const missingTags = sharing?.missingTags ?? [];
  const there = [...tagsOf(loadBalancer), ...own, ...missingTags];
  const owner = loadBalancer ? absentOwner({ ...loadBalancer, tags: there }, cluster) : [];
  return { tags: [...new Set([...there, ...owner])] };
}

function tagsOf(loadBalancer: WireResource | undefined): readonly string[] {
  return (loadBalancer?.['tags'] ?? []) as readonly string[];
}
