import type { ATTRIBUTES } from '../../../shared/model/attributes.ts';

/** Another value for an attribute; `fixed`: why nobody can change it, not even by OpenStack's API. */
export type Mutation = { readonly to: unknown } | { readonly fixed: string };

const to = (value: unknown): Mutation => ({ to: value });
const fixed = (why: string): Mutation => ({ fixed: why });

const AT_CREATE = fixed('the API takes it in a create only');
const CIPHERS =
  'Octavia fills it in by its configuration, so nobody knows what it was unless somebody asks for it';
const NEWER = 'the simulated Octavia is older: API 2.26';
const OTHER_ID = 'dddddddd-0000-4000-8000-000000000001';
const OTHER_REF = `http://127.0.0.1:9311/v1/secrets/${OTHER_ID}`;
/** Kinds whose drift a Service has. Nodes are Kubernetes'; of a router only routes are levelset's, and no unit of a Service. */
type Kind = Exclude<keyof typeof ATTRIBUTES, 'node' | 'nodestatus' | 'router'>;

/** One for each attribute of the table: a new attribute is a type error here. */
export const MUTATIONS: {
  readonly [K in Kind]: { readonly [A in keyof (typeof ATTRIBUTES)[K]]: Mutation };
} = {
  loadbalancer: {
    name: fixed(
      'by its name it was made for a Service; with another one it is a user’s own, which is no drift',
    ),
    description: to('by hand'),
    provider: AT_CREATE,
    admin_state_up: to(false),
    vip_subnet_id: AT_CREATE,
    vip_network_id: AT_CREATE,
    vip_address: AT_CREATE,
    vip_port_id: AT_CREATE,
    additional_vips: AT_CREATE,
    vip_qos_policy_id: to(OTHER_ID),
    vip_sg_ids: fixed(NEWER),
    flavor_id: AT_CREATE,
    availability_zone: AT_CREATE,
    tags: to('with one more'),
  },
  listener: {
    name: to('by hand'),
    protocol: AT_CREATE,
    protocol_port: AT_CREATE,
    admin_state_up: to(false),
    allowed_cidrs: to(['192.0.2.0/24']),
    connection_limit: to(7),
    timeout_client_data: to(1234),
    timeout_member_connect: to(1234),
    timeout_member_data: to(1234),
    timeout_tcp_inspect: to(123),
    insert_headers: to({ 'X-Forwarded-Port': 'true' }),
    default_tls_container_ref: to(OTHER_REF),
    sni_container_refs: to([OTHER_REF]),
    tls_versions: to(['TLSv1.3']),
    tls_ciphers: fixed(CIPHERS),
    alpn_protocols: to(['http/1.0']),
    client_authentication: to('OPTIONAL'),
    client_ca_tls_container_ref: to(OTHER_REF),
    client_crl_container_ref: to(OTHER_REF),
    hsts_max_age: fixed(NEWER),
    hsts_include_subdomains: fixed(NEWER),
    hsts_preload: fixed(NEWER),
    default_pool_id: to(null),
    loadbalancer_id: AT_CREATE,
    tags: to('without ours'),
  },
  pool: {
    name: to('by hand'),
    protocol: AT_CREATE,
    lb_algorithm: to('SOURCE_IP'),
    admin_state_up: to(false),
    session_persistence: to({ type: 'SOURCE_IP' }),
    tls_enabled: to(true),
    ca_tls_container_ref: to(OTHER_REF),
    tls_container_ref: to(OTHER_REF),
    tls_versions: fixed(CIPHERS),
    tls_ciphers: fixed(CIPHERS),
    loadbalancer_id: AT_CREATE,
    tags: to('with one more'),
  },
  member: {
    name: to('by hand'),
    address: AT_CREATE,
    protocol_port: AT_CREATE,
    subnet_id: AT_CREATE,
    monitor_port: to(4711),
    backup: to(true),
    weight: to(7),
    admin_state_up: to(false),
    tags: to('with one more'),
  },
  healthmonitor: {
    name: to('by hand'),
    type: AT_CREATE,
    delay: to(77),
    timeout: to(2),
    max_retries: to(9),
    max_retries_down: to(8),
    http_method: to('HEAD'),
    http_version: to(1.1),
    domain_name: to('by.hand.example'),
    url_path: to('/by-hand'),
    expected_codes: to('418'),
    admin_state_up: to(false),
    tags: to('with one more'),
    pool_id: AT_CREATE,
  },
  l7policy: {
    name: to('by hand'),
    action: fixed('another action takes other attributes with it'),
    redirect_prefix: to('https://by.hand.example'),
    redirect_http_code: to(307),
    position: fixed('Octavia numbers the policies of a listener anew with each of them'),
    admin_state_up: to(false),
    listener_id: AT_CREATE,
    tags: to('with one more'),
  },
  l7rule: {
    type: to('HEADER'),
    compare_type: to('CONTAINS'),
    value: to('/by-hand'),
    admin_state_up: to(false),
  },
  floatingip: {
    floating_network_id: AT_CREATE,
    subnet_id: AT_CREATE,
    floating_ip_address: AT_CREATE,
    port_id: to(null),
    fixed_ip_address: fixed('it goes with port_id, as long as the VIP port has one IPv4 address'),
    description: to('by hand'),
    tags: to('without ours'),
  },
  securitygroup: {
    name: fixed('by its name and description the group is known; tags say the same'),
    description: fixed('by its name and description the group is known; tags say the same'),
    tags: to('without ours'),
  },
  securitygrouprule: {
    direction: AT_CREATE,
    ethertype: AT_CREATE,
    protocol: AT_CREATE,
    port_range_min: AT_CREATE,
    port_range_max: AT_CREATE,
    remote_ip_prefix: AT_CREATE,
    security_group_id: AT_CREATE,
  },
  port: {
    security_groups: to('without our group'),
    allowed_address_pairs: fixed('levelset sets it for routes, which are no part of a Service'),
  },
  secret: { name: AT_CREATE, mode: AT_CREATE, secret_type: AT_CREATE, payload: AT_CREATE },
};
