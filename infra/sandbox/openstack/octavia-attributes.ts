import * as rule from './octavia-attribute-rules.ts';
import type { AttributeRule } from './octavia-attribute-rules.ts';
import { healthMonitorAttributes, memberAttributes } from './octavia-pool-parts.ts';
import { l7PolicyAttributes, l7RuleAttributes } from './octavia-l7-attributes.ts';

const listenerProtocols = ['TCP', 'HTTPS', 'HTTP', 'TERMINATED_HTTPS', 'UDP', 'SCTP', 'PROMETHEUS'];
const poolProtocols = ['TCP', 'HTTP', 'HTTPS', 'PROXY', 'PROXYV2', 'UDP', 'SCTP'];
const algorithms = ['LEAST_CONNECTIONS', 'ROUND_ROBIN', 'SOURCE_IP', 'SOURCE_IP_PORT'];
const timeout = (fallback: number): AttributeRule => rule.number(fallback, 0, 24 * 24 * 60 * 60 * 1000);

/** OWASP's suite B: what Octavia fills in where TLS ends (octavia/common/constants.py). */
export const defaultCiphers = [
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

/** Per resource, in Octavia's order: which attributes v2.26 takes, when, and what it fills in (octavia/api/v2/types). */
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
