import type { OctaviaVersion } from './capabilities.ts';
import type { NetworkFacts } from '../network/network-facts.ts';
import type { Problem } from '../plan.ts';
import type { ObservedResource, WireResource } from '../resources.ts';
import type { CertificateFacts, Horizon } from '../tls/certificate-facts.ts';
import type { TlsSecretFacts } from '../tls/tls-secret.ts';
import type { Offers } from './octavia.ts';
import type { Endpoints } from './service-endpoints.ts';
import type { NotJoined, Sharing } from './shared-load-balancer.ts';

export interface FoundLoadBalancers {
  readonly loadBalancer?: WireResource;
  /** Further ones with this Service's tags, since the answer to a POST was lost. `loadBalancer` stays. */
  readonly duplicates: readonly WireResource[];
  /** The load balancer that was made to take the place of `loadBalancer`, and has not done so yet. */
  readonly replacement?: WireResource;
  /** Ids of load balancers of other controllers that could all be this object's. None is taken, and none is created. */
  readonly ambiguous?: readonly string[];
  readonly notJoined?: NotJoined;
}

export interface ObservedService extends FoundLoadBalancers, ObservedEndpoints {
  readonly sharing?: Sharing;
  readonly resources: readonly ObservedResource[];
  readonly facts: NetworkFacts;
  readonly octavia: OctaviaVersion;
  readonly offers: Offers;
  readonly certificates: CertificateFacts;
  readonly secrets: ReadonlyMap<string, TlsSecretFacts>;
  /** Facts for a load balancer that takes this one's place; absent unless some change is approved. */
  readonly ifReplaced?: { readonly facts: NetworkFacts; readonly offers: Offers };
  /** That something could not be read which the members do not need. */
  readonly unread?: readonly Problem[];
  readonly horizon: Horizon;
  /** Ids of children that were in ERROR and were written less than a minute ago. */
  readonly writtenInError: ReadonlySet<string>;
  /** When this process wrote the load balancer, so that not all was read: ms since 1970. No settled record may rest on it. */
  readonly asWrittenSince?: number;
}

/** The endpoints of a Service; empty if its members are all nodes, whether or not they have a Pod. */
export interface ObservedEndpoints {
  /** The nodes that have an endpoint which takes traffic, sorted; absent without externalTrafficPolicy Local. */
  readonly localNodes?: readonly string[];
  readonly endpoints?: Endpoints;
}
