import type { EndpointSlice, Pod, Service } from '../../shared/model/kubernetes.ts';
import type { PodEndpoint } from '../../shared/model/load-balancer/observed-service.ts';
import type { Kube } from '../../shared/ports.ts';

export interface Wanted {
  readonly name?: string;
  readonly namespace?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: Readonly<Record<string, unknown>>;
}

/** A Service as a user would write it: one TCP port unless told otherwise. */
export function aService(wanted: Wanted = {}): {
  kind: 'Service';
  apiVersion: 'v1';
  metadata: { name: string; namespace: string; annotations?: Record<string, string> };
  spec: Record<string, unknown>;
} {
  const { name = 'web', namespace = 'default', annotations, spec = {} } = wanted;
  const ports = [{ name: 'http', port: 80, targetPort: 8080 }];
  return {
    kind: 'Service',
    apiVersion: 'v1',
    metadata: { name, namespace, ...(annotations && { annotations: { ...annotations } }) },
    spec: { type: 'LoadBalancer', ports, selector: { app: name }, ...spec },
  };
}

/** The same as the apiserver would answer it: defaults, node ports and a UID filled in. */
export function aStoredService(wanted: Wanted = {}): Service {
  const made = aService(wanted);
  const ports = (made.spec['ports'] as readonly Record<string, unknown>[]).map((port, index) => ({
    protocol: 'TCP',
    ...(made.spec['allocateLoadBalancerNodePorts'] === false ? {} : { nodePort: 30080 + index }),
    ...port,
  }));
  return {
    metadata: { ...made.metadata, uid: '6a1f6a1f-0000-4000-8000-000000000001', resourceVersion: '1' },
    spec: {
      sessionAffinity: 'None',
      ipFamilies: ['IPv4'],
      externalTrafficPolicy: 'Cluster',
      ...made.spec,
      ports,
    },
  } as unknown as Service;
}

export interface ServicePods {
  /** Nodes with a Pod that takes traffic. */
  readonly nodes: readonly string[];
  /** By port of the Service. */
  readonly behind?: readonly (readonly PodEndpoint[])[];
}

/** The apiserver's answers about the Pods of one Service. */
export function podsOf(
  service: Service,
  { nodes, behind = [] }: ServicePods,
): Pick<Kube, 'listEndpointSlices' | 'listPods'> {
  const { metadata, spec } = service;
  const onNodes: EndpointSlice = {
    metadata,
    addressType: 'IPv4',
    endpoints: nodes.map((nodeName) => ({ nodeName, addresses: ['10.244.0.1'] })),
  };
  const slices = (spec.ports ?? []).flatMap(({ name = '', protocol = 'TCP' }, at) =>
    (behind[at] ?? []).map(({ pod, address, port }): EndpointSlice => ({
      metadata,
      addressType: address.includes(':') ? 'IPv6' : 'IPv4',
      ports: [{ name, protocol, port }],
      endpoints: [{ addresses: [address], targetRef: { kind: 'Pod', name: pod } }],
    })),
  );
  const pods = [...Map.groupBy(behind.flat(), ({ pod }) => pod)].map(([name, all]): Pod => ({
    metadata: { ...metadata, name, uid: name },
    status: { podIPs: all.map(({ address }) => ({ ip: address })) },
  }));
  return {
    listEndpointSlices: () => Promise.resolve([onNodes, ...slices]),
    listPods: () => Promise.resolve(pods),
  };
}
