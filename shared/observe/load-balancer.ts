import type { Service } from '../model/kubernetes.ts';
import {
  clusterTag,
  hasTag,
  loadBalancerName,
  LOAD_BALANCER_ID,
  nameTag,
  serviceTag,
  tagValue,
} from '../model/ownership.ts';
import type { ClusterIdentity } from '../model/ownership.ts';
import type { WireResource } from '../model/resources.ts';
import type { Unit } from '../model/unit.ts';
import type { Cloud } from '../ports.ts';

export interface FoundLoadBalancers {
  /** The unit's load balancer. */
  readonly primary?: WireResource;
  /** All tagged as ours: made twice, because the answer to a POST was lost. The older one stays. */
  readonly duplicates: readonly WireResource[];
}

/**
 * One list finds what carries this Service's tags, its name (a namesake inherits), or the Go provider's tag. The last
 * counts only with a second proof (design.md, "Identity and ownership"): the cluster name `kubernetes` is everybody's.
 */
export async function findLoadBalancers(
  unit: Unit,
  cluster: ClusterIdentity,
  cloud: Pick<Cloud, 'list'>,
): Promise<FoundLoadBalancers> {
  const goName = loadBalancerName(cluster.name, unit.name);
  const tags = [nameTag(unit.name), goName, ...(unit.service ? [serviceTag(unit.service.metadata.uid)] : [])];
  const found = await cloud.list('loadbalancer', { 'tags-any': tags.join(',') });
  const ours = found.filter((lb) => hasTag(lb['tags'], clusterTag(cluster)));
  const adopted = [];
  for (const lb of found) {
    if (
      tagValue(lb['tags'], 'cluster') === undefined &&
      unit.service &&
      (await isProven(lb, unit.service, cloud))
    ) {
      adopted.push(lb);
    }
  }
  const [primary, ...duplicates] = ours.sort(oldestFirst);
  if (primary) return { primary, duplicates };
  const [taken] = adopted.sort(oldestFirst);
  return taken ? { primary: taken, duplicates } : { duplicates };
}

/** The Service names this load balancer, or publishes its address. */
async function isProven(lb: WireResource, service: Service, cloud: Pick<Cloud, 'list'>): Promise<boolean> {
  if (service.metadata.annotations?.[LOAD_BALANCER_ID] === lb.id) return true;
  const published = service.status?.loadBalancer?.ingress?.[0]?.ip;
  const { namespace, name } = service.metadata;
  if (published === undefined || !String(lb['description']).includes(` ${namespace}/${name} `)) return false;
  if (lb['vip_address'] === published) return true;
  const attached = await cloud.list('floatingip', { port_id: String(lb['vip_port_id']) });
  return attached.some((ip) => ip['floating_ip_address'] === published);
}

function oldestFirst(a: WireResource, b: WireResource): number {
  const leaving = (lb: WireResource) => (lb['provisioning_status'] === 'PENDING_DELETE' ? '1' : '0');
  const rank = (lb: WireResource) => `${leaving(lb)} ${String(lb['created_at'])} ${lb.id}`;
  return rank(a) < rank(b) ? -1 : 1;
}
