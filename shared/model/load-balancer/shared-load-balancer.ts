/** Several Services on one load balancer (decision 19). Tags of listeners name them; its own tags repeat that for OCCM and for newcomers. */
import type { ServiceKey } from '../request.ts';
import type { WireResource } from '../resources.ts';
import { goTags } from './other-controllers.ts';
import { clusterTag, hasTag, nameTag, serviceTag, tagValue, tagValues } from '../ownership.ts';
import type { ClusterIdentity } from '../ownership.ts';

export interface JoinIntent {
  /** Id in the annotation `load-balancer-id`; absent without one. */
  readonly id?: string;
  /** Whether a controller wrote the id, together with the address: then a load balancer that is gone is not asked for. */
  readonly noted: boolean;
  /** The tag `levelset-shared` of the sharing name; absent without one. */
  readonly tag?: string;
  readonly internal: boolean;
  readonly limit: number;
  /** Whether the load balancer's maker, or the operator, admits Services of the namespace (decision 20). */
  readonly hasConsent: (loadBalancer: WireResource) => boolean;
}

export interface NotJoined {
  readonly because:
    'missing' | 'other-cluster' | 'other-name' | 'no-consent' | 'full' | 'external' | 'has-another';
  readonly named: string;
  readonly id?: string;
  /** The Services on it, as `NAMESPACE/NAME`. */
  readonly others?: readonly string[];
  readonly key: ServiceKey;
  /** With `other-name`: the cluster in the name of the load balancer, and the one of `--cluster-name`. */
  readonly names?: readonly [found: string, given: string];
}

export interface Sharing {
  /** The other Services, sorted: as `NAMESPACE/NAME`, or as a tag that was cut and does not name the Service. */
  readonly others: readonly string[];
  /** Tags that the listeners have and the load balancer lacks. */
  readonly missingTags: readonly string[];
  /** Whether the Service is alone on a load balancer that a controller made: then it decides about VIP, flavor and floating IP. */
  readonly decides: boolean;
  /** For whom the load balancer was made: for this Service, for a Service that has left it, or for another. */
  readonly maker: 'this' | 'gone' | 'another';
  /** What all who share it ask for: a floating IP, or none. Absent where they differ, and where nobody shares it. */
  readonly agreed?: 'external' | 'internal';
  /** Some of those who agree are internal by cloud.conf alone. */
  readonly byConfig?: true;
}

export function isShared(sharing: Sharing | undefined): boolean {
  return sharing !== undefined && !sharing.decides;
}

const GO = 'kube_service_';
/** A name of this length may have been cut, so it does not tell its Service. */
const CUT = 255;

/** The Service in a name or tag of OCCM; undefined for a cut one. Names of Kubernetes have no underscore. */
export function serviceOfGoTag(tag: unknown): ServiceKey | undefined {
  const text = String(tag);
  const [name = '', namespace = ''] = text.split('_').reverse();
  const isWhole = text.startsWith(GO) && text.length < CUT && text.split('_').length >= 5;
  return isWhole && name !== '' && namespace !== '' ? { namespace, name } : undefined;
}

/** Whether OCCM made a load balancer that no cluster has tagged under another cluster name. A cut name, or any other, tells none. */
export function madeUnderOtherName(
  { id, name, tags }: WireResource,
  key: ServiceKey,
  cluster: ClusterIdentity,
): NotJoined | undefined {
  const made = serviceOfGoTag(name);
  const by = made && String(name).slice(GO.length, -`_${made.namespace}_${made.name}`.length);
  if (by === undefined || by === cluster.name || tagValue(tags, 'cluster') !== undefined) return undefined;
  return { because: 'other-name', named: id, id, key, names: [by, cluster.name] };
}

export function isGoTagOf(tag: unknown, { namespace, name }: ServiceKey): boolean {
  const service = serviceOfGoTag(tag);
  return service?.namespace === namespace && service.name === name;
}

export function goTagsIn(tags: unknown): readonly string[] {
  return (Array.isArray(tags) ? tags.map(String) : []).filter((tag) => tag.startsWith(GO));
}

/** The Services that tags name, sorted, as `NAMESPACE/NAME`. A cut tag that no name tag explains stands for itself. */
export function servicesIn(tags: unknown, cluster: ClusterIdentity): readonly string[] {
  const names = tagValues(tags, 'name');
  const explained = names.flatMap((text) => goTags(cluster.name, keyOfText(text)));
  const services = goTagsIn(tags)
    .filter((tag) => !explained.includes(tag))
    .map((tag) => textOf(serviceOfGoTag(tag)) ?? tag);
  return [...new Set([...names, ...services])].sort();
}

export function isOnIt(
  tags: unknown,
  key: ServiceKey,
  uid: string | undefined,
  cluster: ClusterIdentity,
): boolean {
  if (uid !== undefined && hasTag(tags, serviceTag(uid))) return true;
  return hasTag(tags, nameTag(key)) || goTags(cluster.name, key).some((tag) => hasTag(tags, tag));
}

export function madeForKey({ name }: WireResource): ServiceKey | undefined {
  return serviceOfGoTag(name);
}

/** Whether a load balancer was made in this cluster and namespace. Other Services of the namespace may join it. */
export function isMadeForNamespace(
  loadBalancer: WireResource,
  namespace: string,
  cluster: ClusterIdentity,
): boolean {
  const ofCluster = hasTag(loadBalancer['tags'], clusterTag(cluster));
  return ofCluster && madeForKey(loadBalancer)?.namespace === namespace;
}

/** Services of two clusters on one load balancer cannot be told apart. */
export function isOfAnotherCluster(loadBalancer: WireResource, cluster: ClusterIdentity): boolean {
  const claimed = tagValue(loadBalancer['tags'], 'cluster');
  return claimed !== undefined && claimed !== cluster.id;
}

export function isMakerGone(loadBalancer: WireResource, cluster: ClusterIdentity): boolean {
  const maker = textOf(madeForKey(loadBalancer));
  return maker !== undefined && !servicesIn(loadBalancer['tags'], cluster).includes(maker);
}

/** Whether it is a load balancer of this cluster that the Service it was made for has left. */
export function isLeftToOthers(loadBalancer: WireResource, cluster: ClusterIdentity): boolean {
  return hasTag(loadBalancer['tags'], clusterTag(cluster)) && isMakerGone(loadBalancer, cluster);
}

export function textOf(key: ServiceKey | undefined): string | undefined {
  return key && `${key.namespace}/${key.name}`;
}

function keyOfText(text: string): ServiceKey {
  const [namespace = '', name = ''] = text.split('/');
  return { namespace, name };
}
