import * as rule from './attribute-rules.ts';
import type { AttributeRule } from './attribute-rules.ts';

const monitorMethods = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'TRACE', 'OPTIONS', 'CONNECT', 'PATCH'];
const monitorTypes = ['HTTP', 'HTTPS', 'PING', 'TCP', 'TLS-HELLO', 'UDP-CONNECT', 'SCTP'];
const domainName = /^(?=.{1,253}\.?$)(?:(?!-|[^.]+_)[A-Za-z0-9-_]{1,63}(?<!-)(?:\.|$))+$/;

const memberAttributes = {
  name: rule.text(''),
  admin_state_up: rule.flag(true),
  address: rule.once(rule.mandatory(rule.address)),
  protocol_port: rule.once(rule.mandatory(rule.port)),
  weight: rule.number(1, 0, 256),
  backup: rule.flag(false),
  subnet_id: rule.once(rule.uuid),
  ...rule.owner,
  monitor_port: rule.port,
  monitor_address: rule.address,
  tags: rule.keptTags,
};

const healthMonitorAttributes = {
  name: rule.text(''),
  type: rule.once(rule.mandatory(rule.choice(...monitorTypes))),
  delay: rule.mandatory(rule.number(null, 0)),
  timeout: rule.mandatory(rule.number(null, 0)),
  max_retries_down: rule.number(3, 1, 10),
  max_retries: rule.mandatory(rule.number(null, 1, 10)),
  http_method: { ...rule.choice(...monitorMethods), cleared: 'GET' },
  url_path: { ...rule.urlPath, cleared: '/' },
  expected_codes: {
    ...rule.text(null, Infinity),
    pattern: /^(\d{3}(\s*,\s*\d{3})*)$|^(\d{3}-\d{3})$/,
    cleared: '200',
  },
  admin_state_up: rule.flag(true),
  ...rule.owner,
  pool_id: rule.once(rule.mandatory(rule.uuid)),
  tags: rule.keptTags,
  http_version: { ...rule.choice(1.0, 1.1), decimal: true },
  domain_name: { ...rule.text(null), least: 1, pattern: domainName },
};

const actions = ['REJECT', 'REDIRECT_TO_URL', 'REDIRECT_TO_POOL', 'REDIRECT_PREFIX'];
const ruleTypes = [
  ...['HOST_NAME', 'PATH', 'FILE_TYPE', 'HEADER', 'COOKIE'],
  ...['SSL_CONN_HAS_CERT', 'SSL_VERIFY_RESULT', 'SSL_DN_FIELD'],
];
const compareTypes = ['REGEX', 'STARTS_WITH', 'ENDS_WITH', 'CONTAINS', 'EQUAL_TO'];
const oneLine: AttributeRule = { ...rule.text(null), pattern: /^[^\r\n]*$/ };

/** The highest position: a policy without a position goes to the end. */
export const lastPosition = 2147483647;

const l7PolicyAttributes = {
  name: rule.text(''),
  description: rule.text(''),
  admin_state_up: rule.flag(true),
  ...rule.owner,
  action: rule.mandatory(rule.choice(...actions)),
  redirect_pool_id: rule.uuid,
  redirect_url: rule.url,
  redirect_prefix: rule.url,
  position: rule.number(lastPosition, 1, lastPosition),
  listener_id: rule.once(rule.mandatory(rule.uuid)),
  rules: rule.objects,
  tags: rule.tags,
  redirect_http_code: rule.choice(301, 302, 303, 307, 308),
};

const l7RuleAttributes = {
  type: rule.mandatory(rule.choice(...ruleTypes)),
  compare_type: rule.mandatory(rule.choice(...compareTypes)),
  key: oneLine,
  value: rule.mandatory(oneLine),
  invert: rule.flag(false),
  admin_state_up: rule.flag(true),
  ...rule.owner,
  tags: rule.tags,
};

const listenerProtocols = ['TCP', 'HTTPS', 'HTTP', 'TERMINATED_HTTPS', 'UDP', 'SCTP', 'PROMETHEUS'];
const poolProtocols = ['TCP', 'HTTP', 'HTTPS', 'PROXY', 'PROXYV2', 'UDP', 'SCTP'];
const algorithms = ['LEAST_CONNECTIONS', 'ROUND_ROBIN', 'SOURCE_IP', 'SOURCE_IP_PORT'];
const timeout = (fallback: number): AttributeRule => rule.number(fallback, 0, 24 * 24 * 60 * 60 * 1000);

/** OWASP's suite B, which Octavia fills in for a listener or pool that speaks TLS (octavia/common/constants.py). */
const defaultCiphers = [
  ...['TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256', 'TLS_AES_128_GCM_SHA256'],
  ...['DHE-RSA-AES256-GCM-SHA384', 'DHE-RSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES256-GCM-SHA384'],
  ...['ECDHE-RSA-AES128-GCM-SHA256', 'DHE-RSA-AES256-SHA256', 'DHE-RSA-AES128-SHA256'],
  ...['ECDHE-RSA-AES256-SHA384', 'ECDHE-RSA-AES128-SHA256'],
].join(':');

export const tlsDefaults = {
  tls_ciphers: defaultCiphers,
  tls_versions: ['TLSv1.2', 'TLSv1.3'],
  alpn_protocols: ['h2', 'http/1.1', 'http/1.0'],
};

/** Null in an update brings the defaults, also to a listener that speaks no TLS at all (tried on the lab). */
const listenerTls = {
  tls_ciphers: { ...rule.text(null, 2048), cleared: tlsDefaults.tls_ciphers },
  tls_versions: { ...rule.list(null, 32), cleared: tlsDefaults.tls_versions },
  alpn_protocols: { ...rule.alpnProtocols, cleared: tlsDefaults.alpn_protocols },
};

/** Per resource, in Octavia's order: which attributes v2.30 takes, when, and what it fills in (octavia/api/v2/types). */
export const attributeRules = {
  loadbalancer: {
    name: rule.text(''),
    description: rule.text(''),
    admin_state_up: rule.flag(true),
    vip_address: rule.once(rule.address),
    vip_port_id: rule.once(rule.uuid),
    vip_subnet_id: rule.once(rule.uuid),
    vip_network_id: rule.once(rule.uuid),
    vip_qos_policy_id: rule.uuid,
    additional_vips: rule.objects,
    ...rule.owner,
    listeners: rule.objects,
    pools: rule.objects,
    provider: rule.once(rule.text(null, 64)),
    tags: rule.keptTags,
    flavor_id: rule.once(rule.uuid),
    availability_zone: rule.once(rule.text(null)),
    vip_sg_ids: rule.list([]),
  },
  listener: {
    name: rule.text(''),
    description: rule.text(''),
    admin_state_up: rule.flag(true),
    protocol: rule.once(rule.mandatory(rule.choice(...listenerProtocols))),
    protocol_port: rule.once(rule.mandatory(rule.port)),
    connection_limit: rule.number(-1, -1),
    default_tls_container_ref: rule.text(null),
    sni_container_refs: rule.list([], 255),
    ...rule.owner,
    default_pool_id: rule.uuid,
    default_pool: rule.once({ kind: 'object' }),
    l7policies: rule.objects,
    insert_headers: { kind: 'map', fallback: {}, most: 255 },
    loadbalancer_id: rule.once(rule.mandatory(rule.uuid)),
    timeout_client_data: timeout(50000),
    timeout_member_connect: timeout(5000),
    timeout_member_data: timeout(50000),
    timeout_tcp_inspect: timeout(0),
    tags: rule.keptTags,
    client_ca_tls_container_ref: rule.text(null),
    client_authentication: { ...rule.choice('NONE', 'OPTIONAL', 'MANDATORY'), fallback: 'NONE' },
    client_crl_container_ref: rule.text(null),
    allowed_cidrs: rule.cidrs,
    ...listenerTls,
    hsts_max_age: rule.number(null, 0),
    hsts_include_subdomains: rule.flag(false),
    hsts_preload: rule.flag(false),
  },
  pool: {
    name: rule.text(''),
    description: rule.text(''),
    admin_state_up: rule.flag(true),
    listener_id: rule.once(rule.uuid),
    loadbalancer_id: rule.once(rule.uuid),
    protocol: rule.once(rule.mandatory(rule.choice(...poolProtocols))),
    lb_algorithm: { ...rule.mandatory(rule.choice(...algorithms)), notNull: true },
    session_persistence: { kind: 'object', fallback: null },
    ...rule.owner,
    healthmonitor: rule.once({ kind: 'object' }),
    members: rule.once({ kind: 'objects' }),
    tags: rule.keptTags,
    tls_container_ref: rule.text(null),
    ca_tls_container_ref: rule.text(null),
    crl_container_ref: rule.text(null),
    tls_enabled: { ...rule.flag(false), notNull: true },
    tls_ciphers: listenerTls.tls_ciphers,
    tls_versions: listenerTls.tls_versions,
    alpn_protocols: rule.alpnProtocols,
  },
  member: memberAttributes,
  healthmonitor: healthMonitorAttributes,
  l7policy: l7PolicyAttributes,
  rule: l7RuleAttributes,
} satisfies Record<string, Record<string, AttributeRule>>;

export type ResourceKind = keyof typeof attributeRules;

/** How wsme names the argument of each call in its messages. */
export const argumentName: Record<ResourceKind, string> = {
  loadbalancer: 'load_balancer.loadbalancer',
  listener: 'listener_.listener',
  pool: 'pool_.pool',
  member: 'member_.member',
  healthmonitor: 'health_monitor_.healthmonitor',
  l7policy: 'l7policy_.l7policy',
  rule: 'rule_.rule',
};
