import type { EndpointSlice, Pod, Service } from '../../shared/model/kubernetes.ts';
import type { PodEndpoint } from '../../shared/model/load-balancer/service-endpoints.ts';
import type { Kube } from '../../shared/ports.ts';

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
