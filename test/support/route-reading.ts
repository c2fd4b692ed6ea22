import type { RouteReading } from '../../shared/routes/desired/node-routes.ts';
import type { Node, NodeCondition } from '../../shared/model/kubernetes.ts';
import type { RoutePort, WrittenRoute } from '../../shared/model/network/routes.ts';

export const ROUTER = '54d3ba2c-2f27-4701-9154-23afcc682dd3';
const SUBNET = 'aaaaaaaa-0000-4000-8000-000000000001';
const SUBNET_IPV6 = 'aaaaaaaa-0000-4000-8000-000000000006';
/** Of the project, but the router is not on it. */
export const ELSEWHERE = 'aaaaaaaa-0000-4000-8000-000000000009';

const serverId = (at: number): string => `cccccccc-0000-4000-8000-${String(at).padStart(12, '0')}`;
export const portId = (at: number): string => `bbbbbbbb-0000-4000-8000-${String(at).padStart(12, '0')}`;
const mac = (at: number): string => `fa:16:3e:00:00:${String(at).padStart(2, '0')}`;

/** `node-1` with the server, the port, the addresses 10.0.0.1 and fd00:10::1, and the podCIDR 10.244.1.0/24. */
export function nodeOf(
  at: number,
  more: { podCIDRs?: string[]; providerID?: string; was?: NodeCondition } = {},
): Node {
  const { podCIDRs = [`10.244.${at}.0/24`], providerID = `openstack:///${serverId(at)}`, was } = more;
  return {
    metadata: { name: `node-${at}`, uid: `uid-${at}`, resourceVersion: '1' },
    spec: { providerID, podCIDRs },
    status: {
      addresses: [{ type: 'InternalIP', address: `10.0.0.${at}` }],
      ...(was ? { conditions: [was] } : {}),
    },
  };
}

export function portOf(at: number, pairs: readonly string[] = [], more: Partial<RoutePort> = {}): RoutePort {
  return {
    id: portId(at),
    device_id: serverId(at),
    mac_address: mac(at),
    port_security_enabled: true,
    fixed_ips: [
      { subnet_id: SUBNET, ip_address: `10.0.0.${at}` },
      { subnet_id: SUBNET_IPV6, ip_address: `fd00:10::${at}` },
    ],
    allowed_address_pairs: pairs.map((cidr) => ({ mac_address: mac(at), ip_address: cidr })),
    ...more,
  };
}

/** `10.244.1.0/24 > 10.0.0.1` */
export function written(...texts: readonly string[]): readonly WrittenRoute[] {
  return texts.map((text) => {
    const [destination = '', nexthop = ''] = text.split(' > ');
    return { destination, nexthop, port: portId(Number(nexthop.split(/[.:]/).at(-1))) };
  });
}

export interface RouteCase {
  readonly nodes?: readonly Node[];
  readonly routes?: readonly string[];
  readonly ports?: readonly RoutePort[];
  readonly written?: readonly WrittenRoute[];
}

/** A router on both subnets, and Nodes behind it. */
export function readingOf(given: RouteCase): RouteReading {
  return {
    nodes: given.nodes ?? [],
    router: {
      id: ROUTER,
      routes: written(...(given.routes ?? [])).map(({ destination, nexthop }) => ({ destination, nexthop })),
    },
    subnets: new Set([SUBNET, SUBNET_IPV6]),
    ports: given.ports ?? [],
    written: given.written ?? [],
    clusterCidrs: ['10.244.0.0/16', 'fd00:244::/56'],
  };
}
