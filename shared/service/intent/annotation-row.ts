import type { Config } from '../../config/config.ts';
import type { ReferenceKind } from '../../model/load-balancer/reach.ts';
import type { ResourceTypes } from '../../model/resources.ts';
import type { Parser } from './parsers.ts';
import type { NodeSelector } from '../../model/node/node-selector.ts';

/** Such as `pool.protocol`. */
export type Becomes = {
  [K in keyof ResourceTypes]: `${K}.${string & keyof ResourceTypes[K]}`;
}[keyof ResourceTypes];

interface RowBase<T> {
  /** All spellings; the first one that a Service carries counts. */
  readonly names: readonly string[];
  readonly parse: Parser<NoInfer<T>>;
  /** The value without the annotation, and again when it is removed; absent: not ours to set. */
  readonly otherwise?: (config: Config) => T | undefined;
  /** What it does without a value that is wrong would be less safe than what was asked for: then nothing is changed. */
  readonly blocking?: true;
  /** The value names something of OpenStack, perhaps of somebody else: out of reach it blocks (REACH, decision 36). */
  readonly refers?: ReferenceKind;
  /**
   * Empty in the Go provider's spelling it is none, whatever cloud.conf says, as it is there
   * (docs/sources/go-provider.md, "Annotations").
   */
  readonly orNone?: true;
  /** Of a setting: the attribute in which it ends up. */
  readonly becomes?: Becomes;
  /** A value to copy, which tests apply; words in capitals stand for what every cloud has its own of. */
  readonly example: string;
  readonly doc: string;
}

/** What a row may set: an attribute of every resource of a kind, or a setting that the builders of desired/ read. */
export interface Targets extends ResourceTypes {
  Service: ServiceSettings;
  ServicePort: PortSettings;
}

export type AnnotationRow = {
  [K in keyof Targets]: {
    [A in keyof Targets[K]]: RowBase<Targets[K][A]> & { readonly on: K; readonly sets: A };
  }[keyof Targets[K]];
}[keyof Targets];

/** What a Service asks for, as a whole, that is not simply an attribute of one resource. */
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
  /** A load balancer to be on; empty, or one that a controller noted, says nothing. */
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

/** What one of its ports asks for, likewise. */
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
  /** Of OCCM: every TCP port speaks HTTP, and carries the header. */
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
  /** Of kinx: TLS 1.0 and 1.1 are off. */
  lowTls: boolean;
  /** References to who may sign certificates of clients, and to those that are withdrawn. */
  clientCa: string;
  clientCrl: string;
  /** References for TLS to the members: who may sign theirs, and the load balancer's own. */
  poolCa: string;
  poolCertificate: string;
}

export const PORT_PROTOCOLS = ['tcp', 'http', 'https', 'terminated_https', 'prometheus'] as const;
export type PortProtocol = (typeof PORT_PROTOCOLS)[number];

/** The pool protocol that carries the client's address; null: off. */
export type ProxyProtocol = 'PROXY' | 'PROXYV2' | null;

/** Where a request came from. */
export const FORWARDED = ['X-Forwarded-For', 'X-Forwarded-Port', 'X-Forwarded-Proto'] as const;

/** What a client's certificate says (Octavia API, "Supported HTTP Header Insertions"). */
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
