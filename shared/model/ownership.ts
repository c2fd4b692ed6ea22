/**
 * Names and tags that mark resources as ours. Only this file makes and recognises them;
 * load-balancer/whose.ts concludes from them.
 *
 * levelset-cluster=<UID of kube-system>   load balancers, listeners, L7 policies, floating IPs, security groups: of this
 *                                         cluster
 * levelset-service=<UID>                  the same kinds except L7 policies: of this Service
 * levelset-name=<namespace>/<name>        load balancers, security groups: the Service's name, for when that UID is gone
 * levelset-port=<transport>/<port>        pools: the port for which levelset made it
 * levelset-set=<attribute>+<attribute>    load balancers, listeners, pools, members, monitors: attributes set on request
 * levelset-tag=<Service>/<tag>            load balancers, listeners, pools: a tag that a Service asks for (userTags)
 * levelset-kept=<cluster>/<namespace>     floating IPs kept by keep-floatingip: the namespace that may use it again
 * levelset-shared=<namespace>/<name>      load balancers: the name by which Services share it (`*`: of all namespaces)
 * levelset-allow=<namespace>              load balancers, written by the operator: who may share it (`*`: all)
 * levelset-replaces=<id>                  load balancers, pools: the one whose place it was made to take
 * levelset-adopted=<namespace>/<name>     load balancers of another controller: the Service whose takeover was approved
 *
 * Members and monitors have the owner of their pool, and a pool has the owner of the listener that uses it. levelset
 * also writes OCCM's names, tags and descriptions (docs/sources/occm.md, "Names, tags and
 * descriptions"), so that OCCM can take everything back (decision 7).
 */
import type { Service } from './kubernetes.ts';
import { createHash } from 'node:crypto';
import { ANNOTATION_PREFIX } from './annotation-prefixes.ts';
import { fingerprint } from './json.ts';
import { readUuid } from './text/text.ts';
import type { ServiceKey } from './request.ts';

export const TAG_PREFIX = 'levelset-';

export const FIELD_MANAGER = 'levelset';
export const FINALIZER = 'service.kubernetes.io/load-balancer-cleanup';
export const READY_CONDITION = `${ANNOTATION_PREFIX}Ready`;

/** Annotation of a Service that approves changes. */
export const APPROVE = `${ANNOTATION_PREFIX}approve`;

/** The hashes that an object's annotation approves, separated by commas or white space. */
export function approvalsIn(annotations: Readonly<Record<string, string>> | undefined): readonly string[] {
  return (annotations?.[APPROVE] ?? '').split(/[\s,]+/).filter((hash) => hash !== '');
}

/** The hash of a change that a person copies into the annotation `approve`. */
export function approvalOf(what: readonly unknown[]): string {
  return fingerprint(what).slice(0, 12);
}

export const LOAD_BALANCER_ID = 'loadbalancer.openstack.org/load-balancer-id';
export const LOAD_BALANCER_NAME = `${ANNOTATION_PREFIX}load-balancer-name`;
/** Names Secrets with certificates, for all ports, or with a dot and a port behind it for that one. */
export const TLS_SECRET = `${ANNOTATION_PREFIX}tls-secret`;
export const LOAD_BALANCER_ADDRESS = 'loadbalancer.openstack.org/load-balancer-address';

const MAX_LENGTH = 255;
const SET = `${TAG_PREFIX}set=`;

export interface ClusterIdentity {
  readonly id: string;
  /** `--cluster-name`: makes names, never recognises anything. */
  readonly name: string;
}

export const clusterTag = (cluster: ClusterIdentity): string => `${TAG_PREFIX}cluster=${cluster.id}`;
export const serviceTag = (uid: string): string => `${TAG_PREFIX}service=${uid}`;
export const nameTag = (key: ServiceKey): string => `${TAG_PREFIX}name=${key.namespace}/${key.name}`;

export const portTag = (at: string): string => `${TAG_PREFIX}port=${at}`;

/** Tags that record these attributes: several if one would be too long. */
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

/** The attributes that `levelset-set` tags record, in their order. */
export function recordedIn(tags: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(tags) ? tags : [];
  return list.flatMap((tag) =>
    typeof tag === 'string' && tag.startsWith(SET) ? tag.slice(SET.length).split('+') : [],
  );
}

export const keptTag = (cluster: ClusterIdentity, namespace: string): string =>
  `${TAG_PREFIX}kept=${cluster.id}/${namespace}`;

/** The tag for a sharing name: `NAME` is of the namespace, `cluster/NAME` of all namespaces. */
export const sharedTag = (namespace: string, name: string): string =>
  `${TAG_PREFIX}shared=${name.startsWith('cluster/') ? name.replace('cluster', '*') : `${namespace}/${name}`}`;

/** The tag by which everything of this Service follows levelset, on what another controller made (decision 6). */
export const adoptedTag = (key: ServiceKey): string => `${TAG_PREFIX}adopted=${key.namespace}/${key.name}`;

export const replacesTag = (id: string): string => `${TAG_PREFIX}replaces=${id}`;

/** The value of the first tag `levelset-<name>=`; undefined if there is none. */
export function tagValue(tags: unknown, name: string): string | undefined {
  const start = `${TAG_PREFIX}${name}=`;
  const found = Array.isArray(tags)
    ? tags.find((tag): tag is string => typeof tag === 'string' && tag.startsWith(start))
    : undefined;
  return found?.slice(start.length);
}

export function tagValues(tags: unknown, name: string): readonly string[] {
  const list: readonly unknown[] = Array.isArray(tags) ? tags : [];
  return list.flatMap((tag) => tagValue([tag], name) ?? []);
}

export function hasTag(tags: unknown, tag: string): boolean {
  return Array.isArray(tags) && tags.includes(tag);
}

/**
 * The desired tags, and the observed ones that stay: all but service, kept, set, shared, and owner, which a version before
 * wrote, and users' tags that nobody asks for any more.
 */
export function mergeTags(observed: readonly string[], desired: readonly string[]): readonly string[] {
  const replaced = ['service', 'kept', 'set', 'shared', 'owner'].map((name) => `${TAG_PREFIX}${name}=`);
  const asked = mergeUserTags(observed, desired);
  const stay = asked.observed.filter((tag) => !replaced.some((prefix) => tag.startsWith(prefix)));
  return [...new Set([...stay, ...asked.desired])];
}

/** What stays when somebody else's resource is given back: tags of others, and the operator's `levelset-allow`. */
export function withoutOurTags(observed: readonly string[]): readonly string[] {
  return mergeUserTags(observed, []).observed.filter(
    (tag) => !tag.startsWith(TAG_PREFIX) || tagValue([tag], 'allow') !== undefined,
  );
}

/** OCCM's name and tag of a load balancer, `kube_service_<cluster>_<namespace>_<name>`. */
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

/** OCCM's text plus a short hash, by which a floating IP is found if the answer to its POST was lost. */
export function floatingIPDescription(cluster: ClusterIdentity, key: ServiceKey): string {
  const short = shortHash(`${cluster.id}/${key.namespace}/${key.name}`);
  const text = `${goFloatingIPText(key)} from cluster ${cluster.name}`;
  return `${cut(text, MAX_LENGTH - short.length - 12)} (levelset ${short})`;
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

/** How OCCM's description of this Service's floating IP begins, for any cluster name. */
export function goFloatingIPText(key: ServiceKey): string {
  return `Floating IP for Kubernetes external service ${key.namespace}/${key.name}`;
}

/** OCCM's name of a Service's security group. The UID in it proves whose the group is. */
export function securityGroupName(uid: string, key: ServiceKey): string {
  return cut(`lb-sg-${uid}-${key.namespace}-${key.name}`);
}

export function securityGroupDescription(clusterName: string, key: ServiceKey): string {
  return cut(`${goSecurityGroupText(key)}${clusterName}`);
}

/** How OCCM's description of this Service's security group begins, for any cluster name. */
export function goSecurityGroupText(key: ServiceKey): string {
  return `Security Group for ${key.namespace}/${key.name} Service LoadBalancer in cluster `;
}

/** Cut to the API's length, a name ends in a hash of the whole name (decision 31). */
function cut(text: string, length = MAX_LENGTH): string {
  if (Buffer.byteLength(text) <= length) return text;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 8);
  return `${Buffer.from(text)
    .subarray(0, length - 9)
    .toString()
    .replace(/\uFFFD+$/, '')}-${hash}`;
}

/** How OCCM's and kinx's descriptions begin. */
export const DESCRIPTION_MARK = 'Kubernetes external service ';

const BETWEEN = ` | ${DESCRIPTION_MARK}`;

/** Longest description that a Service may ask for, in bytes. Namespace and name must fit into 255 bytes with it. */
export const LONGEST_DESCRIPTION = 96;

/** The text that a Service asks for, then OCCM's: `Our shop | Kubernetes external service shop/web from cluster kubernetes`. */
export function describe(text: string | undefined, own: string): string {
  if (text === undefined) return own;
  const head = `${text} | `;
  return (
    head +
    Buffer.from(own)
      .subarray(0, MAX_LENGTH - Buffer.byteLength(head))
      .toString()
      .replace(/\uFFFD+$/, '')
  );
}

/** The part of a description that a Service asked for; empty if there is none. */
export function userDescription(description: unknown): string {
  const text = String(description);
  const at = text.lastIndexOf(BETWEEN);
  return at > 0 ? text.slice(0, at) : '';
}

/** The tags, with these attributes taken out of the `levelset-set` record (decision 2). */
export function withoutRecordOf(tags: readonly string[], attributes: readonly string[]): readonly string[] {
  return tags.flatMap((tag) => {
    const recorded = recordedIn([tag]);
    return recorded.length > 0 ? setTags(recorded.filter((name) => !attributes.includes(name))) : [tag];
  });
}

/** The id in the Service's annotation, if it is a UUID (decision 31). */
export function namedId(service: Service): string | undefined {
  return readUuid(service.metadata.annotations?.[LOAD_BALANCER_ID] ?? '');
}

const USER_TAG = `${TAG_PREFIX}tag=`;

/** Longest tag in bytes. Its record has to fit into the 255 characters that Octavia takes. */
export const LONGEST_USER_TAG = 128;

export function isReserved(tag: string): boolean {
  return tag.startsWith('levelset-') || tag.startsWith('kube_service_');
}

/** Tags that a Service asks for, each with the record `levelset-tag=<hash of the Service>/<tag>`: a tag of before stays when the annotation goes. */
export function userTags(key: ServiceKey, tags: readonly string[] = []): readonly string[] {
  return tags.flatMap((tag) => [tag, `${USER_TAG}${hashOfService(key)}/${tag}`]);
}

function hashOfService({ namespace, name }: ServiceKey): string {
  return createHash('sha256').update(`${namespace}/${name}`).digest('hex').slice(0, 8);
}

function userTagIn(record: string): string | undefined {
  return record.startsWith(USER_TAG) ? record.slice(record.indexOf('/') + 1) : undefined;
}

/** Whether a tag is a record, or these tags have a record for it. */
export function isUserTag(tag: string, tags: readonly string[]): boolean {
  return userTagIn(tag) !== undefined || tags.some((one) => userTagIn(one) === tag);
}

/** The observed tags that stay, and the desired ones. A desired tag that was there without a record is somebody else's, and gets none. */
export function mergeUserTags(
  observed: readonly string[],
  desired: readonly string[],
): { readonly observed: readonly string[]; readonly desired: readonly string[] } {
  const owners = serviceHashesIn(desired);
  const records = observed.filter((tag) => userTagIn(tag) !== undefined);
  const over = records.filter(
    (record) => !desired.includes(record) && (!owners || owners.includes(serviceHashIn(record))),
  );
  const kept = records.filter((record) => !over.includes(record)).map(userTagIn);
  const gone = over.map(userTagIn).filter((tag) => !kept.includes(tag));
  const isForeign = (tag: string): boolean =>
    observed.includes(tag) && !records.some((record) => userTagIn(record) === tag);
  return {
    observed: observed.filter((tag) => !over.includes(tag) && !gone.includes(tag)),
    desired: desired.filter((tag) => !isForeign(userTagIn(tag) ?? '')),
  };
}

function serviceHashIn(record: string): string {
  return record.slice(USER_TAG.length, record.indexOf('/'));
}

/** Hashes of the Services that the desired tags name; undefined for a resource of one Service. */
function serviceHashesIn(desired: readonly string[]): readonly string[] | undefined {
  const names = tagValues(desired, 'name');
  if (names.length === 0) return undefined;
  return names.map((text) => {
    const [namespace = '', name = ''] = text.split('/');
    return hashOfService({ namespace, name });
  });
}
