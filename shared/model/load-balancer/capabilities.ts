import type { ObservedResource, ResourceKind, ResourceTypes } from '../resources.ts';

/** A version of Octavia's API. */
export interface OctaviaVersion {
  readonly major: number;
  readonly minor: number;
  /** Octavia does not tell it. */
  readonly isAssumed?: true;
}

/** The end of a sentence that says what this cloud would need. */
export const versionInWords = ({ major, minor, isAssumed }: OctaviaVersion): string =>
  isAssumed
    ? `Octavia does not tell its versions here, which counts as ${major}.${minor}`
    : `this cloud has ${major}.${minor}`;

interface CapabilityBase<K extends ResourceKind> {
  readonly kind: K;
  readonly attribute: string & keyof ResourceTypes[K];
  /** Only these values, or objects of these types, need the capability; absent: the attribute needs it with any value. */
  readonly values?: readonly unknown[];
  /** Only ports of this transport need the capability. */
  readonly at?: 'udp';
  /** First minor version of the Octavia API 2 that has the capability; absent: all have it. */
  readonly since?: number;
  /** The ovn provider does not have the capability in any version. */
  readonly notOvn?: true;
  /** The amphora provider, which has several names, does not have it in any version. */
  readonly notAmphora?: true;
  /** The value that levelset sets in place of the desired one; absent: levelset leaves the attribute out. */
  readonly instead?: unknown;
  /** Without the capability the load balancer would be less safe than the user wants, so levelset changes nothing. */
  readonly guards?: true;
  /** Nothing can take the value's place, so levelset leaves out the port, with everything behind it. */
  readonly drops?: true;
  /** levelset sets the attribute of its own accord: there is a Problem only if an annotation sets it. */
  readonly implied?: true;
}

/** Something that not every Octavia, or not every provider, can do. */
export type Capability = { [K in ResourceKind]: CapabilityBase<K> }[ResourceKind];

const HTTP_POOLS = ['HTTP', 'HTTPS', 'PROXY', 'PROXYV2'];

/** The names that Octavia's own provider has had. */
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
 * What not every Octavia has (docs/sources/openstack.md, "Octavia API versions"), and what a provider never has
 * (docs/sources/go-provider.md, "Section LoadBalancer"). Octavia answers an attribute that it does not have with 400:
 * then the whole load balancer is not created.
 */
// prettier-ignore
export const CAPABILITIES: readonly Capability[] = [
  { kind: 'loadbalancer',  attribute: 'flavor_id',         since: 6,  notOvn: true },
  { kind: 'loadbalancer',  attribute: 'availability_zone', since: 14, notOvn: true },
  { kind: 'loadbalancer',  attribute: 'vip_sg_ids',        since: 29, notOvn: true, guards: true },
  { kind: 'listener', attribute: 'timeout_client_data', since: 1, notOvn: true },
  { kind: 'listener', attribute: 'timeout_member_connect', since: 1, notOvn: true },
  { kind: 'listener', attribute: 'timeout_member_data', since: 1, notOvn: true },
  { kind: 'listener', attribute: 'timeout_tcp_inspect', since: 1, notOvn: true },
  { kind: 'listener',      attribute: 'protocol', values: ['HTTP', 'HTTPS'], notOvn: true, instead: 'TCP' },
  { kind: 'listener',      attribute: 'protocol', values: ['TERMINATED_HTTPS'], notOvn: true, instead: 'TCP', guards: true },
  { kind: 'listener',      attribute: 'protocol', values: ['PROMETHEUS'], since: 25, notOvn: true, drops: true },
  { kind: 'listener',      attribute: 'protocol', values: ['UDP'],  since: 2,  drops: true },
  { kind: 'listener',      attribute: 'protocol', values: ['SCTP'], since: 23, drops: true },
  { kind: 'listener',      attribute: 'allowed_cidrs',     since: 12, implied: true },
  { kind: 'listener',      attribute: 'insert_headers',    notOvn: true },
  { kind: 'listener', attribute: 'client_authentication', since: 8, notOvn: true, guards: true },
  { kind: 'listener', attribute: 'client_ca_tls_container_ref', since: 8, notOvn: true, guards: true },
  { kind: 'listener', attribute: 'client_crl_container_ref', since: 8, notOvn: true, guards: true },
  { kind: 'listener',      attribute: 'tls_versions',      since: 17, notOvn: true, guards: true },
  { kind: 'listener',      attribute: 'tls_ciphers',       since: 15, notOvn: true, guards: true },
  { kind: 'listener',      attribute: 'alpn_protocols',    since: 20, notOvn: true },
  { kind: 'listener', attribute: 'hsts_max_age', since: 27, notOvn: true },
  { kind: 'listener', attribute: 'hsts_include_subdomains', since: 27, notOvn: true },
  { kind: 'listener', attribute: 'hsts_preload', since: 27, notOvn: true },
  { kind: 'pool',          attribute: 'protocol', values: HTTP_POOLS, notOvn: true, instead: 'TCP' },
  { kind: 'pool',          attribute: 'protocol', values: ['PROXYV2'], since: 22, instead: 'PROXY' },
  { kind: 'pool',          attribute: 'lb_algorithm', values: ['SOURCE_IP_PORT'], since: 13, notAmphora: true, instead: 'SOURCE_IP' },
  { kind: 'pool',          attribute: 'lb_algorithm', values: ['ROUND_ROBIN'], notOvn: true, instead: 'SOURCE_IP_PORT', implied: true },
  { kind: 'pool',          attribute: 'lb_algorithm', values: ['LEAST_CONNECTIONS', 'SOURCE_IP'], notOvn: true, instead: 'SOURCE_IP_PORT' },
  { kind: 'pool',          attribute: 'session_persistence', values: ['HTTP_COOKIE', 'APP_COOKIE'], notOvn: true, instead: null },
  { kind: 'pool', attribute: 'tls_enabled', since: 8, notOvn: true, guards: true },
  { kind: 'pool', attribute: 'ca_tls_container_ref', since: 8, notOvn: true, guards: true },
  { kind: 'pool', attribute: 'tls_container_ref', since: 8, notOvn: true, guards: true },
  { kind: 'pool',          attribute: 'tls_versions',      since: 18, notOvn: true, guards: true },
  { kind: 'pool',          attribute: 'tls_ciphers',       since: 15, notOvn: true, guards: true },
  { kind: 'healthmonitor', attribute: 'type', values: ['HTTP', 'TCP', 'SCTP'], at: 'udp', since: 16, notOvn: true, instead: 'UDP-CONNECT', implied: true },
  { kind: 'healthmonitor', attribute: 'type', values: ['HTTP', 'HTTPS', 'PING', 'TLS-HELLO', 'SCTP'], notOvn: true, instead: 'TCP', implied: true },
  { kind: 'healthmonitor', attribute: 'http_version',      since: 10, notOvn: true },
  { kind: 'healthmonitor', attribute: 'domain_name',       since: 10, notOvn: true },
  { kind: 'healthmonitor', attribute: 'http_method', notOvn: true, implied: true },
  { kind: 'healthmonitor', attribute: 'http_method', at: 'udp', since: 16, implied: true },
  { kind: 'healthmonitor', attribute: 'url_path', notOvn: true, implied: true },
  { kind: 'healthmonitor', attribute: 'url_path', at: 'udp', since: 16, implied: true },
  { kind: 'healthmonitor', attribute: 'expected_codes', notOvn: true, implied: true },
  { kind: 'healthmonitor', attribute: 'expected_codes', at: 'udp', since: 16, implied: true },
  { kind: 'member',        attribute: 'monitor_port', at: 'udp', since: 16, instead: null, implied: true },
  { kind: 'member',        attribute: 'monitor_port',      notOvn: true, instead: null, implied: true },
  { kind: 'member',        attribute: 'backup', values: [true], since: 1, notOvn: true, instead: false, implied: true },
  { kind: 'l7policy',      attribute: 'redirect_http_code', since: 9 },
];

/** Where Octavia does not tell its version: the oldest that has what stands on a load balancer, so that nothing of it is taken back. */
export function atLeast(octavia: OctaviaVersion, standing: readonly ObservedResource[]): OctaviaVersion {
  if (!octavia.isAssumed) return octavia;
  const shown = standing.flatMap(({ kind, wire }) =>
    CAPABILITIES.filter(
      (one) =>
        one.kind === kind && one.attribute in wire && (one.values?.includes(wire[one.attribute]) ?? true),
    ),
  );
  return { ...octavia, minor: Math.max(octavia.minor, ...shown.map(({ since = 0 }) => since)) };
}

/** The first minor version of the Octavia API 2 that has an attribute; 0: all have it. */
export function attributeSince(kind: ResourceKind, attribute: string): number {
  const found = CAPABILITIES.filter(
    (one) => one.kind === kind && one.attribute === attribute && !one.values && !one.at,
  );
  return Math.max(0, ...found.map(({ since = 0 }) => since));
}
