/** The attributes that levelset sets, by kind of resource. Names and values are those of the wire. */
import type { Address, Ref } from './address.ts';
import type { Router, AddressPair } from './network/routes.ts';
import type { Taint, NodeAddress, NodeCondition } from './kubernetes.ts';

export interface LoadBalancer {
  name: string;
  description: string;
  provider: string;
  admin_state_up: boolean;
  vip_subnet_id: string;
  vip_network_id: string;
  vip_address: string;
  vip_port_id: string;
  additional_vips: readonly AdditionalVip[];
  vip_qos_policy_id: string;
  vip_sg_ids: readonly string[];
  flavor_id: string;
  availability_zone: string;
  tags: readonly string[];
}

/** A further VIP: an IP address of the VIP port in another subnet. */
export interface AdditionalVip {
  readonly subnet_id: string;
  readonly ip_address?: string;
}

export type ListenerProtocol = 'TCP' | 'HTTP' | 'HTTPS' | 'TERMINATED_HTTPS' | 'PROMETHEUS' | 'UDP' | 'SCTP';

export interface Listener extends ListenerTls {
  name: string;
  protocol: ListenerProtocol;
  protocol_port: number;
  admin_state_up: boolean;
  allowed_cidrs: readonly string[] | null;
  connection_limit: number;
  timeout_client_data: number;
  timeout_member_connect: number;
  timeout_member_data: number;
  timeout_tcp_inspect: number;
  insert_headers: Readonly<Record<string, string>>;
  default_pool_id: string | Ref | null;
  loadbalancer_id: string | Ref;
  tags: readonly string[];
}

export type PoolProtocol = 'TCP' | 'HTTP' | 'HTTPS' | 'PROXY' | 'PROXYV2' | 'UDP' | 'SCTP';

export interface Pool extends PoolTls {
  name: string;
  protocol: PoolProtocol;
  lb_algorithm: string;
  admin_state_up: boolean;
  session_persistence: Readonly<Record<string, unknown>> | null;
  loadbalancer_id: string | Ref;
  tags: readonly string[];
}

export interface Member {
  name: string;
  address: string;
  protocol_port: number;
  subnet_id: string;
  monitor_port: number | null;
  /** Whether the member gets traffic only while all members that are no backups are down. */
  backup: boolean;
  /** Share of the new connections, 0 to 256. */
  weight: number;
  admin_state_up: boolean;
  tags: readonly string[];
}

export interface HealthMonitor {
  name: string;
  type: string;
  delay: number;
  timeout: number;
  max_retries: number;
  max_retries_down: number;
  http_method: string;
  http_version: number;
  domain_name: string;
  url_path: string;
  expected_codes: string;
  admin_state_up: boolean;
  tags: readonly string[];
  pool_id: string | Ref;
}

export interface ResourceTypes {
  loadbalancer: LoadBalancer;
  listener: Listener;
  pool: Pool;
  member: Member;
  healthmonitor: HealthMonitor;
  l7policy: L7Policy;
  l7rule: L7Rule;
  floatingip: FloatingIP;
  securitygroup: SecurityGroup;
  securitygrouprule: SecurityGroupRule;
  port: Port;
  router: Router;
  secret: StoredSecret;
  node: NodeObject;
  nodestatus: NodeStatus;
}

export type ResourceKind = keyof ResourceTypes;

/** Kinds in Kubernetes. */
export type NodeKind = 'node' | 'nodestatus';

/** Kinds in OpenStack. */
export type CloudKind = Exclude<ResourceKind, NodeKind>;

export type Attributes = Readonly<Record<string, unknown>>;

/** One resource as it should be. levelset sets only the attributes in `attributes` (decision 2). */
export interface DesiredResource<K extends ResourceKind = ResourceKind> {
  readonly kind: K;
  readonly address: Address;
  /** Plan address of the resource whose removal removes this one, too. */
  readonly parent?: Address;
  /** The reason for a create, if it is not plain. */
  readonly because?: string;
  /** The resource is changed if it exists, and never created. */
  readonly ifPresent?: true;
  /** A pool of Pods without members (decision 63), or a security group without rules (decision 420), is intended. */
  readonly mayBeEmpty?: true;
  /** Ports of the Service for which a rule of a security group is desired, such as `tcp/80`. */
  readonly places?: readonly string[];
  readonly attributes: Partial<ResourceTypes[K]>;
  /** Attributes that nobody asked for. A create sets them, and later differences do not count (decision 2). */
  readonly unasked?: readonly string[];
  /** Attributes to try next, in this order, while OpenStack has no free IP address. */
  readonly alternatives?: readonly Partial<ResourceTypes[K]>[];
}

/** One resource as it was read. */
export interface ObservedResource<K extends ResourceKind = ResourceKind> {
  readonly kind: K;
  readonly address: Address;
  readonly id: string;
  readonly parent?: Address;
  /** Whether the resource is this unit's. One that is not is reported and never changed. */
  readonly owned: boolean;
  /** The whole object as the API answered it. */
  readonly wire: WireResource;
}

/** An object as OpenStack answers it. Only `id` is certain. */
export type WireResource = Attributes & { readonly id: string };

/** A policy that redirects to another scheme and host; path and query stay (Octavia API, L7 policies). */
interface L7Policy {
  name: string;
  action: 'REDIRECT_PREFIX';
  redirect_prefix: string;
  redirect_http_code: number;
  position: number;
  admin_state_up: boolean;
  listener_id: string | Ref;
  tags: readonly string[];
}

/** A condition on requests for which an L7 policy applies. */
interface L7Rule {
  type: 'PATH';
  compare_type: 'STARTS_WITH';
  value: string;
  admin_state_up: boolean;
}

/** Attributes of a listener that terminates TLS. */
interface ListenerTls {
  default_tls_container_ref: string | Ref;
  sni_container_refs: readonly (string | Ref)[];
  tls_versions: readonly string[];
  tls_ciphers: string;
  alpn_protocols: readonly string[];
  client_authentication: string;
  client_ca_tls_container_ref: string;
  client_crl_container_ref: string;
  hsts_max_age: number;
  hsts_include_subdomains: boolean;
  hsts_preload: boolean;
}

/** Attributes of a pool that speaks TLS to its members. */
interface PoolTls {
  tls_enabled: boolean;
  ca_tls_container_ref: string;
  tls_container_ref: string;
  tls_versions: readonly string[];
  tls_ciphers: string;
}

interface FloatingIP {
  floating_network_id: string;
  subnet_id: string;
  floating_ip_address: string;
  port_id: string | Ref | null;
  /** The IP address of the port for which the floating IP is, if the port has several IPv4 addresses. */
  fixed_ip_address: string | Ref;
  description: string;
  tags: readonly string[];
}

/**
 * A security group that levelset makes for one Service and puts on the ports of the nodes
 * (service/desired/desire-security-group.ts).
 */
interface SecurityGroup {
  name: string;
  description: string;
  tags: readonly string[];
}

/** A rule of a security group. Neutron changes none of its attributes. */
interface SecurityGroupRule {
  direction: 'ingress';
  ethertype: 'IPv4' | 'IPv6';
  protocol: string;
  port_range_min: number;
  port_range_max: number;
  remote_ip_prefix: string;
  security_group_id: Ref;
}

/**
 * A Neutron port of a node. levelset neither makes nor deletes it, and changes only its own group and address pairs
 * there.
 */
export interface Port {
  security_groups: readonly (string | Ref)[];
  allowed_address_pairs: readonly AddressPair[];
}

/**
 * Metadata and spec of a Node, written by one PATCH. Only the labels and annotations named here change; null removes
 * one.
 */
export interface NodeObject {
  providerID: string;
  labels: Readonly<Record<string, string | null>>;
  annotations: Readonly<Record<string, string | null>>;
  taints: readonly Taint[];
  podCIDRs: readonly string[];
}

/** The status of a Node, written by a PATCH of its own. Only the conditions named here change. */
export interface NodeStatus {
  addresses: readonly NodeAddress[];
  conditions: readonly NodeCondition[];
}

/** A certificate from a Secret of the cluster, stored in Barbican as PKCS #12. */
interface StoredSecret {
  name: string;
  mode: string;
  secret_type: 'opaque';
  payload: StoredPayload;
}

/** Stands for the certificate in plans, which never hold it. The Secret of this name is read when the step runs. */
export interface StoredPayload {
  readonly $secret: string;
  readonly fingerprint: string;
}
