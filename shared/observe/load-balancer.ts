import { goTags } from '../model/name-schemes.ts';
import { clusterTag, hasTag, nameTag, serviceTag, tagValue } from '../model/ownership.ts';
import type { ClusterIdentity } from '../model/ownership.ts';
import type { WireResource } from '../model/resources.ts';
import type { Unit } from '../model/unit.ts';
import type { Cloud } from '../ports.ts';
import { findByName, provenByTag } from './adoption.ts';

export interface FoundLoadBalancers {
  /** The unit's load balancer. */
  readonly primary?: WireResource;
  /** All tagged as ours: made twice, because the answer to a POST was lost. The older one stays. */
  readonly duplicates: readonly WireResource[];
  /** Made to take the place of `primary`, and not yet in it. */
  readonly replacement?: WireResource;
  /** Several of another controller could be this Service's: none is taken, and none is made. */
  readonly ambiguous?: readonly string[];
}

/**
 * One list finds what carries this Service's tags, its name (a namesake inherits), or the Go provider's tag; one more
 * what other controllers made without tags. What is not tagged as ours counts only with a second proof (adoption.ts).
 */
export async function findLoadBalancers(
  unit: Unit,
  cluster: ClusterIdentity,
  cloud: Pick<Cloud, 'list'>,
): Promise<FoundLoadBalancers> {
  const { service, name } = unit;
  const go = goTags(cluster.name, name);
  const tags = [nameTag(name), ...go, ...(service ? [serviceTag(service.metadata.uid)] : [])];
  const found = await cloud.list('loadbalancer', { 'tags-any': tags.join(',') });
  const ours = found.filter((lb) => hasTag(lb['tags'], clusterTag(cluster)));
  const taking = ours.filter((lb) => ours.some((other) => replaces(lb, other)));
  const [primary, ...others] = [
    ...ours.filter((lb) => !taking.includes(lb)).sort(oldestFirst),
    ...taking.sort(oldestFirst),
  ];
  if (primary) {
    const replacement = others.find((lb) => replaces(lb, primary) && !isLeaving(lb));
    const duplicates = others.filter((lb) => lb !== replacement);
    return { primary, duplicates, ...(replacement ? { replacement } : {}) };
  }
  const tagged = service ? await provenByTag(found, service, cloud) : [];
  const proven = tagged.length > 0 ? tagged : await findByName(unit, cluster, cloud);
  const staying = proven.filter((lb) => !isLeaving(lb));
  if (staying.length > 1) return { duplicates: [], ambiguous: staying.map(({ id }) => id).sort() };
  const [taken] = [...proven].sort(oldestFirst);
  return { duplicates: [], ...(taken ? { primary: taken } : {}) };
}

/** While that one is there; afterwards the tag is history. */
function replaces(lb: WireResource, other: WireResource): boolean {
  return tagValue(lb['tags'], 'replaces') === other.id && !isLeaving(other);
}

function isLeaving(lb: WireResource): boolean {
  return lb['provisioning_status'] === 'PENDING_DELETE';
}

function oldestFirst(a: WireResource, b: WireResource): number {
  const rank = (lb: WireResource) => `${isLeaving(lb) ? '1' : '0'} ${String(lb['created_at'])} ${lb.id}`;
  return rank(a) < rank(b) ? -1 : 1;
}
