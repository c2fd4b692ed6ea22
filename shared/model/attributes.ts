import type { Attributes, ResourceKind, ResourceTypes } from './resources.ts';

/**
 * How an attribute may change once the resource exists.
 *
 * - in-place: by an update.
 * - recreate: the resource is deleted and created again.
 * - new-pool: a new pool is filled beside the old one before the listener turns to it (decision 11).
 * - refuse: the change would take away what people depend on, such as the VIP. The plan refuses it and does the rest.
 * - at-create: the value is set once. Later differences are no drift, since names go stale (decision 4).
 */
export type ChangeRule = 'in-place' | 'recreate' | 'new-pool' | 'refuse' | 'at-create';

/**
 * How a desired value is compared with the observed one. Without a rule it is `value`.
 *
 * - value: as JSON; an absent value equals null.
 * - set: lists in any order.
 * - asked-text: a description, of which only the part counts that a Service asks for.
 * - open-cidrs: a set in which "everybody" equals null (decision 2).
 * - tags: our tags must be among the observed ones; all others stay.
 * - set-record: tags, of which only the record `levelset-set` and users' tags count, since each write locks (decision 7).
 * - sparse: an object without its null keys, which the server fills in (decision 2). Null equals an empty object.
 * - reference, references: certificates in Barbican, equal by their id (decision 2); a list in any order.
 * - vips: an additional VIP in each of these subnets, at the IP address that is asked for, if one is.
 * - entries: the named keys of an object; null asks for the key to be absent.
 * - conditions: the named types of a list of conditions, whatever their times.
 */
type CompareRule =
  | 'value'
  | 'set'
  | 'asked-text'
  | 'open-cidrs'
  | 'tags'
  | 'set-record'
  | 'sparse'
  | 'reference'
  | 'references'
  | 'vips'
  | 'entries'
  | 'conditions';

/**
 * What Octavia needs before it takes an attribute, or makes use of it (Octavia API reference of each attribute).
 *
 * - tcp: the port is TCP.
 * - requests: the listener reads HTTP requests (HTTP, TERMINATED_HTTPS).
 * - tls: the listener terminates TLS.
 * - hsts: the listener terminates TLS and hsts_max_age is set.
 * - tls-to-members: the pool has tls_enabled.
 * - http-check: the monitor's type is HTTP or HTTPS.
 */
export type Need = 'tcp' | 'requests' | 'tls' | 'hsts' | 'tls-to-members' | 'http-check';

export interface AttributeRule {
  /** What the attribute needs; null or absent: nothing. */
  readonly needs?: Need | null;
  readonly change: ChangeRule;
  readonly compare?: CompareRule;
  /**
   * The value that leaves the attribute to the server again (decision 2). An attribute that has one is set only on
   * request, and recorded in the resource's tag `levelset-set`; this value is written when nobody asks any more.
   */
  readonly unset?: null | false | 1 | 'NONE' | readonly [] | Attributes;
}

/**
 * Every attribute that levelset sets, by kind of resource. The API references say what may change at all: Octavia,
 * Networking and Key Manager, and Kubernetes for `node` and `nodestatus`.
 */
// prettier-ignore
export const ATTRIBUTES = {
  loadbalancer: {
    name:                { change: 'at-create' },
    description:         { change: 'in-place', compare: 'asked-text' },
    provider:            { change: 'at-create' },
    admin_state_up:      { change: 'in-place' },
    vip_subnet_id:       { change: 'refuse' },
    vip_network_id:      { change: 'refuse' },
    vip_address:         { change: 'refuse' },
    vip_port_id:         { change: 'refuse' },
    additional_vips:     { change: 'refuse', compare: 'vips' },
    vip_qos_policy_id:   { change: 'in-place', unset: null },
    vip_sg_ids:          { change: 'in-place', compare: 'set', unset: [] },
    flavor_id:           { change: 'refuse' },
    availability_zone:   { change: 'refuse' },
    tags:                { change: 'in-place', compare: 'tags' },
  },
  listener: {
    name:                { needs: null, change: 'at-create' },
    protocol:            { needs: null, change: 'recreate' },
    protocol_port:       { needs: null, change: 'recreate' },
    admin_state_up:      { needs: null, change: 'in-place' },
    allowed_cidrs:       { needs: null, change: 'in-place', compare: 'open-cidrs' },
    connection_limit:    { needs: null, change: 'in-place' },
    timeout_client_data:    { needs: null, change: 'in-place', unset: null },
    timeout_member_connect: { needs: null, change: 'in-place', unset: null },
    timeout_member_data:    { needs: null, change: 'in-place', unset: null },
    timeout_tcp_inspect:    { needs: null, change: 'in-place', unset: null },
    insert_headers:      { needs: 'requests', change: 'in-place', compare: 'sparse', unset: {} },
    default_tls_container_ref:   { needs: 'tls', change: 'in-place', compare: 'reference' },
    sni_container_refs:          { needs: 'tls', change: 'in-place', compare: 'references', unset: [] },
    tls_versions:                { needs: 'tls', change: 'in-place', compare: 'set', unset: null },
    tls_ciphers:                 { needs: 'tls', change: 'in-place', unset: null },
    alpn_protocols:              { needs: 'tls', change: 'in-place', unset: null },
    client_authentication:       { needs: 'tls', change: 'in-place', unset: 'NONE' },
    client_ca_tls_container_ref: { needs: 'tls', change: 'in-place', compare: 'reference', unset: null },
    client_crl_container_ref:    { needs: 'tls', change: 'in-place', compare: 'reference', unset: null },
    hsts_max_age:                { needs: 'tls', change: 'in-place', unset: null },
    // docs/sources/openstack.md, "HSTS that nobody asked for"
    hsts_include_subdomains:     { needs: 'hsts', change: 'in-place', unset: false },
    hsts_preload:                { needs: 'hsts', change: 'in-place', unset: false },
    default_pool_id:     { needs: null, change: 'in-place' },
    loadbalancer_id:     { needs: null, change: 'at-create' },
    tags:                { needs: null, change: 'in-place', compare: 'tags' },
  },
  pool: {
    name:                { needs: null, change: 'at-create' },
    protocol:            { needs: null, change: 'new-pool' },
    lb_algorithm:        { needs: null, change: 'in-place' },
    admin_state_up:      { needs: null, change: 'in-place' },
    session_persistence: { needs: null, change: 'in-place', compare: 'sparse' },
    tls_enabled:          { needs: 'tcp', change: 'in-place', unset: false },
    ca_tls_container_ref: { needs: 'tls-to-members', change: 'in-place', compare: 'reference', unset: null },
    tls_container_ref:    { needs: 'tls-to-members', change: 'in-place', compare: 'reference', unset: null },
    tls_versions:         { needs: 'tls-to-members', change: 'in-place', compare: 'set', unset: null },
    tls_ciphers:          { needs: 'tls-to-members', change: 'in-place', unset: null },
    loadbalancer_id:     { needs: null, change: 'at-create' },
    tags:                { needs: null, change: 'in-place', compare: 'set-record' },
  },
  member: {
    name:                { change: 'at-create' },
    address:             { change: 'recreate' },
    protocol_port:       { change: 'recreate' },
    subnet_id:           { change: 'new-pool' },
    monitor_port:        { change: 'in-place' },
    backup:              { change: 'in-place' },
    weight:              { change: 'in-place', unset: 1 },
    admin_state_up:      { change: 'in-place' },
    tags:                { change: 'in-place', compare: 'set-record' },
  },
  healthmonitor: {
    name:                { needs: null, change: 'at-create' },
    type:                { needs: null, change: 'new-pool' },
    delay:               { needs: null, change: 'in-place' },
    timeout:             { needs: null, change: 'in-place' },
    max_retries:         { needs: null, change: 'in-place' },
    max_retries_down:    { needs: null, change: 'in-place' },
    http_method:         { needs: 'http-check', change: 'in-place' },
    http_version:        { needs: 'http-check', change: 'in-place', unset: null },
    domain_name:         { needs: 'http-check', change: 'in-place', unset: null },
    url_path:            { needs: 'http-check', change: 'in-place' },
    expected_codes:      { needs: 'http-check', change: 'in-place' },
    admin_state_up:      { needs: null, change: 'in-place' },
    tags:                { needs: null, change: 'in-place', compare: 'set-record' },
    pool_id:             { needs: null, change: 'at-create' },
  },
  l7policy: {
    name:                { change: 'at-create' },
    action:              { change: 'in-place' },
    redirect_prefix:     { change: 'in-place' },
    redirect_http_code:  { change: 'in-place' },
    position:            { change: 'at-create' },
    admin_state_up:      { change: 'in-place' },
    listener_id:         { change: 'at-create' },
    tags:                { change: 'at-create' },
  },
  l7rule: {
    type:                { change: 'in-place' },
    compare_type:        { change: 'in-place' },
    value:               { change: 'in-place' },
    admin_state_up:      { change: 'in-place' },
  },
  floatingip: {
    floating_network_id: { change: 'refuse' },
    subnet_id:           { change: 'at-create' },
    floating_ip_address: { change: 'refuse' },
    port_id:             { change: 'in-place' },
    fixed_ip_address:    { change: 'in-place' },
    description:         { change: 'at-create' },
    tags:                { change: 'in-place', compare: 'tags' },
  },
  securitygroup: {
    name:                { change: 'at-create' },
    description:         { change: 'at-create' },
    tags:                { change: 'in-place', compare: 'tags' },
  },
  // Neutron changes no rule: another rule has another plan address (model/network/openings.ts)
  securitygrouprule: {
    direction:           { change: 'at-create' },
    ethertype:           { change: 'at-create' },
    protocol:            { change: 'at-create' },
    port_range_min:      { change: 'at-create' },
    port_range_max:      { change: 'at-create' },
    remote_ip_prefix:    { change: 'at-create' },
    security_group_id:   { change: 'at-create' },
  },
  // only our own group is added and removed (service/plan/plan-security-group.ts), and only our own pairs
  // (routes/desired/desire-routes.ts)
  port: {
    security_groups:     { change: 'in-place', compare: 'set' },
    allowed_address_pairs: { change: 'in-place' },
  },
  // others make routers; only our own routes are added and removed (routes/desired/desire-routes.ts)
  router: {
    routes:              { change: 'in-place' },
  },
  secret: {
    name:                { change: 'at-create' },
    mode:                { change: 'at-create' },
    secret_type:         { change: 'at-create' },
    payload:             { change: 'at-create' },
  },
  // a providerID is desired only if the Node has none: Kubernetes lets it be set once
  node: {
    providerID:          { change: 'in-place' },
    labels:              { change: 'in-place', compare: 'entries' },
    annotations:         { change: 'in-place', compare: 'entries' },
    taints:              { change: 'in-place' },
    podCIDRs:            { change: 'in-place' },
  },
  nodestatus: {
    addresses:           { change: 'in-place' },
    conditions:          { change: 'in-place', compare: 'conditions' },
  },
} as const satisfies {
  [K in ResourceKind]: { [A in keyof ResourceTypes[K]]-?: K extends Conditional ? Required<Pick<AttributeRule, 'needs'>> & AttributeRule : AttributeRule };
};

/** Kinds with attributes that have needs. Each attribute of these kinds must state its needs. */
type Conditional = 'listener' | 'pool' | 'healthmonitor';

/** Throws TypeError for an attribute that is not in ATTRIBUTES. */
export function attributeRule(kind: ResourceKind, attribute: string): AttributeRule {
  const rules: Readonly<Record<string, AttributeRule>> = ATTRIBUTES[kind];
  const rule = rules[attribute];
  if (!rule) throw new TypeError(`no rule for ${kind}.${attribute} in ATTRIBUTES`);
  return rule;
}

/** The attributes without needs, and those whose need is among the met ones. */
export function withNeedsMet<T extends object>(kind: ResourceKind, attributes: T, met: readonly Need[]): T {
  const isMet = ([name]: readonly [string, unknown]): boolean => {
    const { needs = null } = attributeRule(kind, name);
    return needs === null || met.includes(needs);
  };
  return Object.fromEntries(Object.entries(attributes).filter(isMet)) as T;
}

/**
 * Whether an attribute can be left to the server again. The name comes from a tag, so it may be no attribute at all.
 */
export function hasUnset(kind: ResourceKind, attribute: string): boolean {
  return Object.hasOwn(ATTRIBUTES[kind], attribute) && attributeRule(kind, attribute).unset !== undefined;
}
