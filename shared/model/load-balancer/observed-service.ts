import type { Address } from '../address.ts';
import type { NetworkFacts } from '../network/network-facts.ts';
import type { ObservedResource, WireResource } from '../resources.ts';
import type { CertificateFacts, Horizon } from '../tls/certificate-facts.ts';
import type { TlsSecretFacts } from '../tls/tls-secret.ts';
import type { Offers } from './octavia.ts';
import type { Endpoints } from './service-endpoints.ts';
import type { NotJoined, Sharing } from './shared-load-balancer.ts';

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
export interface ObservedService extends FoundLoadBalancers, ObservedEndpoints {
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

/** What the EndpointSlices of a Service say; empty for one whose members are all nodes. */
export interface ObservedEndpoints {
  /** With externalTrafficPolicy Local: the nodes that have an endpoint which takes traffic, sorted. */
  readonly localNodes?: readonly string[];
  /** By port of the Service: the Pods behind it; undefined for a port that has a node port. */
  readonly endpoints?: Endpoints;
}
