import { isError } from '../../../model/errors.ts';
import { type Service, publishedAddresses } from '../../../model/kubernetes.ts';
import {
  goTags,
  isMadeFor,
  goTagsIn,
  isGoTagOf,
  isMakerGone,
  madeForKey,
  serviceOfGoTag,
  servicesIn,
  textOf,
  isMadeForNamespace,
  isOfAnotherCluster,
  madeUnderOtherName,
} from '../../../model/load-balancer/makers-and-sharers.ts';
import type {
  Sharing,
  JoinIntent,
  NotJoined,
  FoundLoadBalancers,
} from '../../../model/load-balancer/observed-service.ts';
import { clusterTag, hasTag, nameTag, type ClusterIdentity } from '../../../model/ownership.ts';
import type { ObservedResource, WireResource } from '../../../model/resources.ts';
import type { ServiceObject } from '../../../model/service-object.ts';
import { attempt } from '../../../observe/reads.ts';
import type { Question, Source, LoadBalancerQuestion } from '../questions.ts';
import type { Cloud } from '../../../ports.ts';
import { isDescribed } from './adoption.ts';

export function sharingOf(
  { wire: loadBalancer, whose }: ObservedResource,
  resources: readonly ObservedResource[],
  object: ServiceObject,
  cluster: ClusterIdentity,
): Sharing {
  const told = servicesIn(loadBalancer['tags'], cluster);
  const listeners = resources.filter(({ kind, whose }) => kind === 'listener' && whose === 'foreign');
  const own = textOf(object.name);
  const using = listeners.flatMap(({ wire }) => usersOf(wire, cluster, own));
  const missingTags = listeners.flatMap(({ wire }) => tagsOf(wire, cluster));
  const others = [...new Set([...told, ...using])].filter((service) => service !== own).sort();
  return {
    others,
    decides: others.length === 0 && whose !== 'foreign',
    maker: isMadeForIt(loadBalancer, object, cluster)
      ? 'this'
      : isMakerGone(loadBalancer, cluster)
        ? 'gone'
        : 'another',
    missingTags: [...new Set(missingTags)].filter((tag) => !hasTag(loadBalancer['tags'], tag)).sort(),
  };
}

/** What all who share it ask for. A Service that leaves does not count; what cannot be read, or has vanished, agrees to nothing. */
export async function agreedBy(
  { others }: Sharing,
  own: Service,
  { asksFor, kube, services }: Pick<Question, 'asksFor'> & Pick<Source, 'kube' | 'services'>,
): Promise<Pick<Sharing, 'agreed' | 'byConfig'> | undefined> {
  const ask = async (text: string): Promise<ReturnType<Question['asksFor']> | 'unknown'> => {
    const [namespace = '', name] = text.split('/');
    if (name === undefined) return 'unknown';
    const service = services?.get(text) ?? (await attempt(kube.getService(namespace, name)));
    if (isError(service)) return 'unknown';
    // what a Service that has vanished has left may be wanted again, and serves until its quarantine ends
    return service ? asksFor(service) : 'unknown';
  };
  const asked = new Set([asksFor(own), ...(await Promise.all(others.map(ask)))]);
  asked.delete(undefined);
  const byConfig = asked.delete('internal by config');
  if (byConfig) asked.add('internal');
  const [first] = asked;
  if (asked.size !== 1 || first === undefined || first === 'unknown' || first === 'internal by config')
    return undefined;
  return { agreed: first, ...(byConfig ? { byConfig } : {}) };
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

/** OCCM's tag, and for a Service of this cluster also our own. */
function tagsOf({ tags }: WireResource, cluster: ClusterIdentity): readonly string[] {
  const go = goTagsIn(tags);
  const isOurs = hasTag(tags, clusterTag(cluster));
  return isOurs ? go.flatMap((tag) => [tag, ...nameTagOf(tag)]) : go;
}

function nameTagOf(tag: string): readonly string[] {
  const key = serviceOfGoTag(tag);
  return key ? [nameTag(key)] : [];
}

function isMadeForIt(
  loadBalancer: WireResource,
  { name, service }: ServiceObject,
  cluster: ClusterIdentity,
): boolean {
  const called = String(loadBalancer['name']);
  if (goTags(cluster.name, name).includes(called) || isGoTagOf(called, name)) return true;
  const uid = service?.metadata.uid ?? '';
  return madeForKey(loadBalancer) === undefined && isMadeFor(loadBalancer, name, uid);
}

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
