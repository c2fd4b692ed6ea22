/**
 * Names that other controllers give, and what they keep in line (docs/sources/occm.md, "Names, tags and descriptions"; docs/sources/kinx.md,
 * "Names of kinx"). A name is never the only proof (decision 10) and is never corrected (decision 4).
 */
import { DESCRIPTION_MARK, loadBalancerName, type ClusterIdentity } from '../ownership.ts';
import type { ServiceKey } from '../request.ts';
import type { WireResource, ResourceKind } from '../resources.ts';

/** Both controllers cut names at this many bytes. */
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
