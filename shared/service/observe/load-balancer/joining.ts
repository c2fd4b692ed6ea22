import { publishedAddresses } from '../../../model/kubernetes.ts';
import {
  isMadeForNamespace,
  isOfAnotherCluster,
  madeUnderOtherName,
  servicesIn,
  textOf,
} from '../../../model/load-balancer/shared-load-balancer.ts';
import type { JoinIntent, NotJoined } from '../../../model/load-balancer/shared-load-balancer.ts';
import type { FoundLoadBalancers } from '../../../model/load-balancer/observed-service.ts';
import { hasTag, type ClusterIdentity } from '../../../model/ownership.ts';
import type { WireResource } from '../../../model/resources.ts';
import type { ServiceObject } from '../../../model/service-object.ts';
import type { Cloud } from '../../../ports.ts';
import type { LoadBalancerQuestion } from '../questions.ts';
import { isDescribed } from './adoption.ts';

type Lists = Pick<Cloud, 'list'>;

/** An older one of the sharing name, whose address nobody has: two processes made one each, for Services that share by the name. */
export async function elderOf(
  primary: WireResource,
  here: readonly WireResource[],
  { object, join, cluster }: LoadBalancerQuestion & { readonly join: JoinIntent },
  cloud: Lists,
): Promise<WireResource | undefined> {
  const { tag } = join;
  const isNamed = (lb: WireResource): boolean => tag !== undefined && hasTag(lb['tags'], tag);
  const [elder] = here.filter((lb) => isNamed(lb) && isThere(lb)).sort(oldestFirst);
  if (!elder || elder === primary || !isNamed(primary) || publishedAddresses(object.service).length > 0)
    return undefined;
  return (await whyNotJoin(elder, join, object, cluster, cloud)) ? undefined : elder;
}

export async function findJoined(
  object: ServiceObject,
  join: JoinIntent,
  { here, named = [] }: { here: readonly WireResource[]; named?: readonly WireResource[] | undefined },
  cluster: ClusterIdentity,
  cloud: Lists,
): Promise<Pick<FoundLoadBalancers, 'loadBalancer' | 'notJoined'>> {
  const { tag, id } = join;
  // an id beside an address was written by a controller, and a copy of the Service has both
  const isItsOwn = (lb: WireResource): boolean =>
    isDescribed(lb, object.name) || servicesIn(lb['tags'], cluster).includes(textOf(object.name) ?? '');
  const asked =
    tag === undefined
      ? named.filter((lb) => !join.noted || isItsOwn(lb))
      : here.filter((lb) => hasTag(lb['tags'], tag));
  const [found] = asked.filter(isThere).sort(oldestFirst);
  if (found) {
    const otherName = madeUnderOtherName(found, object.name, cluster);
    const notJoined = otherName ?? (await whyNotJoin(found, join, object, cluster, cloud));
    return notJoined ? { notJoined } : { loadBalancer: found };
  }
  if (tag !== undefined || id === undefined || join.noted) return {};
  return { notJoined: { because: 'missing', named: id, key: object.name } };
}

async function whyNotJoin(
  loadBalancer: WireResource,
  join: JoinIntent,
  { name }: ServiceObject,
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

/** A Service with a load balancer joins no other one that it names: its published address would change. Undefined if it names none. */
export async function whyNotMove(
  primary: WireResource,
  join: JoinIntent,
  found: readonly WireResource[],
  { name }: ServiceObject,
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

function asksForAnother({ tag, id }: JoinIntent, loadBalancer: WireResource): boolean {
  return tag === undefined ? id !== undefined && id !== loadBalancer.id : !hasTag(loadBalancer['tags'], tag);
}

function isThere(loadBalancer: WireResource): boolean {
  return !['DELETED', 'PENDING_DELETE'].includes(String(loadBalancer['provisioning_status']));
}

async function hasFloatingIP(loadBalancer: WireResource, cloud: Lists): Promise<boolean> {
  const port_id = String(loadBalancer['vip_port_id']);
  return (await cloud.list('floatingip', { port_id })).length > 0;
}

export function isGoing(lb: WireResource): boolean {
  return lb['provisioning_status'] === 'PENDING_DELETE';
}

export function oldestFirst(a: WireResource, b: WireResource): number {
  const rank = (lb: WireResource) => `${isGoing(lb) ? '1' : '0'} ${String(lb['created_at'])} ${lb.id}`;
  return rank(a) < rank(b) ? -1 : 1;
}
