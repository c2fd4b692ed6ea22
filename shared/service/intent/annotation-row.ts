import type { Config } from '../../config/config.ts';
import type { ReferenceKind } from '../../model/load-balancer/reach.ts';
import { attributeRule } from '../../model/attributes.ts';
import type { Need } from '../../model/attributes.ts';
import type { ResourceKind, ResourceTypes } from '../../model/resources.ts';
import type { Parser } from './parsers.ts';
import type { NodeSelector } from '../../model/node/node-selector.ts';

/** Kind and attribute of a resource, such as `pool.protocol`. */
export type TargetAttribute = {
  [K in keyof ResourceTypes]: `${K}.${string & keyof ResourceTypes[K]}`;
}[keyof ResourceTypes];

/** The sections of docs/annotations.md, in order. */
export const TOPICS = {
  'load-balancer': 'The load balancer',
  addresses: 'Its addresses, and who may connect',
  protocol: 'What ports speak',
  tls: 'TLS',
  members: 'Members',
  monitor: 'Health monitors',
} as const;

/**
 * What an annotation needs before it has an effect, as words that follow "needs". It has the needs of attributes (Need), and
 * four more: http is a port of plain HTTP, redirect one that redirects to HTTPS, check a pool with a health monitor.
 */
export const NEEDS = {
  tcp: 'a TCP port',
  requests: 'a port that reads HTTP requests (levelset.openstack.org/protocol, or a certificate)',
  http: 'a port that speaks plain HTTP (levelset.openstack.org/protocol)',
  redirect: 'levelset.openstack.org/redirect-http with the value true',
  tls: 'a port that terminates TLS (a certificate in levelset.openstack.org/tls-container-refs or tls-secret)',
  hsts: 'levelset.openstack.org/hsts-max-age',
  'tls-to-members': 'levelset.openstack.org/pool-tls with the value true',
  check: 'health checks of members (loadbalancer.openstack.org/enable-health-monitor)',
  'http-check':
    'a health check over HTTP (levelset.openstack.org/monitor-type HTTP or HTTPS), and not the one of kube-proxy that externalTrafficPolicy Local brings',
  'floating-ip': 'a floating IP: an external Service with an IPv4 address',
} as const satisfies Readonly<Record<Need | 'http' | 'redirect' | 'check' | 'floating-ip', string>>;

export type AnnotationNeed = keyof typeof NEEDS;

interface RowBase<T> {
  readonly topic: keyof typeof TOPICS;
  /** All spellings; the first one that a Service carries counts. */
  readonly names: readonly string[];
  readonly parse: Parser<NoInfer<T>>;
  /** The value without the annotation, and again when it is removed. Absent: levelset sets nothing then. */
  readonly otherwise?: (config: Config) => T | undefined;
  /** A wrong value blocks the Service: the default would be less safe than what the user wants. */
  readonly blocking?: true;
  /** A value of which no port makes use blocks the Service, since people rely on it (decision 62). */
  readonly unused?: 'blocks';
  /** The kind of thing that the value names, perhaps somebody else's: out of reach it blocks (REACH, decision 36). */
  readonly refers?: ReferenceKind;
  /**
   * An empty value in the Go provider's spelling means "none", whatever cloud.conf says, as it does there
   * (docs/sources/go-provider.md, "Annotations").
   */
  readonly orNone?: true;
  /** A value to copy, which tests apply. Words in capitals stand for ids that differ from cloud to cloud. */
  readonly example: string;
  readonly doc: string;
}

/** Further columns of a setting. The needs of an attribute are in ATTRIBUTES (shared/model/attributes.ts). */
interface SettingColumns {
  Service: { readonly becomes: TargetAttribute | null };
  ServicePort: { readonly becomes: TargetAttribute | null; readonly needs: AnnotationNeed | null };
}

/** What a row may set: an attribute of every resource of a kind, or a setting that the builders of desired/ read. */
export interface Targets extends ResourceTypes {
  Service: ServiceSettings;
  ServicePort: PortSettings;
}

/**
 * One annotation: `on` and `sets` name an attribute of a resource, or a setting of the Service or of its ports. A setting
 * says in `becomes` in which attribute it ends up, if in one, and a port's setting says what it needs.
 */
export type AnnotationRow = {
  [K in keyof Targets]: {
    [A in keyof Targets[K]]: RowBase<Targets[K][A]> & {
      readonly on: K;
      readonly sets: A;
    } & (K extends keyof SettingColumns ? SettingColumns[K] : unknown);
  }[keyof Targets[K]];
}[keyof Targets];

/** The attribute that a row sets, or in which its setting ends up; undefined for a setting of more than one. */
export function targetOf(row: AnnotationRow): readonly [kind: ResourceKind, attribute: string] | undefined {
  if (!('becomes' in row)) return [row.on, row.sets];
  const [kind, attribute] = (row.becomes ?? '').split('.');
  return attribute === undefined ? undefined : [kind as ResourceKind, attribute];
}

/** What a row needs; where one need includes another, the other comes first. */
export function needsOf(row: AnnotationRow): readonly AnnotationNeed[] {
  const [kind] = targetOf(row) ?? [];
  if (kind === 'floatingip') return ['floating-ip'];
  if ('needs' in row) return row.needs === null ? [] : [row.needs];
  if ('becomes' in row) return [];
  const { needs = null } = attributeRule(row.on, row.sets);
  return [
    ...(kind === 'healthmonitor' ? (['check'] as const) : []),
    ...(needs === 'hsts' ? (['tls'] as const) : []),
    ...(needs === null ? [] : [needs]),
  ];
}

/** Settings of a Service as a whole that are not simply an attribute of one resource. */
export interface ServiceSettings {
  internal: boolean;
  keepFloatingip: boolean;
  hostname: string;
  sourceRanges: readonly string[];
  /** Further subnets of the VIP port, each with a VIP of its own. */
  additionalVipSubnetIds: readonly string[];
  /** The subnet in which the nodes are reached. */
  memberSubnetId: string;
  /** Labels of the nodes that become members. */
  nodeSelector: NodeSelector;
  /** Which subnets of the external network may give the floating IP, by name and by tags. */
  floatingSubnet: string;
  floatingSubnetTags: string;
  /** The class of cloud.conf; service-config.ts reads it before all others. */
  loadBalancerClass: string;
  /** The load balancer to share. An empty id, or one that a controller wrote, sets nothing. */
  loadBalancerId: string;
  /** The name by which Services share one: `NAME` in the namespace, `cluster/NAME` in the cluster. */
  loadBalancerName: string;
  /** Name or id of an Octavia flavor. */
  flavor: string;
  /** Tags of the load balancer, and what its description begins with. */
  tags: readonly string[];
  description: string;
  /** While members get the PROXY protocol, a name is published in place of the address. */
  ingressHostname: boolean;
  /** Hashes of changes that wait for approval. */
  approved: readonly string[];
}

/** Settings of one of its ports, likewise. */
export interface PortSettings {
  /** Weights of members, by the names of their nodes. */
  memberWeights: Readonly<Record<string, number>>;
  /** Nodes that get traffic only while no other can. */
  backupMembers: readonly string[];
  listenerTags: readonly string[];
  poolTags: readonly string[];
  monitor: boolean;
  protocol: PortProtocol;
  proxyProtocol: ProxyProtocol;
  /** From the Go provider: every TCP port speaks HTTP, and its requests carry the header. */
  xForwardedFor: boolean;
  xForwardedPort: boolean;
  xForwardedProto: boolean;
  insertHeaders: readonly Header[];
  /** Requests to an HTTP port are sent to HTTPS. */
  redirectHttp: boolean;
  redirectHost: string;
  redirectHttpCode: number;
  /** Certificates in Barbican by reference: the first is the default, the others are for SNI. */
  tlsReferences: readonly string[];
  /** Certificates in Secrets of the Service's namespace, likewise. */
  tlsSecrets: readonly string[];
  /** From kinx: TLS 1.0 and 1.1 are off. */
  lowTls: boolean;
  /** References to the CA that signs certificates of clients, and to its revocation list. */
  clientCa: string;
  clientCrl: string;
  /** References for TLS to the members: the CA of their certificates, and the load balancer's own certificate. */
  poolCa: string;
  poolCertificate: string;
}

export const PORT_PROTOCOLS = ['tcp', 'http', 'https', 'terminated_https', 'prometheus'] as const;
export type PortProtocol = (typeof PORT_PROTOCOLS)[number];

/** The pool protocol that carries the client's address; null: off. */
export type ProxyProtocol = 'PROXY' | 'PROXYV2' | null;

/** Headers that say where a request came from. */
export const FORWARDED = ['X-Forwarded-For', 'X-Forwarded-Port', 'X-Forwarded-Proto'] as const;

/** Headers that describe the certificate of a client (Octavia API, "Supported HTTP Header Insertions"). */
const OF_CERTIFICATES = [
  'X-SSL-Client-Verify',
  'X-SSL-Client-Has-Cert',
  'X-SSL-Client-DN',
  'X-SSL-Client-CN',
  'X-SSL-Issuer',
  'X-SSL-Client-SHA1',
  'X-SSL-Client-Not-Before',
  'X-SSL-Client-Not-After',
] as const;

export const HEADERS = [...FORWARDED, ...OF_CERTIFICATES] as const;
export type Header = (typeof HEADERS)[number];
