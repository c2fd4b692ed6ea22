/**
 * The names under which other controllers, and older versions of them, made what a Service has:
 * docs/sources/go-provider.md, "Names, tags and descriptions" and docs/sources/kinx.md, "Names of kinx". A name is
 * never the only proof (decision 10) and is never corrected (decision 4).
 */
import { DESCRIPTION_MARK, loadBalancerName } from '../ownership.ts';
import type { ClusterIdentity } from '../ownership.ts';
import type { ServiceKey } from '../request.ts';
import type { WireResource, ResourceKind } from '../resources.ts';

/** Both controllers cut at this many bytes and put nothing in place of what is gone. */
const CUT = 255;
const LEGACY_LENGTH = 32;

/** Whose defaults and habits hold for a load balancer. */
export type Dialect = 'occm' | 'kinx';

export function kinxLoadBalancerName(clusterName: string, key: ServiceKey): string {
  return cut(`kube-service-${clusterName}-${key.namespace}-${key.name}`);
}

/** Of the controllers that went before both; found, never given. */
export function legacyLoadBalancerName(uid: string): string {
  return `a${uid.replaceAll('-', '')}`.slice(0, LEGACY_LENGTH);
}

/** The Go provider's tag as it writes it, and as we do: these differ where it had to be cut. */
export function goTags(clusterName: string, key: ServiceKey): readonly string[] {
  const whole = `kube_service_${clusterName}_${key.namespace}_${key.name}`;
  return [...new Set([loadBalancerName(clusterName, key), cut(whole)])];
}

/** kinx wrote into every description what its driver should do; a legacy name does not say whose it is. */
export function dialectOf(loadBalancer: WireResource): Dialect {
  const { name, description } = loadBalancer;
  const isKinx = String(name).startsWith('kube-service-') || String(description).includes(',lb_version:');
  return isKinx ? 'kinx' : 'occm';
}

/** Made by a controller for a Service, not by a person who let a Service use it. */
export function isMadeForService(loadBalancer: WireResource): boolean {
  return /^(kube_service_|kube-service-|a[0-9a-f]{31}$)/.test(String(loadBalancer['name']));
}

/** The name, or the description, says for which Service it was made. */
export function isMadeFor(loadBalancer: WireResource, key: ServiceKey, uid: string): boolean {
  if (!isMadeForService(loadBalancer)) return false;
  if (loadBalancer['name'] === legacyLoadBalancerName(uid)) return true;
  return ` ${String(loadBalancer['description'])} `.includes(
    ` ${DESCRIPTION_MARK}${key.namespace}/${key.name} `,
  );
}

/** What a load balancer of this Service may be called, and so what its children's names may end in. */
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

/** `listener_0_<name>`, `listener-0-<name>` or, the oldest, `listener_<name>_0`; cut like every name. */
export function isChildName(child: unknown, kind: 'listener' | 'pool', parents: readonly string[]): boolean {
  const name = String(child);
  const [, separator = '', index = ''] = /^[a-z]+([_-])(\d+)\1/.exec(name) ?? [];
  return parents.some((parent) =>
    separator === ''
      ? name.startsWith(`${kind}_${parent}_`)
      : name === cut(`${kind}${separator}${index}${separator}${parent}`),
  );
}

/** A child of some controller's load balancer, for whichever Service. */
export function isControllersName(child: unknown, kind: 'pool'): boolean {
  return new RegExp(
    `^${kind}([_-]\\d+[_-]kube[_-]service[_-]|[_-]\\d+[_-]a[0-9a-f]{31}|_a[0-9a-f]{31}_)`,
  ).test(String(child));
}

/** For which node a controller made a member: the Go provider names it after the node, or serially; so does kinx. */
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
 * What the controllers before us bring into line by themselves once a resource exists (docs/sources/go-provider.md,
 * "What it brings into line"; docs/sources/kinx.md, "What kinx brings into line"). On what they made, everything else
 * would be a behaviour that they never gave, and waits for approval (decision 6). Both give and take listeners with
 * their pools, and members as nodes come and go.
 */
const BEHAVIOUR: Readonly<Record<Dialect, Readonly<Partial<Record<ResourceKind, readonly string[]>>>>> = {
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

export function behaviourOf(dialect: Dialect, kind: ResourceKind): readonly string[] {
  return BEHAVIOUR[dialect][kind] ?? [];
}

/** Who the old controller is, in a sentence. */
export const CONTROLLER: Readonly<Record<Dialect, string>> = { occm: 'the Go provider', kinx: 'kinx' };
