import type { ServicePort } from './kubernetes.ts';

/**
 * What a resource is for, unique within a plan: `lb`, `listener/tcp/80`, `member/tcp/80/10.0.0.5:30080`,
 * `floatingip`, `securitygrouprule/tcp/30080/10.0.0.0/24`, `port/10.0.0.5`, `router/54d3ba2c-...`,
 * `secret/web-tls/0a1b2c3d4e5f6071`.
 */
export type Address = string;

/** Stands for an attribute of a resource that may not exist yet, such as `lb.vip_port_id`, until `apply` knows the value. */
export interface Ref {
  readonly $ref: `${Address}.${string}`;
}

const NEXT = 'next';

/** Where a pool is built beside the one in use (decision 11), until the listener turns to it. */
export function nextPortKey(portKey: string): string {
  return `${portKey}/${NEXT}`;
}

/** Whether this is a pool that is built beside the one in use, or its member or monitor. */
export function isOfNextPool(address: Address): boolean {
  return address.split('/')[3] === NEXT;
}

export function portKeyOfPort({ protocol = 'TCP', port }: Pick<ServicePort, 'protocol' | 'port'>): string {
  return `${protocol.toLowerCase()}/${port}`;
}

const AT_A_PORT = ['listener', 'pool', 'monitor', 'member', 'l7policy', 'l7rule'];

/** `tcp/80` of everything at that port of a Service; empty for what is at none. */
export function portKeyOf(address: Address): string {
  const [kind = '', ...portKey] = address.split('/');
  return AT_A_PORT.includes(kind) ? portKey.slice(0, 2).join('/') : '';
}

/** The plan address of the pool of a member (`member/tcp/80/10.0.0.5:30080`) or of a monitor (`monitor/tcp/80`). */
export function poolAddressOf(address: string): string {
  const [kind, ...portKey] = address.split('/');
  return `pool/${(kind === 'member' ? portKey.slice(0, -1) : portKey).join('/')}`;
}

/** Listener protocols that share TCP ports (docs/sources/openstack.md, "Protocols on one port"). */
const TCP_LIKE = ['TCP', 'HTTP', 'HTTPS', 'TERMINATED_HTTPS', 'PROMETHEUS'];

/** `tcp`, `udp` or `sctp` for a listener protocol. A load balancer has one listener for each transport and port. */
export function transportOf(listenerProtocol: unknown): string {
  const protocol = String(listenerProtocol);
  return TCP_LIKE.includes(protocol) ? 'tcp' : protocol.toLowerCase();
}

/** The plan address of a rule's policy: `l7policy/tcp/80/redirect` for `l7rule/tcp/80/redirect` and for one more, which has its id behind that. */
export function policyAddressOf(rule: string): string {
  const [, ...portKey] = rule.split('/');
  return `l7policy/${portKey.slice(0, 3).join('/')}`;
}

export function isRef(value: unknown): value is Ref {
  return typeof value === 'object' && value !== null && '$ref' in value;
}
