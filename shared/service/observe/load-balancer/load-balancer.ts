import { goTags } from '../../../model/load-balancer/other-controllers.ts';
import type { JoinIntent } from '../../../model/load-balancer/shared-load-balancer.ts';
import { clusterTag, hasTag, nameTag, ownerTag, serviceTag, tagValue } from '../../../model/ownership.ts';
import type { ClusterIdentity } from '../../../model/ownership.ts';
import type { WireResource } from '../../../model/resources.ts';
import { isGoTagOf, isOnIt, servicesIn, textOf } from '../../../model/load-balancer/shared-load-balancer.ts';
import type { Unit } from '../../../model/unit.ts';
import type { Cloud } from '../../../ports.ts';
import { findByName, namedId, provenByTag } from './adoption.ts';
import type { Observed } from '../observed.ts';
import { whollyOurs } from './wholly-ours.ts';
import { isThere, whyNotJoin, whyNotMove } from './joining.ts';

export interface FoundLoadBalancers extends Pick<
  Observed,
  'duplicates' | 'replacement' | 'ambiguous' | 'notJoined'
> {
  /** The unit's load balancer. */
  readonly primary?: WireResource;
}

/**
 * One list finds what carries this Service's tags, its name (a namesake inherits), or the Go provider's tag; one more
 * what other controllers made without tags. What is not tagged as ours counts only with a second proof (adoption.ts). Last
 * comes one that the Service wants to join. `wish` is undefined when nothing is wanted.
 */
export async function findLoadBalancers(
  unit: Unit,
  join: JoinIntent | undefined,
  cluster: ClusterIdentity,
  cloud: Pick<Cloud, 'list'>,
): Promise<FoundLoadBalancers> {
  const { service, name } = unit;
  const uid = service?.metadata.uid;
  const again = join ? [ownerTag(name)] : [];
  const tags = [
    ...[nameTag(name), ...goTags(cluster.name, name), ...(uid === undefined ? [] : [serviceTag(uid)])],
    ...[...again, ...(join?.tag === undefined ? [] : [join.tag])],
  ];
  const found = await cloud.list('loadbalancer', { 'tags-any': tags.join(',') });
  const here = found.filter((lb) => hasTag(lb['tags'], clusterTag(cluster)));
  const ours = here.filter(
    (lb) => isOnIt(lb['tags'], name, uid, cluster) || again.some((tag) => hasTag(lb['tags'], tag)),
  );
  const [primary, ...others] = inOrder(ours, service && namedId(service));
  if (primary) {
    const made = others.filter((lb) => isMadeForNobodyElse(lb, unit, cluster));
    const whole = await whollyOurs(made, unit, cluster, cloud);
    const replacement = whole.find((lb) => replaces(lb, primary) && !isLeaving(lb));
    const duplicates = whole.filter((lb) => lb !== replacement);
    const notJoined = join && (await whyNotMove(primary, join, here, unit, cloud));
    return {
      primary,
      duplicates,
      ...(replacement ? { replacement } : {}),
      ...(notJoined ? { notJoined } : {}),
    };
  }
  const tagged = service ? await provenByTag(found, service, cloud) : [];
  const id = service && namedId(service);
  const named = id === undefined || tagged.length > 0 ? undefined : await cloud.list('loadbalancer', { id });
  const proven = tagged.length > 0 ? tagged : await findByName(unit, named, cluster, cloud);
  const staying = proven.filter((lb) => !isLeaving(lb));
  if (staying.length > 1) return { duplicates: [], ambiguous: staying.map(({ id }) => id).sort() };
  const [taken] = [...proven].sort(oldestFirst);
  if (taken || !join) return { duplicates: [], ...(taken ? { primary: taken } : {}) };
  return { duplicates: [], ...(await findJoined(unit, join, { here, named }, cluster, cloud)) };
}

/** The load balancer that the Service asks for, by a name that others share or by its id, or why not. */
async function findJoined(
  unit: Unit,
  join: JoinIntent,
  { here, named = [] }: { here: readonly WireResource[]; named?: readonly WireResource[] | undefined },
  cluster: ClusterIdentity,
  cloud: Pick<Cloud, 'list'>,
): Promise<Pick<FoundLoadBalancers, 'primary' | 'notJoined'>> {
  const { tag, id } = join;
  const asked = tag === undefined ? named : here.filter((lb) => hasTag(lb['tags'], tag));
  const [found] = asked.filter(isThere).sort(oldestFirst);
  if (found) {
    const notJoined = await whyNotJoin(found, join, unit, cluster, cloud);
    return notJoined ? { notJoined } : { primary: found };
  }
  if (tag !== undefined || id === undefined || join.noted) return {};
  return { notJoined: { because: 'missing', named: id, key: unit.name } };
}

/** One that was made twice, and not one that was found because the Service shares it. */
function isMadeForNobodyElse(lb: WireResource, { name }: Unit, cluster: ClusterIdentity): boolean {
  const services = servicesIn(lb['tags'], cluster);
  return isGoTagOf(lb['name'], name) && services.every((service) => service === textOf(name));
}

/** While that one is there; afterwards the tag is history. */
function replaces(lb: WireResource, other: WireResource): boolean {
  return tagValue(lb['tags'], 'replaces') === other.id && !isLeaving(other);
}

/**
 * First the one that the Service was told of, since tags can be written by everybody in the project; then the oldest. What
 * takes another one's place comes last.
 */
function inOrder(ours: readonly WireResource[], told: string | undefined): readonly WireResource[] {
  const rank = (lb: WireResource): number => {
    if (isLeaving(lb)) return 2;
    if (lb.id === told) return 0;
    return ours.some((other) => replaces(lb, other)) ? 3 : 1;
  };
  return ours.toSorted((a, b) => rank(a) - rank(b) || oldestFirst(a, b));
}

function isLeaving(lb: WireResource): boolean {
  return lb['provisioning_status'] === 'PENDING_DELETE';
}

function oldestFirst(a: WireResource, b: WireResource): number {
  const rank = (lb: WireResource) => `${isLeaving(lb) ? '1' : '0'} ${String(lb['created_at'])} ${lb.id}`;
  return rank(a) < rank(b) ? -1 : 1;
}
