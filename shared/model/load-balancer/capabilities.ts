import type { ResourceKind } from '../resources.ts';

export interface Capability {
  readonly kind: ResourceKind;
  readonly attribute: string;
  /** Only these values need it; absent: the attribute as such does. */
  readonly values?: readonly unknown[];
  /** Minor version of the Octavia API 2 that has it first. */
  readonly since?: number;
  /** The ovn provider cannot do it in any version. */
  readonly notOvn?: true;
  /** Nor can the amphora provider, which has several names. */
  readonly notAmphora?: true;
  /** What is taken in its place; absent: the attribute is left out. */
  readonly instead?: unknown;
  /** Without it things would go on less safely than was asked for: then nothing is changed. */
  readonly guards?: true;
  /** There is nothing to take in its place: the port is left out, with all that is behind it. */
  readonly drops?: true;
}

const TIMEOUTS = [
  'timeout_client_data',
  'timeout_member_connect',
  'timeout_member_data',
  'timeout_tcp_inspect',
];
const HTTP_LISTENERS = ['HTTP', 'HTTPS', 'TERMINATED_HTTPS'];
const HTTP_CHECK = ['http_method', 'url_path', 'expected_codes'];
const HTTP_POOLS = ['HTTP', 'HTTPS', 'PROXY', 'PROXYV2'];

const CLIENT_CERTIFICATES = [
  'client_authentication',
  'client_ca_tls_container_ref',
  'client_crl_container_ref',
];
const HSTS = ['hsts_max_age', 'hsts_include_subdomains', 'hsts_preload'];
const POOL_REFERENCES = ['tls_enabled', 'ca_tls_container_ref', 'tls_container_ref'];

/** Octavia's own, under the names that it has had. */
const AMPHORA = ['amphora', 'amphorav2', 'octavia'];

/** What a load balancer of this provider, in an Octavia with this minor version of the API, cannot do. */
export function lackingIn(provider: string, minor: number): readonly Capability[] {
  return CAPABILITIES.filter(
    ({ since = 0, notOvn, notAmphora }) =>
      minor < since ||
      (notOvn === true && provider === 'ovn') ||
      (notAmphora === true && AMPHORA.includes(provider)),
  );
}

/**
 * What not every Octavia has (docs/sources/openstack.md, "Octavia API versions") and what the ovn provider never has
 * (docs/sources/go-provider.md, "Section LoadBalancer"). Asked for all the same it would be a 400 for the whole load
 * balancer.
 */
// prettier-ignore
export const CAPABILITIES: readonly Capability[] = [
  { kind: 'loadbalancer',  attribute: 'flavor_id',         since: 6,  notOvn: true },
  { kind: 'loadbalancer',  attribute: 'availability_zone', since: 14, notOvn: true },
  { kind: 'loadbalancer',  attribute: 'vip_sg_ids',        since: 29, notOvn: true, guards: true },
  ...TIMEOUTS.map((attribute) => ({ kind: 'listener', attribute, since: 1, notOvn: true } as const)),
  { kind: 'listener',      attribute: 'protocol', values: HTTP_LISTENERS, notOvn: true, instead: 'TCP' },
  { kind: 'listener',      attribute: 'protocol', values: ['PROMETHEUS'], since: 25, notOvn: true, drops: true },
  { kind: 'listener',      attribute: 'protocol', values: ['UDP'],  since: 2,  drops: true },
  { kind: 'listener',      attribute: 'protocol', values: ['SCTP'], since: 23, drops: true },
  { kind: 'listener',      attribute: 'allowed_cidrs',     since: 12 },
  { kind: 'listener',      attribute: 'insert_headers',    notOvn: true },
  ...CLIENT_CERTIFICATES.map((attribute) => ({ kind: 'listener', attribute, since: 8, notOvn: true, guards: true } as const)),
  { kind: 'listener',      attribute: 'tls_versions',      since: 17, notOvn: true, guards: true },
  { kind: 'listener',      attribute: 'tls_ciphers',       since: 15, notOvn: true, guards: true },
  { kind: 'listener',      attribute: 'alpn_protocols',    since: 20, notOvn: true },
  ...HSTS.map((attribute) => ({ kind: 'listener', attribute, since: 27, notOvn: true } as const)),
  { kind: 'pool',          attribute: 'protocol', values: HTTP_POOLS, notOvn: true, instead: 'TCP' },
  { kind: 'pool',          attribute: 'protocol', values: ['PROXYV2'], since: 22, instead: 'PROXY' },
  { kind: 'pool',          attribute: 'lb_algorithm', values: ['SOURCE_IP_PORT'], since: 13, notAmphora: true, instead: 'SOURCE_IP' },
  { kind: 'pool',          attribute: 'lb_algorithm', values: ['ROUND_ROBIN', 'LEAST_CONNECTIONS', 'SOURCE_IP'], notOvn: true, instead: 'SOURCE_IP_PORT' },
  ...POOL_REFERENCES.map((attribute) => ({ kind: 'pool', attribute, since: 8, notOvn: true, guards: true } as const)),
  { kind: 'pool',          attribute: 'tls_versions',      since: 18, notOvn: true, guards: true },
  { kind: 'pool',          attribute: 'tls_ciphers',       since: 15, notOvn: true, guards: true },
  { kind: 'healthmonitor', attribute: 'type', values: ['HTTP', 'HTTPS', 'PING', 'TLS-HELLO', 'SCTP'], notOvn: true, instead: 'TCP' },
  { kind: 'healthmonitor', attribute: 'http_version',      since: 10, notOvn: true },
  { kind: 'healthmonitor', attribute: 'domain_name',       since: 10, notOvn: true },
  ...HTTP_CHECK.map((attribute) => ({ kind: 'healthmonitor', attribute, notOvn: true } as const)),
  { kind: 'member',        attribute: 'monitor_port',      notOvn: true, instead: null },
  { kind: 'member',        attribute: 'backup', values: [true], since: 1, notOvn: true, instead: false },
  { kind: 'l7policy',      attribute: 'redirect_http_code', since: 9 },
];
