import type { Node } from '../../shared/model/kubernetes.ts';
import { labResources } from './environment.ts';
import { kube } from './kubernetes.ts';
import { cloud } from './openstack.ts';
import type { LabNode } from './servers.ts';

export interface Route {
  readonly destination: string;
  readonly nexthop: string;
}

export interface LabRouter {
  readonly id: string;
  /** PUT of the router, or of what is below it, such as `/add_extraroutes`. */
  readonly put: (action: string, body: object) => Promise<unknown>;
  /** As `DESTINATION NEXTHOP`, in order. */
  readonly routes: () => Promise<readonly string[]>;
}

/** The lab's own, at the gateway address of its network `private`. */
export async function labRouter(): Promise<LabRouter> {
  const path = `/v2.0/ports?device_owner=network:router_interface&network_id=${labResources().private_network}`;
  const { ports } = await cloud().must<{ ports: { device_id: string }[] }>('network', 'GET', path);
  const [id, ...others] = new Set(ports.map((port) => port.device_id));
  if (id === undefined || others.length > 0)
    throw new Error(`the network private has not one router: ${String(ports.length)} ports`);
  return routerOf(id);
}

/** Another one in this network. */
export async function aRouter(name: string): Promise<LabRouter & { remove(): Promise<void> }> {
  const made = await cloud().must<{ router: { id: string } }>('network', 'POST', '/v2.0/routers', {
    router: { name },
  });
  const router = routerOf(made.router.id);
  // the subnet's own gateway address is another router's; an address of its IPv6 subnet comes with this one
  const { private_network: network, private_v4: subnet } = labResources();
  const { port } = await cloud().must<{ port: { id: string } }>('network', 'POST', '/v2.0/ports', {
    port: { network_id: network, fixed_ips: [{ subnet_id: subnet }] },
  });
  await router.put('/add_router_interface', { port_id: port.id });
  return {
    ...router,
    async remove() {
      await router.put('', { router: { routes: [] } });
      await router.put('/remove_router_interface', { port_id: port.id });
      await cloud().must('network', 'DELETE', `/v2.0/routers/${router.id}`);
    },
  };
}

function routerOf(id: string): LabRouter {
  const path = `/v2.0/routers/${id}`;
  return {
    id,
    put: (action, body) => cloud().must('network', 'PUT', `${path}${action}`, body),
    async routes() {
      const { router } = await cloud().must<{ router: { routes: readonly Route[] } }>('network', 'GET', path);
      return router.routes.map(({ destination, nexthop }) => `${destination} ${nexthop}`).sort();
    },
  };
}

/** CIDRs that the ports of a Node let through beside its addresses. */
export async function pairsOf({ server }: LabNode): Promise<readonly string[]> {
  const path = `/v2.0/ports?device_id=${server}`;
  const { ports } = await cloud().must<{ ports: { allowed_address_pairs: { ip_address: string }[] }[] }>(
    'network',
    'GET',
    path,
  );
  return ports.flatMap(({ allowed_address_pairs: all }) => all.map(({ ip_address: cidr }) => cidr)).sort();
}

/** The status of NetworkUnavailable. */
export async function unavailable(name: string): Promise<string | undefined> {
  const node = await kube.get<Node>(`/api/v1/nodes/${name}`);
  return node?.status?.conditions?.find(({ type }) => type === 'NetworkUnavailable')?.status;
}

const RECORD = '/api/v1/namespaces/kube-system/configmaps/levelset-routes';

/** Routers of which levelset has a record. */
export async function recordedRouters(): Promise<readonly string[]> {
  return Object.keys((await kube.get<{ data?: object }>(RECORD))?.data ?? {});
}

export async function forgetRouters(): Promise<void> {
  await kube.remove(RECORD);
}
