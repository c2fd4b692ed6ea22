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
  put(action: string, body: object): Promise<unknown>;
  /** As `DESTINATION NEXTHOP`, in order. */
  routes(): Promise<readonly string[]>;
  remove(): Promise<void>;
}

/** Another router in the lab's network `private`. */
export async function aRouter(name: string): Promise<LabRouter> {
  const made = await cloud().must<{ router: { id: string } }>('network', 'POST', '/v2.0/routers', {
    router: { name },
  });
  const path = `/v2.0/routers/${made.router.id}`;
  const put = (action: string, body: object): Promise<unknown> =>
    cloud().must('network', 'PUT', `${path}${action}`, body);
  // the subnet's own gateway address is another router's; an address of its IPv6 subnet comes with this one
  const { private_network: network, private_v4: subnet } = labResources();
  const { port } = await cloud().must<{ port: { id: string } }>('network', 'POST', '/v2.0/ports', {
    port: { network_id: network, fixed_ips: [{ subnet_id: subnet }] },
  });
  await put('/add_router_interface', { port_id: port.id });
  return {
    id: made.router.id,
    put,
    async routes() {
      const { router } = await cloud().must<{ router: { routes: readonly Route[] } }>('network', 'GET', path);
      return router.routes.map(({ destination, nexthop }) => `${destination} ${nexthop}`).sort();
    },
    async remove() {
      await put('', { router: { routes: [] } });
      await put('/remove_router_interface', { port_id: port.id });
      await cloud().must('network', 'DELETE', path);
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
