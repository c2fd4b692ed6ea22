import { nameTag, ownerTag, tagValue, tagValues, withoutOurTags } from '../../model/ownership.ts';
import type { Step, UpdateStep } from '../../model/plan.ts';
import type { ServiceKey } from '../../model/request.ts';
import type { ObservedResource } from '../../model/resources.ts';
import { isGoTagOf, madeForKey, textOf } from '../../model/load-balancer/shared-load-balancer.ts';
import { mergeUserTags } from '../../model/load-balancer/user-tags.ts';

/** What somebody else uses stays, and is no longer ours. */
export function release(lb: ObservedResource): Step {
  const from = tagsOf(lb);
  const service = tagValue(from, 'name')?.replace('/', '_') ?? '';
  const isGoTag = (tag: string): boolean => tag.startsWith('kube_service_') && tag.endsWith(`_${service}`);
  const to = withoutOurTags(from).filter((tag) => tag !== lb.wire['name'] && !isGoTag(tag));
  return setTags(lb, to, 'it, or something on it, is not ours, so it stays and is given up');
}

/**
 * Only what says that this Service is on it goes: others stay. For whom it was made is noted, so that a namesake is its
 * owner again, and what only the listeners say of the others.
 */
export function leave(
  lb: ObservedResource,
  key: ServiceKey,
  missingTags: readonly string[],
): readonly Step[] {
  const from = tagsOf(lb);
  const owner = madeForKey(lb.wire);
  const isOwner = owner !== undefined && textOf(owner) === textOf(key);
  const goes = (tag: string): boolean =>
    isGoTagOf(tag, key) ||
    tagValue([tag], 'name') === textOf(key) ||
    (isOwner && tagValue([tag], 'service') !== undefined);
  const { observed: others } = mergeUserTags(from, [nameTag(key)]);
  const stay = [...others.filter((tag) => !goes(tag)), ...missingTags];
  const isOurs = tagValues(stay, 'name').length > 0;
  const to = isOurs ? [...new Set([...stay, ...(isOwner ? [ownerTag(key)] : [])])] : withoutOurTags(stay);
  return to.length === from.length && to.every((tag) => from.includes(tag))
    ? []
    : [setTags(lb, to, 'others use it, so it stays')];
}

function setTags(lb: ObservedResource, to: readonly string[], because: string): UpdateStep {
  const { kind, address, id } = lb;
  const changes = [{ attribute: 'tags', from: tagsOf(lb), to }];
  return { verb: 'update', kind, address, id, because, changes };
}

function tagsOf({ wire }: ObservedResource): readonly string[] {
  return wire['tags'] as readonly string[];
}
