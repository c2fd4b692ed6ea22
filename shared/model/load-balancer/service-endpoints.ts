/** The endpoints of a Service that take traffic, and the Pods behind them. */
import { cidrContains } from '../network/cidr.ts';
import type { Endpoint, EndpointSlice, Pod, Service, ServicePort } from '../kubernetes.ts';
import type { Subnet } from '../network/network-facts.ts';

/** A Pod that is a member itself. `port` is the port of its container. */
export interface PodEndpoint {
  readonly pod: string;
  readonly address: string;
  readonly port: number;
}

/** The Pods behind one port of a Service. */
export interface PortEndpoints {
  readonly pods: readonly PodEndpoint[];
  /** IP addresses in an EndpointSlice that levelset does not make members, each with the reason. */
  readonly refused: readonly { readonly address: string; readonly because: string }[];
}

/** The Pods behind each port of a Service, in the order of spec.ports; undefined for a port whose members are nodes. */
export type Endpoints = readonly (PortEndpoints | undefined)[];

type Policy = Pick<Service, 'spec'>;

/** Whether the members of a port are Pods: the port has no node port, and the Service wants none. */
export function goesToPods({ spec }: Policy, { nodePort }: ServicePort): boolean {
  return spec.allocateLoadBalancerNodePorts === false && !nodePort;
}

/** Names of the nodes that have an endpoint which takes traffic, sorted. */
export function localNodes(slices: readonly EndpointSlice[], service: Policy): readonly string[] {
  const endpoints = inService(
    slices.flatMap((slice) => slice.endpoints ?? []),
    service,
  );
  return [...new Set(endpoints.flatMap(({ nodeName }) => nodeName ?? []))].sort();
}

/** The Pods behind a port. Each must be a Pod that the Service selects and that has the IP address (decision 35). */
export function portEndpoints(
  slices: readonly EndpointSlice[],
  port: ServicePort,
  service: Service,
  pods: readonly Pod[],
): PortEndpoints {
  const found = ['IPv4', 'IPv6'].flatMap((family) => {
    const located = slices
      .filter(({ addressType }) => addressType === family)
      .flatMap((slice) => locate(slice, port));
    const serving = new Set(
      inService(
        located.map(({ endpoint }) => endpoint),
        service,
      ),
    );
    return located.filter(({ endpoint }) => serving.has(endpoint));
  });
  const { namespace } = service.metadata;
  const judged = found.map((one) => ({ ...one, because: whyNoPod(one, namespace, pods) }));
  return {
    pods: judged.flatMap(({ endpoint, address, number, because }) =>
      because === undefined ? [{ pod: endpoint.targetRef?.name ?? '', address, port: number }] : [],
    ),
    refused: judged.flatMap(({ address, because }) => (because === undefined ? [] : [{ address, because }])),
  };
}

/**
 * The endpoints that kube-proxy would choose: the ready ones (an absent condition means true), or, if there are none,
 * the terminating ones that still serve (KEP-1669). With publishNotReadyAddresses all endpoints.
 */
function inService(endpoints: readonly Endpoint[], { spec }: Policy): readonly Endpoint[] {
  if (spec.publishNotReadyAddresses === true) return endpoints;
  const ready = endpoints.filter(({ conditions }) => conditions?.ready !== false);
  if (ready.length > 0) return ready;
  return endpoints.filter(
    ({ conditions }) => conditions?.serving === true && conditions.terminating === true,
  );
}

interface Located {
  readonly endpoint: Endpoint;
  readonly address: string;
  readonly number: number;
}

/** The endpoints of a slice with the port's number there. Slices may have different numbers for one port name. */
function locate(
  { ports, endpoints }: EndpointSlice,
  { name = '', protocol = 'TCP' }: ServicePort,
): readonly Located[] {
  const number = (ports ?? []).find(
    (one) => (one.name ?? '') === name && (one.protocol ?? 'TCP') === protocol,
  )?.port;
  if (number === undefined) return [];
  return (endpoints ?? []).flatMap((endpoint) =>
    (endpoint.addresses ?? []).slice(0, 1).map((address) => ({ endpoint, address, number })),
  );
}

/**
 * Why an IP address is not made a member; undefined if it is. An EndpointSlice may name any address, but only a kubelet
 * writes a Pod's status.
 */
function whyNoPod(
  { endpoint: { targetRef }, address }: Located,
  namespace: string,
  pods: readonly Pod[],
): string | undefined {
  if (targetRef?.kind !== 'Pod' || targetRef.name === undefined) return 'its EndpointSlice names no Pod';
  if ((targetRef.namespace ?? namespace) !== namespace)
    return 'its EndpointSlice names a Pod of another namespace';
  const pod = pods.find(({ metadata }) => metadata.name === targetRef.name);
  const uid = pod?.metadata.uid;
  if (uid === undefined || (targetRef.uid ?? uid) !== uid)
    return `its EndpointSlice names Pod ${targetRef.name}, which the Service does not select`;
  // the address of a Pod that has ended stays in its status, and the network gives it to another Pod
  const phase = pod?.status?.phase ?? '';
  if (phase === 'Succeeded' || phase === 'Failed') return `Pod ${targetRef.name} has ended (${phase})`;
  const owns = (pod?.status?.podIPs ?? []).some(({ ip }) => ip === address);
  return owns ? undefined : `it is not an address of Pod ${targetRef.name}`;
}

/** IP addresses of the Pods, each once; only those in the subnet, if one is given. */
export function podAddresses(endpoints: Endpoints = [], subnet?: Subnet): readonly string[] {
  const all = endpoints.flatMap((one) => one?.pods ?? []).map(({ address }) => address);
  return [...new Set(all)].filter((address) => !subnet || cidrContains(subnet.cidr, address));
}

/** Whether all ports of a Service go to Pods. */
export function hasOnlyPods(service: Pick<Service, 'spec'>): boolean {
  const { ports = [] } = service.spec;
  return ports.length > 0 && ports.every((port) => goesToPods(service, port));
}
