import { expect } from 'vitest';
import { expectNeutron, type CloudCases } from '../cloud-case.ts';
import { CloudSession, type Reply } from '../cloud-session.ts';
import { at, listAt, textAt } from '../json-path.ts';
import { aNetwork, uniqueName } from '../nova/servers.ts';

type Body = Record<string, unknown>;
export type Hop = readonly [destination: string, nexthop: string];

const nobody = '00000000-0000-0000-0000-000000000000';
const prefix = '10.78.0';

const bodyOf = (hops: readonly Hop[]): Body => ({
  router: { routes: hops.map(([destination, nexthop]) => ({ destination, nexthop })) },
});

/** A router of the case on a subnet of its own, 10.78.0.0/24, and calls on it. */
export async function aRouter(cloud: CloudSession) {
  const network = await aNetwork(cloud, `${prefix}.0/24`);
  const name = uniqueName();
  const id = textAt((await cloud.neutron('POST', 'routers', { router: { name } })).body, 'router.id');
  cloud.leave('network', `/v2.0/routers/${id}`);
  const action = (what: string, body: Body, headers?: Record<string, string>): Promise<Reply> =>
    cloud.neutron('PUT', `routers/${id}/${what}`, body, headers);
  const joined = await action('add_router_interface', { subnet_id: network.subnet });
  expect(joined.status, JSON.stringify(joined.body)).toBe(200);
  const get = async (): Promise<unknown> => at((await cloud.neutron('GET', `routers/${id}`)).body, 'router');
  return {
    ...{ id, name, network, action, get, port: textAt(joined.body, 'port_id') },
    put: (hops: readonly Hop[], headers?: Record<string, string>) =>
      cloud.neutron('PUT', `routers/${id}`, bodyOf(hops), headers),
    add: (...hops: Hop[]) => action('add_extraroutes', bodyOf(hops)),
    remove: (...hops: Hop[]) => action('remove_extraroutes', bodyOf(hops)),
    routes: async (): Promise<Hop[]> =>
      listAt(await get(), 'routes').map((one) => [textAt(one, 'destination'), textAt(one, 'nexthop')]),
    revision: async (): Promise<number> => Number(at(await get(), 'revision_number')),
    /** Without routes and interfaces, so that the case can clean up. */
    leave: async (): Promise<void> => {
      await cloud.neutron('PUT', `routers/${id}`, bodyOf([]));
      await action('remove_router_interface', { subnet_id: network.subnet });
    },
  };
}

const message = (reply: Reply): unknown => at(reply.body, 'NeutronError.message');

export const routerCases: CloudCases = {
  'a router that is not there, or somebody else’s, is 404; it is listed by name and id': async (cloud) => {
    const router = await aRouter(cloud);
    const missing = `Router ${nobody} could not be found`;
    for (const [method, path] of [
      ['GET', `routers/${nobody}`],
      ['PUT', `routers/${nobody}/add_extraroutes`],
    ] as const) {
      const reply = await cloud.neutron(method, path, method === 'PUT' ? bodyOf([]) : undefined);
      expectNeutron(reply, 404, 'RouterNotFound');
      expect(message(reply)).toBe(missing);
    }
    const stranger = await CloudSession.open(cloud.target, cloud.target.stranger);
    expectNeutron(await stranger.neutron('GET', `routers/${router.id}`), 404, 'RouterNotFound');
    const put = await stranger.neutron('PUT', `routers/${router.id}`, bodyOf([]));
    expectNeutron(put, 404, 'RouterNotFound');
    for (const query of [`name=${router.name}`, `id=${router.id}`]) {
      const listed = (await cloud.neutron('GET', `routers?fields=id&fields=routes&${query}`)).body;
      expect(at(listed, 'routers')).toEqual([{ id: router.id, routes: [] }]);
    }
    const change = (more: Body): Promise<Reply> =>
      cloud.neutron('PUT', `routers/${router.id}`, { router: more });
    expect(message(await change({ status: 'x' }))).toBe('Cannot update read-only attribute status');
    expect(message(await change({ nonsense: 'x' }))).toBe("Unrecognized attribute(s) 'nonsense'");
    expectNeutron(await router.action('nonsense', {}), 404, 'HTTPNotFound');
    await router.leave();
  },
  'a next hop is on a subnet of the router and not the router itself; there are 30 routes at most': async (
    cloud,
  ) => {
    const router = await aRouter(cloud);
    const far = await router.put([['10.244.0.0/24', '192.168.77.1']]);
    expectNeutron(far, 400, 'InvalidRoutes');
    const shown = "[{'destination': '10.244.0.0/24', 'nexthop': '192.168.77.1'}]";
    const why = 'the nexthop is not connected with router';
    expect(message(far)).toBe(`Invalid format for routes: ${shown}, ${why}`);
    const itself = await router.put([['10.244.0.0/24', `${prefix}.1`]]);
    expectNeutron(itself, 400, 'InvalidRoutes');
    expect(message(itself)).toMatch(/, the nexthop is used by router$/);
    const many = Array.from({ length: 31 }, (_, one): Hop => [`10.${one}.0.0/24`, `${prefix}.5`]);
    const says = await cloud.measured('one route more than a router takes');
    const type = says.startsWith('400') ? 'RoutesExhausted' : 'OverQuota';
    expectNeutron(await router.put(many), parseInt(says), type);
    expect((await router.put(many.slice(1))).status).toBe(200);
    const over = await router.add(['10.99.0.0/24', `${prefix}.5`]);
    expectNeutron(over, parseInt(says), type);
    const full = `Unable to complete operation for ${router.id}. The number of routes exceeds the maximum 30.`;
    if (type === 'RoutesExhausted') expect(message(over)).toBe(full);
    await router.leave();
  },
};
