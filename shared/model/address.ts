/** How the resources of one load balancer are named among themselves, whether they exist yet or not. */

/**
 * `lb`, `listener/tcp/80`, `pool/tcp/80`, `monitor/tcp/80`, `member/tcp/80/10.0.0.5:30080`, `floatingip`, `securitygroup`,
 * `securitygrouprule/tcp/30080/10.0.0.0/24`, `port/10.0.0.5`, `router/54d3ba2c-...`,
 * `secret/web-tls/0a1b2c3d4e5f6071`.
 */
export type Address = string;

/** An attribute of a resource that need not exist yet, such as `lb.vip_port_id`; bound when it does. */
export interface Ref {
  readonly $ref: `${Address}.${string}`;
}

/**
 * The place of a pool that is built up beside the one in use, before the listener turns to it (decision 11).
 * `tcp/80` is the place of a port; `tcp/80/next` that of the pool that will be, or was, its pool.
 */
export function nextPlace(place: string): string {
  return `${place}/next`;
}

/** `member/tcp/80/10.0.0.5:30080` and `monitor/tcp/80/next` say in which pool they are. */
export function poolAddressOf(address: string): string {
  const [kind, ...place] = address.split('/');
  return `pool/${(kind === 'member' ? place.slice(0, -1) : place).join('/')}`;
}

/**
 * The listener protocols that share the TCP ports of a load balancer (docs/sources/openstack.md, "Protocols on one
 * port").
 */
const TCP_LIKE = ['TCP', 'HTTP', 'HTTPS', 'TERMINATED_HTTPS', 'PROMETHEUS'];

/** `tcp`, `udp` or `sctp`: with the port it names what only one listener can be. */
export function transportOf(listenerProtocol: unknown): string {
  const protocol = String(listenerProtocol);
  return TCP_LIKE.includes(protocol) ? 'tcp' : protocol.toLowerCase();
}

/** `l7rule/tcp/80/redirect` is a rule of `l7policy/tcp/80/redirect`. */
export function policyAddressOf(rule: string): string {
  return `l7policy/${rule.slice('l7rule/'.length)}`;
}
