import { expect } from 'vitest';
import { expectNeutron, type Body, type CloudCases } from '../cloud-case.ts';
import { CloudSession, type Reply } from '../cloud-session.ts';
import { at, listAt, textAt } from '../json-path.ts';
import { aNetwork, uniqueName } from '../nova/servers.ts';

type Hop = readonly [destination: string, nexthop: string];
type Headers = Record<string, string>;

const nobody = '00000000-0000-0000-0000-000000000000';
const near = '10.78.0.5';
const one: Hop = ['10.244.0.0/24', near];
const oneElsewhere: Hop = [one[0], '10.78.0.9'];
const other: Hop = ['10.245.0.0/24', '10.78.0.6'];

const bodyOf = (hops: readonly Hop[]): Body => ({
  router: { routes: hops.map(([destination, nexthop]) => ({ destination, nexthop })) },
});

/** A router of the case on a subnet of its own, 10.78.0.0/24, and calls on it. */
async function aRouter(cloud: CloudSession) {
  const { subnet: subnet_id } = await aNetwork(cloud, '10.78.0.0/24');
  const name = uniqueName();
  const id = textAt((await cloud.neutron('POST', 'routers', { router: { name } })).body, 'router.id');
  cloud.leave('network', `/v2.0/routers/${id}`);
  const action = (what: string, body: Body, headers?: Headers): Promise<Reply> =>
    cloud.neutron('PUT', `routers/${id}/${what}`, body, headers);
  const joined = await action('add_router_interface', { subnet_id });
  expect(joined.status, JSON.stringify(joined.body)).toBe(200);
  const get = async (): Promise<unknown> => at((await cloud.neutron('GET', `routers/${id}`)).body, 'router');
  const put = (hops: readonly Hop[], headers?: Headers): Promise<Reply> =>
    cloud.neutron('PUT', `routers/${id}`, bodyOf(hops), headers);
  cloud.atEnd(() => put([]).then(() => action('remove_router_interface', { subnet_id })));
  return {
    ...{ id, name, action, put },
    add: (...hops: Hop[]) => action('add_extraroutes', bodyOf(hops)),
    remove: (...hops: Hop[]) => action('remove_extraroutes', bodyOf(hops)),
    routes: async (): Promise<Hop[]> =>
      listAt(await get(), 'routes').map((hop) => [textAt(hop, 'destination'), textAt(hop, 'nexthop')]),
    revision: async (): Promise<number> => Number(at(await get(), 'revision_number')),
  };
}

const message = (reply: Reply): unknown => at(reply.body, 'NeutronError.message');

export const routerCases: CloudCases = {
  'a router that is not there, or somebody else’s, is 404; it is listed by name and id': async (cloud) => {
    const router = await aRouter(cloud);
    for (const [method, path, body] of [
      ['GET', `routers/${nobody}`, undefined],
      ['PUT', `routers/${nobody}/add_extraroutes`, bodyOf([])],
    ] as const) {
      const reply = await cloud.neutron(method, path, body);
      expectNeutron(reply, 404, 'RouterNotFound');
      expect(message(reply)).toBe(`Router ${nobody} could not be found`);
    }
    const stranger = await CloudSession.open(cloud.target, cloud.target.stranger);
    expectNeutron(await stranger.neutron('GET', `routers/${router.id}`), 404, 'RouterNotFound');
    expectNeutron(await stranger.neutron('PUT', `routers/${router.id}`, bodyOf([])), 404, 'RouterNotFound');
    for (const query of [`name=${router.name}`, `id=${router.id}`]) {
      const listed = (await cloud.neutron('GET', `routers?fields=id&fields=routes&${query}`)).body;
      expect(at(listed, 'routers')).toEqual([{ id: router.id, routes: [] }]);
    }
    for (const [body, text] of [
      [{ status: 'x' }, 'Cannot update read-only attribute status'],
      [{ nonsense: 'x' }, "Unrecognized attribute(s) 'nonsense'"],
    ] as const)
      expect(message(await cloud.neutron('PUT', `routers/${router.id}`, { router: body }))).toBe(text);
    expectNeutron(await router.action('nonsense', {}), 404, 'HTTPNotFound');
  },
  'a next hop is on a subnet of the router, and not itself; 30 routes are the most': async (cloud) => {
    const router = await aRouter(cloud);
    const far = await router.put([['10.244.0.0/24', '192.168.77.1']]);
    expectNeutron(far, 400, 'InvalidRoutes');
    const shown = "[{'destination': '10.244.0.0/24', 'nexthop': '192.168.77.1'}]";
    const why = 'the nexthop is not connected with router';
    expect(message(far)).toBe(`Invalid format for routes: ${shown}, ${why}`);
    const itself = await router.put([['10.244.0.0/24', '10.78.0.1']]);
    expectNeutron(itself, 400, 'InvalidRoutes');
    expect(message(itself)).toMatch(/, the nexthop is used by router$/);
    const many = Array.from({ length: 31 }, (_, at): Hop => [`10.${at}.0.0/24`, near]);
    const says = await cloud.measured('one route more than a router takes');
    const type = says.startsWith('400') ? 'RoutesExhausted' : 'OverQuota';
    expectNeutron(await router.put(many), parseInt(says), type);
    expect((await router.put(many.slice(1))).status).toBe(200);
    const over = await router.add(['10.99.0.0/24', near]);
    expectNeutron(over, parseInt(says), type);
    const all = `Unable to complete operation for ${router.id}. The number of routes exceeds the maximum 30.`;
    if (type === 'RoutesExhausted') expect(message(over)).toBe(all);
  },
};

export const routeCases: CloudCases = {
  'PUT gives all routes, shown by destination; without a change it leaves the revision': async (cloud) => {
    const router = await aRouter(cloud);
    const before = await router.revision();
    for (const hops of [
      [other, one],
      [one, other],
    ]) {
      expect((await router.put(hops)).status).toBe(200);
      expect(await router.routes()).toEqual([one, other]);
      expect(await router.revision()).toBe(before + 1);
    }
    expect((await router.put([one, oneElsewhere])).status).toBe(200);
    expect(await router.routes()).toEqual([one, oneElsewhere]);
    await router.put([['fd01::/64', near]]);
    expect(await router.routes()).toEqual([['fd01::/64', near]]);
  },
  'who read an older revision is refused, by PUT and by the atomic actions': async (cloud) => {
    const router = await aRouter(cloud);
    const revision = await router.revision();
    const match = { 'If-Match': `revision_number=${revision}` };
    expect((await router.put([one], match)).status).toBe(200);
    const late = await router.put([other], match);
    expectNeutron(late, 412, 'RevisionNumberConstraintFailed');
    expect(message(late)).toBe(`Constrained to ${revision}, but current revision is ${revision + 1}`);
    const action = await router.action('add_extraroutes', bodyOf([other]), match);
    expectNeutron(action, 412, 'RevisionNumberConstraintFailed');
    expect(await router.routes()).toEqual([one]);
  },
  'extraroute-atomic adds and removes; what is there or gone already is no change': async (cloud) => {
    const { body } = await cloud.neutron('GET', 'extensions');
    const aliases = listAt(body, 'extensions').map((extension) => at(extension, 'alias'));
    const needed = ['extraroute', 'extraroute-atomic', 'allowed-address-pairs'];
    expect(aliases).toEqual(expect.arrayContaining(needed));
    expect((await cloud.neutron('GET', 'extensions/extraroute-atomic')).status).toBe(200);
    expect((await cloud.neutron('GET', 'extensions/nonsense')).status).toBe(404);
    const router = await aRouter(cloud);
    const before = await router.revision();
    expect(listAt((await router.add(other, one)).body, 'router.routes')).toHaveLength(2);
    expect([await router.routes(), await router.revision()]).toEqual([[one, other], before + 1]);
    expect((await router.add(one)).status).toBe(200);
    expect((await router.remove(['10.250.0.0/24', near])).status).toBe(200);
    expect((await router.remove(oneElsewhere)).status).toBe(200);
    expect([await router.routes(), await router.revision()]).toEqual([[one, other], before + 1]);
    expect((await router.add(oneElsewhere)).status).toBe(200);
    expect(await router.routes()).toEqual([one, oneElsewhere, other]);
    expect((await router.remove(one)).status).toBe(200);
    expect(await router.routes()).toEqual([oneElsewhere, other]);
  },
  'a route that is refused leaves the others as they are, and its refusal names them all': async (cloud) => {
    const router = await aRouter(cloud);
    await router.put([one]);
    const far = await router.add(['10.246.0.0/24', '192.168.77.1']);
    expectNeutron(far, 400, 'InvalidRoutes');
    expect(message(far)).toContain(`[{'destination': '${one[0]}', 'nexthop': '${near}'}, {`);
    expectNeutron(await router.add(['x', near]), 400, 'AddrFormatError');
    expectNeutron(await router.action('add_extraroutes', { router: {} }), 500, 'HTTPInternalServerError');
    expect(await router.routes()).toEqual([one]);
  },
};
