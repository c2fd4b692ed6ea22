/** What a Service takes along from its load balancer, and what it leaves there. Nothing names it afterwards. */
import { isGoTagOf, madeForKey, textOf } from '../../model/load-balancer/makers-and-sharers.ts';
import {
  mergeUserTags,
  hasTag,
  nameTag,
  serviceTag,
  tagValue,
  tagValues,
  withoutOurTags,
} from '../../model/ownership.ts';
import type { DeleteStep, Step, UpdateStep } from '../../model/plan.ts';
import type { ServiceKey } from '../../model/request.ts';
import type { ObservedResource } from '../../model/resources.ts';
import { remove } from '../../plan/compare-and-plan.ts';
import type { ServiceObject } from '../../model/service-object.ts';

interface Leaving {
  readonly object: string;
  /** The UID of the Service; empty when it is gone. */
  readonly uid: string;
  /** Why the Service leaves its load balancer, for people; undefined while it wants one. */
  readonly leaves: string | undefined;
  readonly observed: readonly ObservedResource[];
  /** Other Services on the load balancer, as `NAMESPACE/NAME`. */
  readonly sharedWith: readonly string[];
  /** Tags of other Services that only their listeners have, and the load balancer should have. */
  readonly missingTags: readonly string[];
  readonly goTags: readonly string[];
}

/**
 * Octavia's cascade deletes everything, so it is only for a load balancer that was made for this Service, is all levelset's and not shared. Else levelset
 * deletes what is its own; when nothing of that is left, it removes its tags.
 */
export function removeAll(lb: ObservedResource, input: Leaving): readonly Step[] {
  const { object, observed, sharedWith } = input;
  const isShared = sharedWith.length > 0;
  const because = input.leaves ?? 'the Service asks for no load balancer';
  if (lb.whose !== 'foreign' && isAllOurs(observed) && !isShared)
    return [removeWithAll('lb', lb.id, because)];
  const ours = observed
    .filter(({ parent, whose }) => parent === 'lb' && whose !== 'foreign')
    .map((one) => remove(one, because));
  if (ours.length > 0) return ours;
  const [, namespace = '', name = ''] = object.split('/');
  return isShared ? leave(lb, { namespace, name }, input) : [release(lb, { namespace, name }, input)];
}

export function isAllOurs(observed: readonly ObservedResource[]): boolean {
  return observed.every(({ parent, whose }) => parent !== 'lb' || whose !== 'foreign');
}

/** Removes levelset's tags from a load balancer that stays because it, or a resource on it, is not levelset's. */
function release(lb: ObservedResource, key: ServiceKey, { goTags }: Leaving): Step {
  const from = tagsOf(lb);
  const goes = (tag: string): boolean =>
    tag === lb.wire['name'] || isGoTagOf(tag, key) || goTags.includes(tag);
  const to = withoutOurTags(from).filter((tag) => !goes(tag));
  return setTags(lb, to, "it, or a resource on it, is not levelset's, so it stays and loses levelset's tags");
}

/** Removes one Service's tags and the owner's UID, and adds those that only others' listeners have. If no Service is left in them, all go. */
function leave(
  lb: ObservedResource,
  key: ServiceKey,
  { uid: own, observed, missingTags, goTags }: Leaving,
): readonly Step[] {
  const from = tagsOf(lb);
  const owner = madeForKey(lb.wire);
  const isOwner = owner !== undefined && textOf(owner) === textOf(key);
  const goes = (tag: string): boolean =>
    isGoTagOf(tag, key) ||
    goTags.includes(tag) ||
    ['name', 'adopted'].some((name) => tagValue([tag], name) === textOf(key)) ||
    tag === serviceTag(own) ||
    (isOwner && tagValue([tag], 'service') !== undefined);
  const { observed: others } = mergeUserTags(from, [nameTag(key)]);
  const stay = [...others.filter((tag) => !goes(tag)), ...missingTags];
  const isOurs = tagValues(stay, 'name').length > 0;
  const to = isOurs ? stay : withoutOurTags(stay);
  const because = 'other Services use it, so it stays';
  const isSame = to.length === from.length && to.every((tag) => from.includes(tag));
  const uid = isOwner || hasTag(from, serviceTag(own)) ? tagValue(from, 'service') : undefined;
  return [...(isSame ? [] : [setTags(lb, to, because)]), ...unnamed(uid, observed, because)];
}

/** Takes the UID of the owner that leaves off the floating IP, which stays with the load balancer. */
function unnamed(
  uid: string | undefined,
  observed: readonly ObservedResource[],
  because: string,
): readonly Step[] {
  const floatingIP = observed.find(({ address }) => address === 'floatingip');
  if (!floatingIP || uid === undefined || !hasTag(floatingIP.wire['tags'], serviceTag(uid))) return [];
  return [
    setTags(
      floatingIP,
      tagsOf(floatingIP).filter((tag) => tag !== serviceTag(uid)),
      because,
    ),
  ];
}

function setTags(lb: ObservedResource, to: readonly string[], because: string): UpdateStep {
  const { kind, address, id } = lb;
  const changes = [{ attribute: 'tags', from: tagsOf(lb), to }];
  return { verb: 'update', kind, address, id, because, changes };
}

function tagsOf({ wire }: ObservedResource): readonly string[] {
  return wire['tags'] as readonly string[];
}

export function removeWithAll(address: string, id: string, because: string): DeleteStep {
  return { verb: 'delete', kind: 'loadbalancer', address, id, cascade: true, because };
}

export const MADE_TWICE = 'it is a duplicate: the answer to its create was lost';

/** Why a Service that wants no load balancer leaves the one it has. */
export function whyLeaving({ name, service, released }: ServiceObject): string {
  if (!service) return `Service ${name.namespace}/${name.name} is gone`;
  if (service.metadata.deletionTimestamp !== undefined) return 'the Service is being deleted';
  if (service.spec.type !== 'LoadBalancer') return `the Service is of type ${service.spec.type} now`;
  return `approved; ${released?.because ?? 'the Service asks for no load balancer'}`;
}
