import { isIP } from 'node:net';
import { isJson, scalarText, type Json } from '../json.ts';
import { octaviaFault } from '../refusal.ts';

interface AttributeRule {
  readonly kind: 'text' | 'flag' | 'number' | 'uuid' | 'address' | 'texts' | 'map' | 'object' | 'objects';
  readonly fallback?: unknown;
  readonly createOnly?: boolean;
  readonly required?: boolean;
  readonly oneOf?: readonly string[];
  readonly min?: number;
  readonly max?: number;
}

const text: AttributeRule = { kind: 'text', fallback: '' };
const optional: AttributeRule = { kind: 'text', fallback: null };
const tags: AttributeRule = { kind: 'texts', fallback: [] };
const texts: AttributeRule = { kind: 'texts', fallback: null };
const on: AttributeRule = { kind: 'flag', fallback: true };
const off: AttributeRule = { kind: 'flag', fallback: false };
const once = (rule: AttributeRule): AttributeRule => ({ ...rule, createOnly: true });
const uuid = once({ kind: 'uuid', fallback: null });
const number = (fallback: number | null, min: number, max?: number): AttributeRule =>
  max === undefined ? { kind: 'number', fallback, min } : { kind: 'number', fallback, min, max };
const must = (rule: AttributeRule): AttributeRule => ({ ...rule, required: true });
const timeout = (fallback: number): AttributeRule => number(fallback, 0, 31536000000);
const choice = (...oneOf: string[]): AttributeRule => ({ kind: 'text', oneOf, fallback: null });

const named = { name: text, admin_state_up: on, tags };
const tls = { tls_ciphers: optional, tls_versions: texts, alpn_protocols: texts };
const port = once(must(number(null, 1, 65535)));
const address: AttributeRule = { kind: 'address', fallback: null };
const listenerProtocols = ['PROMETHEUS', 'HTTPS', 'SCTP', 'HTTP', 'TCP', 'UDP', 'TERMINATED_HTTPS'];
const poolProtocols = ['HTTPS', 'SCTP', 'HTTP', 'TCP', 'UDP', 'PROXY', 'PROXYV2'];

/** Per resource: which attributes Octavia v2.26 takes, when, and what it fills in (octavia/api/v2/types). */
export const attributeRules = {
  loadbalancer: {
    ...named,
    description: text,
    vip_address: once(address),
    vip_port_id: uuid,
    vip_subnet_id: uuid,
    vip_network_id: uuid,
    vip_qos_policy_id: { kind: 'uuid', fallback: null },
    additional_vips: once({ kind: 'objects', fallback: [] }),
    project_id: once(optional),
    provider: once({ kind: 'text', fallback: 'amphora' }),
    flavor_id: uuid,
    availability_zone: once(optional),
    listeners: once({ kind: 'objects', fallback: [] }),
    pools: once({ kind: 'objects', fallback: [] }),
  },
  listener: {
    ...named,
    ...tls,
    description: text,
    protocol: once(must(choice(...listenerProtocols))),
    protocol_port: port,
    connection_limit: number(-1, -1),
    default_tls_container_ref: optional,
    sni_container_refs: { kind: 'texts', fallback: [] },
    project_id: once(optional),
    default_pool_id: { kind: 'uuid', fallback: null },
    default_pool: once({ kind: 'object' }),
    insert_headers: { kind: 'map', fallback: {} },
    loadbalancer_id: must(uuid),
    timeout_client_data: timeout(50000),
    timeout_member_connect: timeout(5000),
    timeout_member_data: timeout(50000),
    timeout_tcp_inspect: timeout(0),
    client_ca_tls_container_ref: optional,
    client_authentication: { ...choice('NONE', 'OPTIONAL', 'MANDATORY'), fallback: 'NONE' },
    client_crl_container_ref: optional,
    allowed_cidrs: texts,
  },
  pool: {
    ...named,
    ...tls,
    description: text,
    listener_id: uuid,
    loadbalancer_id: uuid,
    protocol: once(must(choice(...poolProtocols))),
    lb_algorithm: must(choice('SOURCE_IP_PORT', 'SOURCE_IP', 'ROUND_ROBIN', 'LEAST_CONNECTIONS')),
    session_persistence: { kind: 'object', fallback: null },
    project_id: once(optional),
    healthmonitor: once({ kind: 'object' }),
    members: once({ kind: 'objects' }),
    tls_container_ref: optional,
    ca_tls_container_ref: optional,
    crl_container_ref: optional,
    tls_enabled: off,
  },
  member: {
    ...named,
    address: once(must(address)),
    protocol_port: port,
    weight: number(1, 0, 256),
    backup: off,
    subnet_id: uuid,
    project_id: once(optional),
    monitor_port: number(null, 1, 65535),
    monitor_address: address,
  },
  healthmonitor: {
    ...named,
    type: once(must(choice('HTTP', 'HTTPS', 'PING', 'SCTP', 'TCP', 'TLS-HELLO', 'UDP-CONNECT'))),
    delay: must(number(null, 0)),
    timeout: must(number(null, 0)),
    max_retries: must(number(null, 1, 10)),
    max_retries_down: number(3, 1, 10),
    http_method: { kind: 'text', fallback: null },
    url_path: optional,
    expected_codes: optional,
    project_id: once(optional),
    pool_id: must(uuid),
    http_version: { kind: 'number', fallback: null },
    domain_name: optional,
  },
} satisfies Record<string, Record<string, AttributeRule>>;

export type ResourceKind = keyof typeof attributeRules;

/**
 * A create body with Octavia's defaults filled in. `parent` names attributes that the caller supplies (nested
 * creates do not carry `loadbalancer_id` or `pool_id`).
 */
export function readCreate(
  kind: ResourceKind,
  body: Json,
  parent: readonly string[] = [],
  argument = argumentName[kind],
): Json {
  const rules: Record<string, AttributeRule> = attributeRules[kind];
  const read = check(kind, body, argument, (rule) => rule !== undefined);
  for (const [name, rule] of Object.entries(rules)) {
    const missing = read[name] === undefined || read[name] === null;
    if (missing && rule.required === true && !parent.includes(name)) {
      throw octaviaFault(
        400,
        `Invalid input for field/attribute ${name}. Value: 'None'. Mandatory field missing.`,
      );
    }
    if (missing && rule.fallback !== undefined) read[name] = structuredClone(rule.fallback);
  }
  return read;
}

/** An update body; null sets an attribute back to its default, attributes fixed at creation are unknown here. */
export function readUpdate(kind: ResourceKind, body: Json): Json {
  const rules: Record<string, AttributeRule> = attributeRules[kind];
  const read = check(
    kind,
    body,
    argumentName[kind],
    (rule) => rule !== undefined && rule.createOnly !== true,
  );
  for (const [name, value] of Object.entries(read))
    if (value === null) read[name] = rules[name]?.fallback ?? null;
  return read;
}

/** How wsme names the argument of each call in its messages. */
export const argumentName: Record<ResourceKind, string> = {
  loadbalancer: 'load_balancer.loadbalancer',
  listener: 'listener_.listener',
  pool: 'pool_.pool',
  member: 'member_.member',
  healthmonitor: 'health_monitor_.healthmonitor',
};

function check(
  kind: ResourceKind,
  body: Json,
  argument: string,
  allowed: (rule: AttributeRule | undefined) => boolean,
): Json {
  const rules: Record<string, AttributeRule> = attributeRules[kind];
  for (const [name, value] of Object.entries(body)) {
    const rule = rules[name] ?? (name === 'tenant_id' ? optional : undefined);
    if (!allowed(rule)) throw octaviaFault(400, `Unknown attribute for argument ${argument}: ${name}`);
    const problem = rule && value !== null ? mismatch(rule, value) : undefined;
    if (problem === undefined) continue;
    const shown = isJson(value) || Array.isArray(value) ? JSON.stringify(value) : scalarText(value);
    throw octaviaFault(400, `Invalid input for field/attribute ${name}. Value: '${shown}'. ${problem}`);
  }
  return structuredClone(body);
}

function mismatch(rule: AttributeRule, value: unknown): string | undefined {
  switch (rule.kind) {
    case 'number':
      if (typeof value !== 'number') return `Expected int`;
      if (rule.min !== undefined && value < rule.min)
        return `Value should be greater or equal to ${rule.min}`;
      return rule.max !== undefined && value > rule.max
        ? `Value should be lower or equal to ${rule.max}`
        : undefined;
    case 'text':
      if (typeof value !== 'string') return 'Value should be str';
      if (rule.oneOf && !rule.oneOf.includes(value))
        return `Value should be one of: ${rule.oneOf.join(', ')}`;
      return value.length > 2048 ? 'Value should have a maximum character requirement of 255' : undefined;
    case 'uuid':
      return typeof value === 'string' && /^[0-9a-f-]{32,36}$/i.test(value)
        ? undefined
        : 'Value should be UUID format';
    case 'address':
      return typeof value === 'string' && isIP(value) > 0 ? undefined : 'Value should be IPv4 or IPv6 format';
    case 'flag':
      return typeof value === 'boolean' ? undefined : 'Value should be bool';
    case 'texts':
    case 'objects':
      return Array.isArray(value) ? undefined : 'Expected list';
    case 'map':
    case 'object':
      return isJson(value) ? undefined : 'Expected object';
  }
}
