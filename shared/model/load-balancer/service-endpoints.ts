import { cidrContains } from '../network/cidr.ts';
import type { Service, ServicePort } from '../kubernetes.ts';
import type { Subnet } from '../network/network-facts.ts';

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
