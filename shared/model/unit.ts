import type { PortEndpoints } from './load-balancer/service-endpoints.ts';
import type { Service } from './kubernetes.ts';
import type { Key, ServiceKey } from './request.ts';
import type { TlsSecretFacts } from './tls/tls-secret.ts';

/**
 * The unit of work: one Service with what is its own on a load balancer, nearly always all of it. Its lease and its state
 * go by its UID.
 */
export interface Unit {
  readonly key: Key;
  readonly name: ServiceKey;
  /** The Service as it is now; undefined when the apiserver answered 404. */
  readonly service?: Service;
  /** With externalTrafficPolicy Local: the nodes on which it has an endpoint that takes traffic, sorted. */
  readonly localNodes?: readonly string[];
  /** Without node ports: the Pods behind each of its ports; undefined for a port that has a node port. */
  readonly endpoints?: readonly (PortEndpoints | undefined)[];
  /** What may be told of the Secrets whose certificates it asks for, by name. */
  readonly tlsSecrets?: ReadonlyMap<string, TlsSecretFacts>;
  /** Whether that Service wants a load balancer of ours. */
  readonly wanted: boolean;
}

/** What is remembered of a unit, so that the next sweep need not look deeper (design.md, "The sweep is cheap"). */
export interface UnitState {
  /** Hash of the desired state that was found to be met, or refused. */
  readonly hash: string;
  /** `updated_at` of the load balancer when it was found met; null before its first change. */
  readonly updated_at: string | null;
  /** How many changes wait for approval; absent for none. */
  readonly awaitingApproval?: number;
  /**
   * OpenStack refused to create this very thing: not tried again by sweeps, since each such POST to Octavia leaks a VIP
   * port of the project (decision 39).
   */
  readonly rejected?: string;
}
