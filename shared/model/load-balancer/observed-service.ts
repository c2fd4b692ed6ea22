import type { OctaviaVersion, Offers } from './octavia.ts';
import type { NetworkFacts, Subnet } from '../network/network-facts.ts';
import type { Problem } from '../plan.ts';
import type { ObservedResource, WireResource } from '../resources.ts';
import type { CertificateFacts, Horizon } from '../tls/certificate-facts.ts';
import type { TlsSecretFacts } from '../tls/tls-secret.ts';
import { cidrContains } from '../network/cidr.ts';
import type { Service, ServicePort } from '../kubernetes.ts';
import type { ServiceKey } from '../request.ts';

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

/** A Pod that is a member itself. `port` is the port of its container. */
export interface PodEndpoint {
  readonly pod: string;
  readonly address: string;
  readonly port: number;
}

/** IP addresses in EndpointSlices that levelset does not make members, for one reason. */
export interface RefusedEndpoints {
  readonly because: string;
  /** The first five, sorted. */
  readonly addresses: readonly string[];
  readonly count: number;
}

export interface PortEndpoints {
  readonly pods: readonly PodEndpoint[];
  readonly refused: readonly RefusedEndpoints[];
}

/** The Pods behind each port of a Service, in the order of spec.ports; undefined for a port whose members are nodes. */
export type Endpoints = readonly (PortEndpoints | undefined)[];

export type Policy = Pick<Service, 'spec'>;

/** Whether the members of a port are Pods: the port has no node port, and the Service wants none. */
export function goesToPods({ spec }: Policy, { nodePort }: ServicePort): boolean {
  return spec.allocateLoadBalancerNodePorts === false && !nodePort;
}

export function withoutPodsAt(endpoints: Endpoints, lost: ReadonlySet<string>): Endpoints {
  return endpoints.map(
    (one) => one && { ...one, pods: one.pods.filter(({ address }) => !lost.has(address)) },
  );
}

/** IP addresses of the Pods, each once; only those in the subnet, if one is given. */
export function podAddresses(endpoints: Endpoints = [], subnet?: Subnet): readonly string[] {
  const all = endpoints.flatMap((one) => one?.pods ?? []).map(({ address }) => address);
  return [...new Set(all)].filter((address) => !subnet || cidrContains(subnet.cidr, address));
}

export function hasOnlyPods(service: Pick<Service, 'spec'>): boolean {
  const { ports = [] } = service.spec;
  return ports.length > 0 && ports.every((port) => goesToPods(service, port));
}

export interface JoinIntent {
  /** Id in the annotation `load-balancer-id`; absent without one. */
  readonly id?: string;
  /** Whether a controller wrote the id, together with the address: then a load balancer that is gone is not asked for. */
  readonly noted: boolean;
  /** The tag `levelset-shared` of the sharing name; absent without one. */
  readonly tag?: string;
  readonly internal: boolean;
  readonly limit: number;
  /** Whether the load balancer's maker, or the operator, admits Services of the namespace (decision 20). */
  readonly hasConsent: (loadBalancer: WireResource) => boolean;
}

export interface NotJoined {
  readonly because:
    | 'missing'
    | 'other-cluster'
    | 'other-name'
    | 'no-consent'
    | 'full'
    | 'external'
    | 'has-another';
  readonly named: string;
  readonly id?: string;
  /** The Services on it, as `NAMESPACE/NAME`. */
  readonly others?: readonly string[];
  readonly key: ServiceKey;
  /** With `other-name`: the cluster in the name of the load balancer, and the one of `--cluster-name`. */
  readonly names?: readonly [found: string, given: string];
}

export interface Sharing {
  /** The other Services, sorted: as `NAMESPACE/NAME`, or as a tag that was cut and does not name the Service. */
  readonly others: readonly string[];
  /** Tags that the listeners have and the load balancer lacks. */
  readonly missingTags: readonly string[];
  /** Whether the Service is alone on a load balancer that a controller made: then it decides about VIP, flavor and floating IP. */
  readonly decides: boolean;
  /** For whom the load balancer was made: for this Service, for a Service that has left it, or for another. */
  readonly maker: 'this' | 'gone' | 'another';
  /** What all who share it ask for: a floating IP, or none. Absent where they differ, and where nobody shares it. */
  readonly agreed?: 'external' | 'internal';
  /** Some of those who agree are internal by cloud.conf alone. */
  readonly byConfig?: true;
}

export function isShared(sharing: Sharing | undefined): boolean {
  return sharing !== undefined && !sharing.decides;
}
