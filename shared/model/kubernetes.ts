/** The parts of Kubernetes objects that levelset reads, as on the wire; timestamps stay strings. */
import type { V1ServicePort, V1ServiceSpec } from '@kubernetes/client-node';

export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly { readonly name: string; readonly uid: string }[];
  /** Who last wrote which fields. Only a Service that was read by itself has it; lists leave it out. */
  readonly managedFields?: readonly ManagedFields[];
}

/** The fields that one manager wrote (Kubernetes documentation, "Server-Side Apply", field management). */
export interface ManagedFields {
  readonly manager?: string;
  readonly subresource?: string;
  readonly time?: string;
  readonly fieldsV1?: Readonly<Record<string, unknown>>;
}

export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

export type ServicePort = V1ServicePort;
export interface LoadBalancerIngress {
  readonly ip?: string;
  readonly hostname?: string;
  readonly ipMode?: string;
  readonly ports?: readonly unknown[];
}

export interface Service {
  readonly metadata: ObjectMeta & { readonly namespace: string };
  readonly spec: V1ServiceSpec;
  readonly status?: {
    readonly loadBalancer?: { readonly ingress?: readonly LoadBalancerIngress[] };
    readonly conditions?: readonly Condition[];
  };
}

export interface Node {
  readonly metadata: ObjectMeta;
  readonly spec?: {
    readonly providerID?: string;
    readonly podCIDRs?: readonly string[];
    readonly taints?: readonly Taint[];
  };
  readonly status?: {
    readonly addresses?: readonly NodeAddress[];
    readonly conditions?: readonly NodeCondition[];
    readonly nodeInfo?: { readonly systemUUID?: string };
  };
}

export interface Taint {
  readonly key: string;
  readonly effect: string;
  readonly value?: string;
  readonly timeAdded?: string;
}

export interface NodeAddress {
  readonly type: string;
  readonly address: string;
  /** Only of a judged Node: the subnets in which ports of its server have it. */
  readonly onPort?: readonly string[];
}

/** The condition of a Node: it also has the time at which it was last confirmed. */
export interface NodeCondition extends Condition {
  readonly lastHeartbeatTime?: string;
}

/** A part of a Service's endpoints (discovery.k8s.io/v1). `ports` hold for all endpoints in it. */
export interface EndpointSlice {
  readonly metadata: ObjectMeta;
  readonly addressType?: string;
  readonly ports?:
    | readonly { readonly name?: string; readonly port?: number; readonly protocol?: string }[]
    | null;
  readonly endpoints?: readonly Endpoint[] | null;
}

export interface Endpoint {
  /** IP addresses of one Pod. Only the first one counts. */
  readonly addresses?: readonly string[];
  readonly nodeName?: string;
  readonly conditions?: {
    readonly ready?: boolean;
    readonly serving?: boolean;
    readonly terminating?: boolean;
  };
  readonly targetRef?: {
    readonly kind?: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly uid?: string;
  };
}

interface Container {
  readonly ports?: readonly { readonly containerPort: number; readonly protocol?: string }[];
}

export interface Pod {
  readonly metadata: ObjectMeta;
  readonly spec?: {
    /** The Pod has the addresses of its Node. */
    readonly hostNetwork?: boolean;
    readonly nodeName?: string;
    readonly containers?: readonly Container[];
    readonly initContainers?: readonly Container[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly podIPs?: readonly { readonly ip: string }[];
  };
}

/** A Secret whose certificate is passed on to Barbican. No log, message or plan shows its `data`. */
export interface Secret {
  readonly metadata: ObjectMeta & { readonly namespace: string };
  readonly type?: string;
  readonly data?: Readonly<Record<string, string>>;
  /** In the place of the data: what a support bundle says of its certificate. No apiserver sends it. */
  readonly facts?: { readonly fingerprint: string; readonly notAfter: string } | { readonly because: string };
}

export interface ConfigMap {
  readonly metadata: ObjectMeta;
  readonly data?: Readonly<Record<string, string>>;
}

/** A coordination.k8s.io/v1 Lease (docs/sources/kubernetes.md, "Leases"). */
export interface Lease {
  readonly metadata: ObjectMeta;
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly acquireTime?: string;
    readonly renewTime?: string;
    readonly leaseTransitions?: number;
  };
}

/** A merge patch of a Service's metadata and status; null removes a field (RFC 7386). */
export interface ServicePatch {
  readonly metadata?: {
    readonly annotations?: Readonly<Record<string, string | null>>;
    readonly finalizers?: readonly string[];
  };
  readonly status?: {
    readonly loadBalancer?: { readonly ingress?: readonly LoadBalancerIngress[] | null };
    readonly conditions?: readonly Condition[];
  };
}

/** An Event to be shown at a Service or a Node (docs/sources/kubernetes.md, "Events of the controllers"). */
export interface ObjectEvent {
  /** The Kubernetes controller that emits such an Event; absent for the controllers of Services and Nodes. */
  readonly component?: 'route_controller';
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** spec.loadBalancerIP as a floating IP; undefined for none, and for IPv6. */
export function requestedFloatingIP({ spec }: Pick<Service, 'spec'>): string | undefined {
  const { loadBalancerIP = '' } = spec;
  return loadBalancerIP === '' || loadBalancerIP.includes(':') ? undefined : loadBalancerIP;
}

/** The IP addresses in the Service's status, in their order. Published hostnames are left out. */
export function publishedAddresses(service: Service | undefined): readonly string[] {
  return (service?.status?.loadBalancer?.ingress ?? []).flatMap(({ ip }) => (ip === undefined ? [] : [ip]));
}
