import { placeOf } from '../../../model/address.ts';
import { isMadeForService } from '../../../model/load-balancer/other-controllers.ts';
import { isUserTag } from '../../../model/load-balancer/user-tags.ts';
import { recordedIn, TAG_PREFIX, tagValue } from '../../../model/ownership.ts';
import type { DesiredResource, ObservedResource } from '../../../model/resources.ts';
import type { Adopted } from './held-changes.ts';

/** Whether the load balancer's tags and name are levelset's. An adopted pool may still be on it. */
export function hasOurNames({ wire }: ObservedResource): boolean {
  return tagValue(wire['tags'], 'cluster') !== undefined && String(wire['name']).startsWith('kube_service_');
}

/**
 * The desired resource without the Go provider's tags, which the Go provider adds itself when it takes over. levelset's
 * tags and the user's stay, and pools and monitors keep all tags. If levelset may write no tags, pools and monitors
 * lose the user's tags and the records of set attributes, and every other kind has no tags. A new resource keeps all
 * tags.
 */
export function withOurTags(
  desired: DesiredResource,
  places: readonly string[],
  { there, tags: written }: Pick<Adopted, 'there' | 'tags'>,
): DesiredResource {
  const { tags, ...others } = desired.attributes as { readonly tags?: readonly string[] };
  const observed = there.get(desired.address);
  if (!tags || !observed || !isTheirs(desired, observed, places, written)) return desired;
  if (desired.kind === 'pool' || desired.kind === 'healthmonitor') {
    const left = tags.filter((tag) => written || (recordedIn([tag]).length === 0 && !isUserTag(tag, tags)));
    return { ...desired, attributes: { ...others, tags: left } };
  }
  const isUsersOwn = desired.kind === 'loadbalancer' && !isMadeForService(observed.wire);
  const ours = tags.filter((tag) => isUsersOwn || tag.startsWith(TAG_PREFIX) || isUserTag(tag, tags));
  return { ...desired, attributes: written ? { ...others, tags: ours } : others };
}

/** Whether another controller made it. levelset writes "(levelset HASH)" into the description of each floating IP. */
function isTheirs(
  { kind, address }: DesiredResource,
  { wire }: ObservedResource,
  places: readonly string[],
  written: boolean,
): boolean {
  if (kind === 'loadbalancer') return true;
  if (kind === 'securitygroup') return !written;
  if (kind === 'floatingip') return !String(wire['description']).includes('(levelset ');
  return ['listener', 'pool', 'healthmonitor'].includes(kind) && places.includes(placeOf(address));
}
