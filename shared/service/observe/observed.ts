import type { Address } from '../../model/address.ts';
import type { Node } from '../../model/kubernetes.ts';
import type { OfferQuestion, Offers } from '../../model/load-balancer/octavia.ts';
import type { Endpoints } from '../../model/load-balancer/service-endpoints.ts';
import type { JoinIntent, NotJoined, Sharing } from '../../model/load-balancer/shared-load-balancer.ts';
import type { NetworkFacts, NetworkQuestion, Subnet } from '../../model/network/network-facts.ts';
import type { ClusterIdentity } from '../../model/ownership.ts';
import type { ObservedResource, WireResource } from '../../model/resources.ts';
import type { CertificateFacts, CertificateQuestion, Horizon } from '../../model/tls/certificate-facts.ts';
import type { TlsSecretFacts } from '../../model/tls/tls-secret.ts';
import type { Depth, Unit } from '../../model/unit.ts';
import type { CloudReader, Kube } from '../../ports.ts';
import type { ObservedEndpoints } from './endpoints.ts';
import type { Project } from './project.ts';

/** Which load balancer is the unit's. */
export interface FoundLoadBalancers {
  readonly loadBalancer?: WireResource;
  /** All tagged as ours: made twice, because the answer to a POST was lost. The older one stays. */
  readonly duplicates: readonly WireResource[];
  /** Made to take the place of `loadBalancer`, and not yet in it. */
  readonly replacement?: WireResource;
  /** Ids of load balancers of other controllers that could all be this unit's: none is taken, and none is made. */
  readonly ambiguous?: readonly string[];
  /** The one that the Service asks for is not, or not to be, its load balancer. */
  readonly notJoined?: NotJoined;
}

/** What is there now, for one unit. */
export interface Observed extends FoundLoadBalancers, ObservedEndpoints {
  /** Of `loadBalancer`: what the Service is to it, and who else uses it. */
  readonly sharing?: Sharing;
  readonly resources: readonly ObservedResource[];
  readonly facts: NetworkFacts;
  readonly octavia: { readonly major: number; readonly minor: number };
  readonly offers: Offers;
  /** In Barbican: what the Service refers to. */
  readonly certificates: CertificateFacts;
  /** In Kubernetes: the Secrets that the Service names. */
  readonly secrets: ReadonlyMap<string, TlsSecretFacts>;
  /** Facts for a load balancer that takes this one's place; only where something is approved. */
  readonly ifReplaced?: { readonly facts: NetworkFacts; readonly offers: Offers };
  readonly horizon: Horizon;
  /** By member with weight 0: for so many milliseconds it has taken no new connection. */
  readonly drainedForMs: ReadonlyMap<Address, number>;
  /** This is what our own writes since then led to; no settings were read, so no watermark may rest on it. */
  readonly expectedSinceMs?: number;
}

/** Whose load balancer to find. */
export interface LoadBalancerQuestion {
  readonly unit: Unit;
  readonly cluster: ClusterIdentity;
  /** Undefined when nothing is wanted. */
  readonly join: JoinIntent | undefined;
  readonly depth: Depth;
}

/** Every read that the intent asks for. */
export interface Question extends Pick<LoadBalancerQuestion, 'unit' | 'cluster' | 'depth'> {
  readonly nodes: readonly Node[];
  /** Undefined when nothing is wanted. */
  readonly network: ((endpoints: Endpoints | undefined) => NetworkQuestion) | undefined;
  readonly securityGroup: SecurityGroupQuestion;
  /** What to look up for the load balancer that there is, or for the first one. */
  readonly offers: (octavia: Observed['octavia']) => OfferQuestion;
  /** The same for a load balancer that takes its place; undefined where nothing is approved. */
  readonly offersIfReplaced: ((octavia: Observed['octavia']) => OfferQuestion) | undefined;
  readonly certificates: CertificateQuestion;
  /** Names of Secrets. */
  readonly secrets: readonly string[];
}

export interface SecurityGroupQuestion {
  /** False: there should be none, and hardly ever is. */
  readonly managed: boolean;
  /** The addresses in this subnet whose ports should have the group; none when nothing is wanted. */
  readonly addresses: (
    memberSubnet: Subnet | undefined,
    endpoints: Endpoints | undefined,
  ) => readonly string[];
}

export interface Source extends CloudReader {
  readonly kube: Pick<Kube, 'getSecret' | 'listEndpointSlices' | 'listPods'>;
  /** Read in bulk: load balancers and floating IPs are looked up in it. */
  readonly project?: Project;
}
