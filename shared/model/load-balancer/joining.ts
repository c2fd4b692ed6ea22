/** How a Service asks for a load balancer that others may use too. */
import type { ServiceKey } from '../request.ts';
import type { WireResource } from '../resources.ts';

/** What is asked, with what is needed to say yes. */
export interface JoinIntent {
  /** The load balancer that the Service names; absent where it names none, or one that a controller noted. */
  readonly id?: string;
  /** Noted by a controller, together with the address: nothing is asked where there is no such load balancer. */
  readonly noted: boolean;
  /** The tag by which it is shared, of those that share by name. */
  readonly tag?: string;
  /** It must not be reached from outside. */
  readonly internal: boolean;
  /** So many Services on one load balancer. */
  readonly limit: number;
  /** Whether who made it, or the operator, lets Services of the namespace onto it (decision 20). */
  readonly hasConsent: (loadBalancer: WireResource) => boolean;
}

/** Why a Service is not put on the load balancer that it asks for. */
export interface NotJoined {
  readonly because: 'missing' | 'other-cluster' | 'no-consent' | 'full' | 'external' | 'has-another';
  /** What was asked for. */
  readonly asked: string;
  /** Of the load balancer that was found. */
  readonly id?: string;
  /** Who is on it. */
  readonly others?: readonly string[];
  readonly key: ServiceKey;
}
