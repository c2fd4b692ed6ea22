import type { JoinIntent, NotJoined } from '../../../model/load-balancer/shared-load-balancer.ts';
import { hasTag } from '../../../model/ownership.ts';
import type { ClusterIdentity } from '../../../model/ownership.ts';
import type { WireResource } from '../../../model/resources.ts';
import {
  isMadeForNamespace,
  isOfAnotherCluster,
  servicesIn,
} from '../../../model/load-balancer/shared-load-balancer.ts';
import type { Unit } from '../../../model/unit.ts';
import type { Cloud } from '../../../ports.ts';

type Lists = Pick<Cloud, 'list'>;

/** Whether a Service may come onto a load balancer on which it is not yet. Undefined: it may. */
export async function whyNotJoin(
  loadBalancer: WireResource,
  join: JoinIntent,
  { name }: Unit,
  cluster: ClusterIdentity,
  cloud: Lists,
): Promise<NotJoined | undefined> {
  const others = servicesIn(loadBalancer['tags'], cluster);
  const because = ((): NotJoined['because'] | undefined => {
    if (isOfAnotherCluster(loadBalancer, cluster)) return 'other-cluster';
    const isOwn = isMadeForNamespace(loadBalancer, name.namespace, cluster);
    if (!isOwn && !join.hasConsent(loadBalancer)) return 'no-consent';
    return others.length + 1 > join.limit ? 'full' : undefined;
  })();
  const no = { named: join.tag ?? loadBalancer.id, id: loadBalancer.id, key: name, others };
  if (because) return { because, ...no };
  const isOpen = join.internal && (await hasFloatingIP(loadBalancer, cloud));
  return isOpen ? { because: 'external', ...no } : undefined;
}

/** The Service has a load balancer, and asks for another one, which is there: its address would change. */
export async function whyNotMove(
  primary: WireResource,
  join: JoinIntent,
  found: readonly WireResource[],
  { name }: Unit,
  cloud: Lists,
): Promise<NotJoined | undefined> {
  const { tag, id } = join;
  const has = { because: 'has-another', key: name, id: primary.id } as const;
  if (tag !== undefined) {
    const isElsewhere = found.some((lb) => lb.id !== primary.id && isThere(lb) && hasTag(lb['tags'], tag));
    return isElsewhere ? { ...has, named: tag } : undefined;
  }
  if (id === undefined || !asksForAnother(join, primary)) return undefined;
  const isElsewhere = (await cloud.list('loadbalancer', { id })).some(isThere);
  return isElsewhere ? { ...has, named: id } : undefined;
}

/** Whether it has to be looked whether there is such a one. */
export function asksForAnother({ tag, id }: JoinIntent, loadBalancer: WireResource): boolean {
  return tag === undefined ? id !== undefined && id !== loadBalancer.id : !hasTag(loadBalancer['tags'], tag);
}

export function isThere(loadBalancer: WireResource): boolean {
  return !['DELETED', 'PENDING_DELETE'].includes(String(loadBalancer['provisioning_status']));
}

async function hasFloatingIP(loadBalancer: WireResource, cloud: Lists): Promise<boolean> {
  const port_id = String(loadBalancer['vip_port_id']);
  return (await cloud.list('floatingip', { port_id })).length > 0;
}
