import type { PortEndpoints } from './load-balancer/endpoints.ts';
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
