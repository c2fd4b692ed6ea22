/**
 * Names and tags that say "ours", written and recognised in this file only.
 *
 * levelset-cluster=<UID of kube-system>   on load balancers, listeners, floating IPs, security groups: of this cluster
 * levelset-service=<UID>                  the same places: belongs to this Service
 * levelset-name=<namespace>/<name>        on load balancers and security groups: found again by a namesake, or when the
 *                                         Service is gone
 * levelset-port=<protocol>/<port>         on pools: which port it was made for, until its listener exists
 * levelset-set=<attribute>+<attribute>     on listeners, pools and monitors: what is set only because somebody asks for it
 * levelset-tag=<Service>/<tag>            on load balancers, listeners and pools: a tag that a Service asks for (user-tags.ts)
 * levelset-kept=<cluster>/<namespace>     on floating IPs kept by keep-floatingip: who may have it again
 * levelset-shared=<namespace>/<name>      on load balancers: by which name Services of a namespace (`*`: of any) share it
 * levelset-owner=<namespace>/<name>       on load balancers: for which Service it was made that left it to others
 * levelset-allow=<namespace>              on load balancers, by the operator and never by us: who may share it (`*`: all)
 * levelset-replaces=<id>                  on load balancers and pools: made to take that one's place
 *
 * Pools, members and monitors belong by their parent. Beside ours stand the names, tags and descriptions of the Go
 * provider (docs/sources/go-provider.md, "Names, tags and descriptions"), so that it can take everything back (decision
 * 7).
 */
import { createHash } from 'node:crypto';
import type { ServiceKey } from './request.ts';
import { mergeUserTags } from './load-balancer/user-tags.ts';
import type { WireResource } from './resources.ts';

/** Prefix of our annotations and condition types (decision 46). */
export const ANNOTATION_PREFIX = 'levelset.openstack.org/';

/** Prefix of our tags and Leases (decision 46). */
export const TAG_PREFIX = 'levelset-';

/** Of all our writes to Kubernetes. */
export const FIELD_MANAGER = 'levelset';
export const FINALIZER = 'service.kubernetes.io/load-balancer-cleanup';
export const READY_CONDITION = `${ANNOTATION_PREFIX}Ready`;

/** On a Service: the changes to what another controller made that may be made. */
export const APPROVE = `${ANNOTATION_PREFIX}approve`;
export const LOAD_BALANCER_ID = 'loadbalancer.openstack.org/load-balancer-id';
export const LOAD_BALANCER_NAME = `${ANNOTATION_PREFIX}load-balancer-name`;
export const LOAD_BALANCER_ADDRESS = 'loadbalancer.openstack.org/load-balancer-address';

const MAX_LENGTH = 255;
const SET = `${TAG_PREFIX}set=`;

export interface ClusterIdentity {
  /** UID of the namespace kube-system. */
  readonly id: string;
  /** `--cluster-name`: makes names, never recognises anything. */
  readonly name: string;
}

export const clusterTag = (cluster: ClusterIdentity): string => `${TAG_PREFIX}cluster=${cluster.id}`;
export const serviceTag = (uid: string): string => `${TAG_PREFIX}service=${uid}`;
export const nameTag = (key: ServiceKey): string => `${TAG_PREFIX}name=${key.namespace}/${key.name}`;

/** `at` is `tcp/80`. */
export const portTag = (at: string): string => `${TAG_PREFIX}port=${at}`;

/** As many tags as it takes: one has a limit of length. */
export function setTags(attributes: readonly string[]): readonly string[] {
  const [head = '', ...rest] = attributes;
  const lines = rest.reduce<readonly string[]>(
    (done, attribute) => {
      const longer = `${done.at(-1) ?? ''}+${attribute}`;
      return longer.length > MAX_LENGTH ? [...done, `${SET}${attribute}`] : [...done.slice(0, -1), longer];
    },
    [`${SET}${head}`],
  );
  return attributes.length > 0 ? lines : [];
}

/** The attributes that such tags record, in order. */
export function recordedIn(tags: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(tags) ? tags : [];
  return list.flatMap((tag) =>
    typeof tag === 'string' && tag.startsWith(SET) ? tag.slice(SET.length).split('+') : [],
  );
}

export const keptTag = (cluster: ClusterIdentity, namespace: string): string =>
  `${TAG_PREFIX}kept=${cluster.id}/${namespace}`;

/** `NAME` is shared within the namespace, `cluster/NAME` by all that have consent. */
export const sharedTag = (namespace: string, name: string): string =>
  `${TAG_PREFIX}shared=${name.startsWith('cluster/') ? name.replace('cluster', '*') : `${namespace}/${name}`}`;

export const ownerTag = (key: ServiceKey): string => `${TAG_PREFIX}owner=${key.namespace}/${key.name}`;

/** On a load balancer that is made to take another one's place, and on a pool that took that of an adopted one. */
export const replacesTag = (id: string): string => `${TAG_PREFIX}replaces=${id}`;

/** The value of the first tag `levelset-<name>=`. */
export function tagValue(tags: unknown, name: string): string | undefined {
  const start = `${TAG_PREFIX}${name}=`;
  const found = Array.isArray(tags)
    ? tags.find((tag): tag is string => typeof tag === 'string' && tag.startsWith(start))
    : undefined;
  return found?.slice(start.length);
}

/** The values of all tags `levelset-<name>=`. */
export function tagValues(tags: unknown, name: string): readonly string[] {
  const list: readonly unknown[] = Array.isArray(tags) ? tags : [];
  return list.flatMap((tag) => tagValue([tag], name) ?? []);
}

export function hasTag(tags: unknown, tag: string): boolean {
  return Array.isArray(tags) && tags.includes(tag);
}

/**
 * What to write: everything that is there, plus ours. Some of ours give way to what is desired: the Service (a namesake
 * inherits), the mark of a kept floating IP that is used again, the record of what we set, and by whom a load balancer is
 * shared or was left.
 */
export function mergeTags(observed: readonly string[], desired: readonly string[]): readonly string[] {
  const replaced = ['service', 'kept', 'set', 'shared', 'owner'].map((name) => `${TAG_PREFIX}${name}=`);
  const asked = mergeUserTags(observed, desired);
  const stay = asked.observed.filter((tag) => !replaced.some((prefix) => tag.startsWith(prefix)));
  return [...new Set([...stay, ...asked.desired])];
}

/** What is left when a resource of somebody else, that we only used, is given back; consent is the operator's. */
export function withoutOurTags(observed: readonly string[]): readonly string[] {
  return mergeUserTags(observed, []).observed.filter(
    (tag) => !tag.startsWith(TAG_PREFIX) || tagValue([tag], 'allow') !== undefined,
  );
}

/** The Go provider's name and tag of a load balancer, `kube_service_<cluster>_<namespace>_<name>`. */
export function loadBalancerName(clusterName: string, key: ServiceKey): string {
  return cut(`kube_service_${clusterName}_${key.namespace}_${key.name}`);
}

export function childName(
  kind: 'listener' | 'pool' | 'monitor' | 'redirect',
  index: number,
  loadBalancer: string,
): string {
  return cut(`${kind}_${index}_${loadBalancer}`);
}

export function loadBalancerDescription(clusterName: string, key: ServiceKey): string {
  return cut(`Kubernetes external service ${key.namespace}/${key.name} from cluster ${clusterName}`);
}

/** The Go provider's text plus our short id: how a floating IP is found when the answer to its POST was lost. */
export function floatingIPDescription(cluster: ClusterIdentity, key: ServiceKey): string {
  const short = createHash('sha256')
    .update(`${cluster.id}/${key.namespace}/${key.name}`)
    .digest('hex')
    .slice(0, 12);
  const text = `${goFloatingIPText(key)} from cluster ${cluster.name}`;
  return `${cut(text, MAX_LENGTH - short.length - 12)} (levelset ${short})`;
}

/** How the Go provider's description of this Service's floating IP begins, whatever the cluster was called. */
export function goFloatingIPText(key: ServiceKey): string {
  return `Floating IP for Kubernetes external service ${key.namespace}/${key.name}`;
}

/** The Go provider's name of a Service's security group. It has the UID in it, so it is proof of whose it is. */
export function securityGroupName(uid: string, key: ServiceKey): string {
  return cut(`lb-sg-${uid}-${key.namespace}-${key.name}`);
}

export function securityGroupDescription(clusterName: string, key: ServiceKey): string {
  return cut(`${goSecurityGroupText(key)}${clusterName}`);
}

/** How the Go provider's description of it begins, whatever the cluster was called. */
export function goSecurityGroupText(key: ServiceKey): string {
  return `Security Group for ${key.namespace}/${key.name} Service LoadBalancer in cluster `;
}

/** Cut to the API's length, ending in a hash of the whole, so that two long names stay two (decision 31). */
function cut(text: string, length = MAX_LENGTH): string {
  if (Buffer.byteLength(text) <= length) return text;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 8);
  return `${Buffer.from(text)
    .subarray(0, length - 9)
    .toString()
    .replace(/\uFFFD+$/, '')}-${hash}`;
}

/**
 * The description of a load balancer: what a Service asks for, then what the Go provider writes, by which a load balancer
 * is recognised (name-schemes.ts). `Our shop | Kubernetes external service shop/web from cluster kubernetes`
 */

/** How the Go provider's and kinx's descriptions begin. */
export const DESCRIPTION_MARK = 'Kubernetes external service ';

const BETWEEN = ` | ${DESCRIPTION_MARK}`;

/** In bytes. Octavia takes 255 characters, and namespace and name must be readable behind it. */
export const LONGEST_DESCRIPTION = 96;

const LONGEST = 255;

/** `own` is the Go provider's text. */
export function describe(text: string | undefined, own: string): string {
  if (text === undefined) return own;
  const head = `${text} | `;
  return (
    head +
    Buffer.from(own)
      .subarray(0, LONGEST - Buffer.byteLength(head))
      .toString()
      .replace(/\uFFFD+$/, '')
  );
}

/** What a Service asked for; empty for everything that is not ours to change. */
export function askedDescription(description: unknown): string {
  const text = String(description);
  const at = text.lastIndexOf(BETWEEN);
  return at > 0 ? text.slice(0, at) : '';
}

/** Tags whose record of what is set only because somebody asks for it does not name these attributes (decision 2). */
export function withoutRecordOf(tags: readonly string[], attributes: readonly string[]): readonly string[] {
  return tags.flatMap((tag) => {
    const recorded = recordedIn([tag]);
    return recorded.length > 0 ? setTags(recorded.filter((name) => !attributes.includes(name))) : [tag];
  });
}

/**
 * Whether another controller made a pool: ours say for which port from the beginning. One of ours that was built up beside
 * such a one takes its place in this as well: what waited for approval waits on.
 */
export function isAdopted({ tags }: Pick<WireResource, string>): boolean {
  return tagValue(tags, 'port') === undefined || tagValue(tags, 'replaces') !== undefined;
}
