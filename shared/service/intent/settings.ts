import type { Header } from './headers.ts';
import type { NodeSelector } from '../../model/node/node-selector.ts';

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
  protocol: AskedProtocol;
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

export const ASKED_PROTOCOLS = ['tcp', 'http', 'https', 'terminated_https', 'prometheus'] as const;
export type AskedProtocol = (typeof ASKED_PROTOCOLS)[number];

/** The pool protocol that carries the client's address; null: off. */
export type ProxyProtocol = 'PROXY' | 'PROXYV2' | null;
