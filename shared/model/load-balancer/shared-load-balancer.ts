/**
 * Several Services on one load balancer (decision 19). Who uses it is said by the tags of its listeners; those of the load
 * balancer itself say it too, for the Go provider and for whoever has no listener on it yet.
 */
import type { ServiceKey } from '../request.ts';
import type { WireResource } from '../resources.ts';
import { goTags } from './other-controllers.ts';
import { clusterTag, hasTag, nameTag, ownerTag, serviceTag, tagValue, tagValues } from '../ownership.ts';
import type { ClusterIdentity } from '../ownership.ts';

/** What is asked, with what is needed to say yes. */
export interface JoinIntent {
  /** The load balancer that the Service names; absent where it names none, or one that a controller noted. */
  readonly id?: string;
  /** Noted by a controller, together with the address: nothing is asked where there is no such load balancer. */
  readonly noted: boolean;
  /** The tag by which it is shared, of those that share by name. */
  readonly tag?: string;
  /** It must not be reached from outside. */
  readonly internal: boolean;
  /** So many Services on one load balancer. */
  readonly limit: number;
  /** Whether who made it, or the operator, lets Services of the namespace onto it (decision 20). */
  readonly hasConsent: (loadBalancer: WireResource) => boolean;
}

/** Why a Service is not put on the load balancer that it asks for. */
export interface NotJoined {
  readonly because: 'missing' | 'other-cluster' | 'no-consent' | 'full' | 'external' | 'has-another';
  /** What was asked for. */
  readonly asked: string;
  /** Of the load balancer that was found. */
  readonly id?: string;
  /** Who is on it. */
  readonly others?: readonly string[];
  readonly key: ServiceKey;
}

/** What a Service is to its load balancer, and who else is on it. */
export interface Sharing {
  /** The owner's name, place and address it has: it was made for that Service. A user's own has no owner. */
  readonly role: 'owner' | 'joiner';
  /** The other Services, as `NS/NAME`, or as the tag that does not tell more, sorted. */
  readonly others: readonly string[];
  /** Tags that the listeners have and the load balancer lacks. */
  readonly missingTags: readonly string[];
}

const GO = 'kube_service_';
/** Names of this length were cut, and do not say their Service any more. */
const CUT = 255;

/** The Service that the Go provider's name or tag ends in; no part of it has an underscore of its own. */
export function serviceOfGoTag(tag: unknown): ServiceKey | undefined {
  const text = String(tag);
  const [name = '', namespace = ''] = text.split('_').reverse();
  const isWhole = text.startsWith(GO) && text.length < CUT && text.split('_').length >= 5;
  return isWhole && name !== '' && namespace !== '' ? { namespace, name } : undefined;
}

export function isGoTagOf(tag: unknown, { namespace, name }: ServiceKey): boolean {
  const service = serviceOfGoTag(tag);
  return service?.namespace === namespace && service.name === name;
}

export function goTagsIn(tags: unknown): readonly string[] {
  return (Array.isArray(tags) ? tags.map(String) : []).filter((tag) => tag.startsWith(GO));
}

/** Every Service that these tags name, as `NS/NAME`; a tag that was cut stands for itself unless another one explains it. */
export function servicesIn(tags: unknown, cluster: ClusterIdentity): readonly string[] {
  const names = tagValues(tags, 'name');
  const explained = names.flatMap((text) => goTags(cluster.name, keyOfText(text)));
  const services = goTagsIn(tags)
    .filter((tag) => !explained.includes(tag))
    .map((tag) => textOf(serviceOfGoTag(tag)) ?? tag);
  return [...new Set([...names, ...services])].sort();
}

/** Whether these tags of a load balancer say that the Service is on it. */
export function isOnIt(
  tags: unknown,
  key: ServiceKey,
  uid: string | undefined,
  cluster: ClusterIdentity,
): boolean {
  if (uid !== undefined && hasTag(tags, serviceTag(uid))) return true;
  return hasTag(tags, nameTag(key)) || goTags(cluster.name, key).some((tag) => hasTag(tags, tag));
}

/** The Service for which a load balancer was made, by its name. */
export function madeForKey({ name }: WireResource): ServiceKey | undefined {
  return serviceOfGoTag(name);
}

/** Whether it was made, by this cluster, for a Service of the namespace: then others of that namespace may join it. */
export function isMadeForNamespace(
  loadBalancer: WireResource,
  namespace: string,
  cluster: ClusterIdentity,
): boolean {
  const ofCluster = hasTag(loadBalancer['tags'], clusterTag(cluster));
  return ofCluster && madeForKey(loadBalancer)?.namespace === namespace;
}

/** Of another cluster: neither its tags nor its listeners would be told from ours. */
export function isOfAnotherCluster(loadBalancer: WireResource, cluster: ClusterIdentity): boolean {
  const claimed = tagValue(loadBalancer['tags'], 'cluster');
  return claimed !== undefined && claimed !== cluster.id;
}

/** The mark that a load balancer's owner has left it, while nobody on it is the owner. */
export function absentOwner(loadBalancer: WireResource, cluster: ClusterIdentity): readonly string[] {
  const key = madeForKey(loadBalancer);
  const isThere = key && servicesIn(loadBalancer['tags'], cluster).includes(textOf(key) ?? '');
  return key && !isThere ? [ownerTag(key)] : [];
}

export function textOf(key: ServiceKey | undefined): string | undefined {
  return key && `${key.namespace}/${key.name}`;
}

function keyOfText(text: string): ServiceKey {
  const [namespace = '', name = ''] = text.split('/');
  return { namespace, name };
}
