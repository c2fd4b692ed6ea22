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
