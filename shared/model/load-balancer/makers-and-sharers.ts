/**
 * Who made a load balancer and which Services are on it, by names and tags, and what other makers keep in line (docs/sources/occm.md,
 * "Names, tags and descriptions"; docs/sources/kinx.md, "Names of kinx"). A name is never the only proof (decision 10) and is never corrected
 * (decision 4). Tags of listeners name the Services that share (decision 19); its own tags repeat that for OCCM and for newcomers.
 */
import {
  DESCRIPTION_MARK,
  loadBalancerName,
  type ClusterIdentity,
  clusterTag,
  hasTag,
  nameTag,
  serviceTag,
  tagValue,
  tagValues,
} from '../ownership.ts';
import type { ServiceKey } from '../request.ts';
import type { WireResource, ResourceKind } from '../resources.ts';
import type { NotJoined } from './observed-service.ts';

/** Both controllers cut names at this many bytes; a name of this length does not tell its Service. */
const CUT = 255;
const LEGACY_LENGTH = 32;

export type OtherController = 'occm' | 'kinx';

export function kinxLoadBalancerName(clusterName: string, key: ServiceKey): string {
  return cut(`kube-service-${clusterName}-${key.namespace}-${key.name}`);
}

/** The name that older controllers gave, before OCCM and kinx. levelset recognises it and never gives it. */
export function legacyLoadBalancerName(uid: string): string {
  return `a${uid.replaceAll('-', '')}`.slice(0, LEGACY_LENGTH);
}

/** OCCM's tag, as levelset cuts it and as OCCM does: for a long tag the two differ. */
export function goTags(clusterName: string, key: ServiceKey): readonly string[] {
  const whole = `kube_service_${clusterName}_${key.namespace}_${key.name}`;
  return [...new Set([loadBalancerName(clusterName, key), cut(whole)])];
}

/** The other controller that made a load balancer, by its name, or by the marks of kinx in its description, as with a legacy name. */
export function otherControllerOf(loadBalancer: WireResource): OtherController {
  const { name, description } = loadBalancer;
  const isKinx = String(name).startsWith('kube-service-') || String(description).includes(',lb_version:');
  return isKinx ? 'kinx' : 'occm';
}

/** Whether a controller made the load balancer for a Service. Otherwise a person made it, and let a Service use it. */
export function isMadeByController(loadBalancer: WireResource): boolean {
  return /^(kube_service_|kube-service-|a[0-9a-f]{31}$)/.test(String(loadBalancer['name']));
}

/** Whether name or description of a load balancer say that a controller made it for this Service. */
export function isMadeFor(loadBalancer: WireResource, key: ServiceKey, uid: string): boolean {
  if (!isMadeByController(loadBalancer)) return false;
  if (loadBalancer['name'] === legacyLoadBalancerName(uid)) return true;
  return ` ${String(loadBalancer['description'])} `.includes(
    ` ${DESCRIPTION_MARK}${key.namespace}/${key.name} `,
  );
}

/** Names that a load balancer of this Service may have. The names of listeners and pools on it contain one of these. */
export function schemeNames(
  cluster: ClusterIdentity,
  key: ServiceKey,
  uid: string | undefined,
  loadBalancer?: WireResource,
): readonly string[] {
  const described = loadBalancer && uid !== undefined && isMadeFor(loadBalancer, key, uid);
  return [
    ...goTags(cluster.name, key),
    kinxLoadBalancerName(cluster.name, key),
    ...(uid === undefined ? [] : [legacyLoadBalancerName(uid)]),
    ...(described ? [String(loadBalancer['name'])] : []),
  ];
}

/** Whether a name is `listener_0_<parent>`, `listener-0-<parent>` or, the oldest, `listener_<parent>_0`. */
export function isChildName(child: unknown, kind: 'listener' | 'pool', parents: readonly string[]): boolean {
  const name = String(child);
  const [, separator = '', index = ''] = /^[a-z]+([_-])(\d+)\1/.exec(name) ?? [];
  return parents.some((parent) =>
    separator === ''
      ? name.startsWith(`${kind}_${parent}_`)
      : name === cut(`${kind}${separator}${index}${separator}${parent}`),
  );
}

export function isControllersName(child: unknown, kind: 'pool'): boolean {
  return new RegExp(
    `^${kind}([_-]\\d+[_-]kube[_-]service[_-]|[_-]\\d+[_-]a[0-9a-f]{31}|_a[0-9a-f]{31}_)`,
  ).test(String(child));
}

/** Whether a controller made a member for this node. Both controllers name members after nodes. */
export function isMemberOf(member: WireResource, node: string): boolean {
  const name = String(member['name']);
  const { address, protocol_port: port } = member;
  return (
    name === node ||
    name === cut(`member_${node}_${String(address)}_${String(port)}`) ||
    (/^member-\d+-/.test(name) && name.replace(/^member-\d+-/, '').startsWith(`${node}-kube-service-`))
  );
}

function cut(text: string): string {
  return Buffer.from(text).subarray(0, CUT).toString();
}

/**
 * What the others keep in line (docs/sources/occm.md, "What it brings into line"; docs/sources/kinx.md, "What kinx brings into line"). On their
 * resources a change of any other attribute waits for approval (decision 6). Both also add and remove listeners with their pools, and members.
 */
const BEHAVIOUR: Readonly<
  Record<OtherController, Readonly<Partial<Record<ResourceKind, readonly string[]>>>>
> = {
  occm: {
    listener: [
      'allowed_cidrs',
      'connection_limit',
      'default_pool_id',
      'default_tls_container_ref',
      'insert_headers',
      'timeout_client_data',
      'timeout_member_connect',
      'timeout_member_data',
      'timeout_tcp_inspect',
    ],
    pool: ['protocol', 'lb_algorithm'],
    member: ['monitor_port'],
    healthmonitor: ['type', 'delay', 'timeout', 'max_retries', 'max_retries_down'],
  },
  kinx: {
    listener: ['default_pool_id', 'default_tls_container_ref', 'sni_container_refs'],
  },
};

export function behaviourOf(controller: OtherController, kind: ResourceKind): readonly string[] {
  return BEHAVIOUR[controller][kind] ?? [];
}

export const CONTROLLER: Readonly<Record<OtherController, string>> = { occm: 'OCCM', kinx: 'kinx' };

const GO = 'kube_service_';
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
