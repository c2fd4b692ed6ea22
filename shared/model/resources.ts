/** The resources levelset works with: OpenStack's, and Nodes. Attribute names keep the wire's spelling. */
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

/** A further address of the VIP port, in a subnet of its own. */
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
  /** Takes traffic only while all others are down. */
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

/** Those of Kubernetes. */
export type NodeKind = 'node' | 'nodestatus';

/** Those of OpenStack. */
export type CloudKind = Exclude<ResourceKind, NodeKind>;

export type Attributes = Readonly<Record<string, unknown>>;

/** One resource as it should be. Only the attributes named here are ours to set (decision 2). */
export interface DesiredResource<K extends ResourceKind = ResourceKind> {
  readonly kind: K;
  readonly address: Address;
  /** The address of the resource whose removal removes this one too. */
  readonly parent?: Address;
  /** Why it is to be created, when that is not plain. */
  readonly because?: string;
  /** Only what is there already is changed; nothing is created. */
  readonly ifPresent?: true;
  /** Of a pool of Pods, its members (decision 63); of a security group, its rules (81): none is meant, and not a mistake. */
  readonly mayBeEmpty?: true;
  /** Of a rule of a security group: for which ports of the Service it is, `tcp/80`. */
  readonly places?: readonly string[];
  readonly attributes: Partial<ResourceTypes[K]>;
  /** Of these attributes, those that nobody asked for: what it starts with, and no difference later (decision 2). */
  readonly unasked?: readonly string[];
  /** What else it may be created with, in this order, while there is no free address. */
  readonly alternatives?: readonly Partial<ResourceTypes[K]>[];
}

/** One resource as it was read. `wire` is the whole object as OpenStack answered it. */
export interface ObservedResource<K extends ResourceKind = ResourceKind> {
  readonly kind: K;
  readonly address: Address;
  readonly id: string;
  readonly parent?: Address;
  /** False for what is on a load balancer of ours but carries no mark of ours: reported, never changed. */
  readonly owned: boolean;
  readonly wire: WireResource;
}

/** An object as OpenStack answers it: only `id` is certain. */
export type WireResource = Attributes & { readonly id: string };

/** A redirect to another scheme and host; path and query stay (Octavia API, L7 policies). */
export interface L7Policy {
  name: string;
  action: 'REDIRECT_PREFIX';
  redirect_prefix: string;
  redirect_http_code: number;
  position: number;
  admin_state_up: boolean;
  listener_id: string | Ref;
  tags: readonly string[];
}

/** Which requests a policy is about. */
export interface L7Rule {
  type: 'PATH';
  compare_type: 'STARTS_WITH';
  value: string;
  admin_state_up: boolean;
}

/** Of a listener that terminates TLS. */
export interface ListenerTls {
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

/** Of a pool whose members are spoken to by TLS. */
export interface PoolTls {
  tls_enabled: boolean;
  ca_tls_container_ref: string;
  tls_container_ref: string;
  tls_versions: readonly string[];
  tls_ciphers: string;
}

/** What levelset sets of Neutron's resources, beside a load balancer. */
export interface FloatingIP {
  floating_network_id: string;
  subnet_id: string;
  floating_ip_address: string;
  port_id: string | Ref | null;
  /** Which of several IPv4 addresses of the port. */
  fixed_ip_address: string | Ref;
  description: string;
  tags: readonly string[];
}

/** Made by us for one Service, to be put on the ports of the nodes (service/desired/desire-security-group.ts). */
export interface SecurityGroup {
  name: string;
  description: string;
  tags: readonly string[];
}

/** Neutron changes none of its attributes: what it opens is what it is. */
export interface SecurityGroupRule {
  direction: 'ingress';
  ethertype: 'IPv4' | 'IPv6';
  protocol: string;
  port_range_min: number;
  port_range_max: number;
  remote_ip_prefix: string;
  security_group_id: Ref;
}

/** A node's. It is never made or deleted by us; of its security groups and address pairs only our own come and go. */
export interface Port {
  security_groups: readonly (string | Ref)[];
  allowed_address_pairs: readonly AddressPair[];
}

/** Metadata and spec of a Node: one PATCH. Of labels and annotations only those that are named; null takes one away. */
export interface NodeObject {
  providerID: string;
  labels: Readonly<Record<string, string | null>>;
  annotations: Readonly<Record<string, string | null>>;
  taints: readonly Taint[];
  podCIDRs: readonly string[];
}

/** Its status: another PATCH. Of conditions only those that are named. */
export interface NodeStatus {
  addresses: readonly NodeAddress[];
  conditions: readonly NodeCondition[];
}

/** A certificate that we keep in Barbican as PKCS #12, out of a Secret of the cluster. */
export interface StoredSecret {
  name: string;
  mode: string;
  secret_type: 'opaque';
  payload: StoredPayload;
}

/** Stands in plans for what is never in them: which Secret it is read from, when it is written. */
export interface StoredPayload {
  readonly $secret: string;
  readonly fingerprint: string;
}
