/** Nova. */
import { expect } from 'vitest';
import type { CloudCases } from './cloud-case.ts';
import { CloudSession, type Reply } from './cloud-session.ts';
import { cloudSuite } from './cloud-suite.ts';
import { at, listAt, textAt } from './json-path.ts';
import { aNetwork, aServer, eventually, getServer, nova, serverIs } from './nova/servers.ts';

const nobody = '00000000-0000-0000-0000-000000000000';

/** A refusal of Nova: the name of its body says the kind. */
function expectNova({ status, body }: Reply, code: number, kind: string, message: string | RegExp): void {
  const said = typeof message === 'string' ? message : (expect.stringMatching(message) as unknown);
  expect([status, at(body, kind)], JSON.stringify(body)).toMatchObject([code, { code, message: said }]);
}

const get = (cloud: CloudSession, path: string, version?: string): Promise<Reply> =>
  nova(cloud, 'GET', path, undefined, version);

const act = (cloud: CloudSession, id: string, action: string): Promise<Reply> =>
  nova(cloud, 'POST', `/servers/${id}/action`, { [action]: null });

const serverCases: CloudCases = {
  'a microversion is what was asked for, or 406, or 400; another service’s is not Nova’s': async (cloud) => {
    const name = 'OpenStack-API-Version';
    for (const [asked, answered] of [
      [{}, /^compute 2\.1$/],
      [{ [name]: 'compute 2.47' }, /^compute 2\.47$/],
      [{ [name]: 'compute latest' }, /^compute 2\.\d+$/],
      [{ [name]: 'network 2.47' }, /^compute 2\.1$/],
      [{ 'X-OpenStack-Nova-API-Version': '2.47' }, /^compute 2\.47$/],
    ] as const) {
      const { headers } = await cloud.call('compute', 'GET', '/flavors', undefined, asked);
      expect(headers.get(name)).toMatch(answered);
    }
    const over = /^Version 9\.99 is not supported by the API\. Minimum is 2\.1 and/;
    expectNova(await get(cloud, '/flavors', '9.99'), 406, 'computeFault', over);
    const none = /^API Version String x is of invalid format\./;
    expectNova(await get(cloud, '/flavors', 'x'), 400, 'badRequest', none);
  },
  'a server that is not there, or another’s, is 404; a path that is none is another 404': async (cloud) => {
    const { id } = await aServer(cloud);
    const gone = `Instance ${nobody} could not be found.`;
    for (const method of ['GET', 'DELETE'])
      expectNova(await nova(cloud, method, `/servers/${nobody}`), 404, 'itemNotFound', gone);
    const stranger = await CloudSession.open(cloud.target, cloud.target.stranger);
    const hidden = `Instance ${id} could not be found.`;
    expectNova(await get(stranger, `/servers/${id}`), 404, 'itemNotFound', hidden);
    for (const path of ['/servers/', '/servers/detail/', '/nothing', '/flavors/']) {
      const reply = await get(cloud, path);
      expect([reply.status, at(reply.body, 'title')], path).toEqual([404, 'Not Found']);
    }
  },
  'the flavor is a link until 2.46 and embedded, without its id, from 2.47 on': async (cloud) => {
    const { id } = await aServer(cloud);
    const flavor = textAt(await getServer(cloud, id, '2.46'), 'flavor.id');
    const own = await get(cloud, `/flavors/${flavor}`);
    expect(own.status).toBe(200);
    const embedded = at(await getServer(cloud, id, '2.47'), 'flavor');
    const names = ['ram', 'vcpus', 'disk', 'name'];
    const [ram, vcpus, disk, original_name] = names.map((name) => at(own.body, `flavor.${name}`));
    expect(embedded).toEqual({ ram, vcpus, disk, original_name, ephemeral: 0, swap: 0, extra_specs: {} });
    expectNova(await get(cloud, '/flavors/nope'), 404, 'itemNotFound', 'Flavor nope could not be found.');
  },
  'a server is stopped, shelved without a zone, and started; twice the same is 409': async (cloud) => {
    const { id } = await aServer(cloud);
    const state = async (): Promise<unknown> => {
      const server = await getServer(cloud, id);
      return [at(server, 'OS-EXT-STS:vm_state'), at(server, 'OS-EXT-STS:power_state')];
    };
    expect(await state()).toEqual(['active', 1]);
    expect((await act(cloud, id, 'os-stop')).status).toBe(202);
    await serverIs(cloud, id, 'SHUTOFF');
    expect(await state()).toEqual(['stopped', 4]);
    const text = `Cannot 'stop' instance ${id} while it is in vm_state stopped`;
    expectNova(await act(cloud, id, 'os-stop'), 409, 'conflictingRequest', text);
    expectNova(await act(cloud, id, 'nonsense'), 400, 'badRequest', 'There is no such action: nonsense');
    expect((await act(cloud, id, 'os-start')).status).toBe(202);
    await serverIs(cloud, id, 'ACTIVE');
    expect(at(await getServer(cloud, id), 'OS-EXT-AZ:availability_zone')).toMatch(/./);
    expect((await act(cloud, id, 'shelve')).status).toBe(202);
    await serverIs(cloud, id, 'SHELVED_OFFLOADED');
    expect(at(await getServer(cloud, id), 'OS-EXT-AZ:availability_zone')).toBe('');
  },
  'access addresses and metadata are what was set': async (cloud) => {
    const { id } = await aServer(cloud, { accessIPv4: '192.0.2.9', metadata: { hostname: 'x' } });
    const server = { accessIPv6: '2001:db8::1' };
    expect((await nova(cloud, 'PUT', `/servers/${id}`, { server })).status).toBe(200);
    await nova(cloud, 'POST', `/servers/${id}/metadata`, { metadata: { role: 'worker' } });
    const metadata = { hostname: 'x', role: 'worker' };
    expect(await getServer(cloud, id)).toMatchObject({ accessIPv4: '192.0.2.9', ...server, metadata });
  },
};

const look = (cloud: CloudSession, query: string, version?: string): Promise<Reply> =>
  get(cloud, `/servers/detail?${query}`, version);
const list = async (cloud: CloudSession, query: string): Promise<string[]> =>
  listAt((await look(cloud, query)).body, 'servers').map((one) => textAt(one, 'id'));

const addresses = (server: unknown, network: string): string[] =>
  listAt(server, `addresses.${network}`).map(
    (one) => `${String(at(one, 'OS-EXT-IPS:type'))} ${textAt(one, 'addr')}`,
  );

const serverListCases: CloudCases = {
  'servers are listed by name, a regular expression in any case, by address and by status': async (cloud) => {
    const { id, name } = await aServer(cloud);
    const by = (...ends: string[]): string[] => ends.map((end) => `name=${name}&${end}`);
    const part = `name=${name.slice(3, -1)}`;
    const its = by('status=active&status=SHUTOFF', 'nonsense=1');
    for (const query of [`name=^${name.toLowerCase()}$`, part, ...its])
      expect(await list(cloud, query), query).toEqual([id]);
    for (const query of [`name=^${name.slice(3)}$`, ...by('name=nope', 'status=SHUTOFF', 'status=nonsense')])
      expect(await list(cloud, query), query).toEqual([]);
    for (const [query, version, text] of [
      ['name=[', undefined, "Invalid input for query parameters name. Value: [. '[' is not a 'regex'"],
      ['status=nonsense', '2.38', 'Invalid status value'],
      ['nonsense=1', '2.75', "'nonsense' does not match any of the regexes: '^_'"],
    ] as const)
      expectNova(await look(cloud, query, version), 400, 'badRequest', text);
  },
  'pages: the youngest first, a link while a page is full, no marker that is not there': async (cloud) => {
    const { id: old, name } = await aServer(cloud);
    await cloud.nextSecond();
    const { id: young } = await aServer(cloud, { name });
    expect(await list(cloud, `name=${name}`)).toEqual([young, old]);
    const first = await look(cloud, `name=${name}&limit=1`);
    expect([first.status, listAt(first.body, 'servers').map((one) => at(one, 'id'))]).toEqual([200, [young]]);
    const next = new URL(textAt(first.body, 'servers_links.0.href'));
    expect([next.searchParams.get('marker'), next.searchParams.get('name')]).toEqual([young, name]);
    expect(at((await get(cloud, `/servers/detail${next.search}`)).body, 'servers.0.id')).toBe(old);
    for (const query of [`name=${name}&limit=1&marker=${old}`, 'limit=0'])
      expect((await look(cloud, query)).body).toEqual({ servers: [] });
    expectNova(await look(cloud, 'marker=nope'), 400, 'badRequest', 'marker [nope] not found');
    const limit = "Invalid input for query parameters limit. Value: -1. '-1' does not match '^[0-9]*$'";
    expectNova(await look(cloud, 'limit=-1'), 400, 'badRequest', limit);
  },
  'addresses are those of the ports by network, floating ones last, in whatever state': async (cloud) => {
    const shared = await cloud.network();
    const other = await aNetwork(cloud, '10.77.0.0/24');
    const { id } = await aServer(cloud, { networks: [{ uuid: other.id }, { uuid: shared }] });
    const ports = listAt((await cloud.neutron('GET', `ports?device_id=${id}`)).body, 'ports');
    expect(ports.map((one) => textAt(one, 'id'))).toEqual(ports.map((one) => textAt(one, 'id')).sort());
    const on = (network: string): unknown => ports.find((one) => at(one, 'network_id') === network);
    const fixed = (port: unknown): string[] =>
      listAt(port, 'fixed_ips')
        .sort((a, b) => (textAt(a, 'subnet_id') < textAt(b, 'subnet_id') ? -1 : 1))
        .map((ip) => `fixed ${textAt(ip, 'ip_address')}`);
    const server = await getServer(cloud, id);
    expect(Object.keys(at(server, 'addresses') as object)[0]).toBe(other.name);
    expect(addresses(server, other.name)).toEqual(fixed(on(other.id)));
    expect(addresses(server, 'private')).toEqual(fixed(on(shared)));
    const ip = await cloud.postFloatingIp({ port_id: at(on(shared), 'id') });
    const floating = `floating ${textAt(ip.body, 'floatingip.floating_ip_address')}`;
    await eventually('the floating IP', async () =>
      addresses(await getServer(cloud, id), 'private').includes(floating),
    );
    await cloud.neutron('PUT', `ports/${textAt(on(shared), 'id')}`, { port: { admin_state_up: false } });
    expect(addresses(await getServer(cloud, id), 'private')).toEqual([...fixed(on(shared)), floating]);
    const mac = at(await getServer(cloud, id), 'addresses.private.0.OS-EXT-IPS-MAC:mac_addr');
    expect(mac).toBe(at(on(shared), 'mac_address'));
  },
};

cloudSuite({ servers: serverCases, 'lists and addresses of servers': serverListCases });
