import { ReconcileError } from '../../../model/errors.ts';
import { publishedAddresses } from '../../../model/kubernetes.ts';
import {
  goTags,
  isGoTagOf,
  isOnIt,
  madeUnderOtherName,
  servicesIn,
  textOf,
} from '../../../model/load-balancer/makers-and-sharers.ts';
import {
  clusterTag,
  hasTag,
  namedId,
  nameTag,
  serviceTag,
  tagValue,
  type ClusterIdentity,
} from '../../../model/ownership.ts';
import type { WireResource } from '../../../model/resources.ts';
import type { ServiceObject } from '../../../model/service-object.ts';
import type { Cloud } from '../../../ports.ts';
import { observeListeners, observePools } from '../children.ts';
import type { FoundLoadBalancers } from '../../../model/load-balancer/observed-service.ts';
import type { LoadBalancerQuestion, Source } from '../questions.ts';
import { listsFor } from '../project.ts';
import { findByName, provenByTag } from './adoption.ts';
import { elderOf, findJoined, isGoing, oldestFirst, whyNotMove } from './sharing.ts';
import { ownersOf } from '../../../model/load-balancer/whose.ts';

export async function findLoadBalancer(
  question: LoadBalancerQuestion,
  source: Source,
): Promise<FoundLoadBalancers> {
  // throws if this Octavia has no tags: then no load balancer could be found
  await source.cloud.octaviaVersion();
  const lists = listsFor(source);
  return findByLists(question, {
    list: (...asked) => lists.list(...asked),
    byId: byIdIn(source, question.object),
  });
}

interface Lookup extends Pick<Cloud, 'list'> {
  readonly byId: (id: string) => Promise<readonly WireResource[]>;
}

/**
 * A run asks for the very load balancer: an empty or stale list would make a second one. Octavia answers 403 for another project's. A sweep looks into
 * its lists, and so does a run after this process deleted it (decision 325): Octavia changes no tags of what it deletes.
 */
function byIdIn(source: Source, { wanted, withLeftovers }: ServiceObject): Lookup['byId'] {
  if (source.project) return (id) => listsFor(source).list('loadbalancer', { id });
  return async (id) => {
    if (!wanted && !withLeftovers && source.memory.loadBalancers.isDeleted(id)) return [];
    try {
      return [await source.cloud.get('loadbalancer', id)].filter((lb) => lb !== undefined);
    } catch (error) {
      // the list of load balancers was allowed, so the role is there
      if (error instanceof ReconcileError && error.code === 'FORBIDDEN') return [];
      throw error;
    }
  };
}

/**
 * The first list is by this Service's UID, its name (a namesake inherits) or OCCM's tag. Further lists find, by id or name, what other controllers made
 * without tags, which counts only with a second proof (adoption.ts). A load balancer that the Service wants to join is the last resort.
 */
async function findByLists(
  { object, join, cluster }: LoadBalancerQuestion,
  cloud: Lookup,
): Promise<FoundLoadBalancers> {
  const { service, name } = object;
  const uid = service?.metadata.uid;
  const tags = [
    ...[nameTag(name), ...goTags(cluster.name, name), ...(uid === undefined ? [] : [serviceTag(uid)])],
    ...(join?.tag === undefined ? [] : [join.tag]),
  ];
  const id = service && namedId(service);
  const names = join && (join.tag ?? join.id) !== undefined ? join : undefined;
  const isHere = (lb: WireResource): boolean => hasTag(lb['tags'], clusterTag(cluster));
  const isOurs = (lb: WireResource): boolean => isHere(lb) && isOnIt(lb['tags'], name, uid, cluster);
  const listed = await cloud.list('loadbalancer', { 'tags-any': tags.join(',') });
  const isListed = listed.some((lb) => isOurs(lb) || lb.id === id);
  const named = id === undefined || isListed ? undefined : await cloud.byId(id);
  const found = [...listed, ...(named ?? []).filter(isOurs)];
  const here = found.filter(isHere);
  const [primary, ...others] = inOrder(here.filter(isOurs), id);
  if (primary) {
    const made = others.filter((lb) => isMadeForNobodyElse(lb, object, cluster));
    const whole = await whollyOurs(made, object, cluster, cloud);
    const replacement = whole.find((lb) => replaces(lb, primary) && !isGoing(lb));
    const duplicates = whole.filter((lb) => lb !== replacement);
    const isAlone = isMadeForNobodyElse(primary, object, cluster);
    const elder = names && isAlone && (await elderOf(primary, here, { object, join: names, cluster }, cloud));
    if (elder && (await whollyOurs([primary], object, cluster, cloud)).length > 0)
      return { loadBalancer: elder, duplicates: [primary, ...duplicates] };
    const isCopied = names?.noted === true && publishedAddresses(service).length === 0;
    const notJoined = names && !isCopied && (await whyNotMove(primary, names, here, object, cloud));
    return {
      loadBalancer: primary,
      duplicates,
      ...(replacement ? { replacement } : {}),
      ...(notJoined ? { notJoined } : {}),
    };
  }
  const tagged = service && found.length > 0 ? await provenByTag(found, service, cloud) : [];
  const asked = id === undefined ? undefined : (named ?? listed.filter((lb) => lb.id === id));
  const mayBeFound = asked !== undefined || publishedAddresses(service).length > 0;
  const untagged = tagged.length === 0 && mayBeFound ? await findByName(object, asked, cluster, cloud) : [];
  const proven = [...tagged, ...untagged];
  const staying = proven.filter((lb) => !isGoing(lb));
  if (staying.length > 1) return { duplicates: [], ambiguous: staying.map(({ id }) => id).sort() };
  const [taken] = [...proven].sort(oldestFirst);
  const joined = !taken && names && (await findJoined(object, names, { here, named: asked }, cluster, cloud));
  if (joined && (joined.loadBalancer ?? joined.notJoined)) return { duplicates: [], ...joined };
  const there = taken ?? (join && (await atItsAddress(object, cloud)));
  const notJoined = there && madeUnderOtherName(there, name, cluster);
  return { duplicates: [], ...(notJoined ? { notJoined } : taken && { loadBalancer: taken }) };
}

/** What OCCM made for a Service of this name, in whatever cluster, at the floating IP that the Service publishes. */
async function atItsAddress(
  { service, name }: ServiceObject,
  cloud: Lookup,
): Promise<WireResource | undefined> {
  const [address] = publishedAddresses(service);
  if (address === undefined) return undefined;
  // a VIP says nothing by itself: other networks have the same
  const [floating] = await cloud.list('floatingip', { floating_ip_address: address });
  if (!floating) return undefined;
  return (await cloud.list('loadbalancer', { vip_port_id: String(floating['port_id']) })).find((lb) =>
    isGoTagOf(lb['name'], name),
  );
}

/** Whether a load balancer was made for this Service alone, and so is a second one and not a shared one. */
function isMadeForNobodyElse(lb: WireResource, { name }: ServiceObject, cluster: ClusterIdentity): boolean {
  const services = servicesIn(lb['tags'], cluster);
  return isGoTagOf(lb['name'], name) && services.every((service) => service === textOf(name));
}

/** Whether a tag says that `lb` was made to replace `other`. The tag counts until `other` is being deleted. */
function replaces(lb: WireResource, other: WireResource): boolean {
  return tagValue(lb['tags'], 'replaces') === other.id && !isGoing(other);
}

/** The annotated one (`told`) first, since all in the project can write tags; then the oldest, those being deleted, and replacements. */
function inOrder(ours: readonly WireResource[], told: string | undefined): readonly WireResource[] {
  const rank = (lb: WireResource): number => {
    if (isGoing(lb)) return 2;
    if (lb.id === told) return 0;
    return ours.some((other) => replaces(lb, other)) ? 3 : 1;
  };
  return ours.toSorted((a, b) => rank(a) - rank(b) || oldestFirst(a, b));
}

/** Everybody in the project can write tags, and tags get lost: what would be deleted or published by them is looked into first. */
async function whollyOurs(
  loadBalancers: readonly WireResource[],
  object: ServiceObject,
  cluster: ClusterIdentity,
  cloud: Pick<Cloud, 'list'>,
): Promise<readonly WireResource[]> {
  const isOurs = await Promise.all(
    loadBalancers.map(async (lb) => {
      if (isEmpty(lb['listeners']) && isEmpty(lb['pools'])) return true;
      const query = { loadbalancer_id: lb.id };
      const [listeners, pools] = await Promise.all([
        cloud.list('listener', query),
        cloud.list('pool', query),
      ]);
      const owners = ownersOf(object, cluster, lb);
      const observed = observeListeners(listeners, owners);
      return [...observed, ...observePools(pools, observed, owners)].every(
        ({ whose }) => whose !== 'foreign',
      );
    }),
  );
  return loadBalancers.filter((_, at) => isOurs[at]);
}

function isEmpty(ids: unknown): boolean {
  return Array.isArray(ids) && ids.length === 0;
}
