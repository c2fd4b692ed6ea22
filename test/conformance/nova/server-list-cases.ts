import { expect } from 'vitest';
import type { CloudCases } from '../cloud-case.ts';
import type { CloudSession } from '../cloud-session.ts';
import { at, listAt, textAt } from '../json-path.ts';
import { aNetwork, aServer, eventually, getServer, nova, privateNetwork } from './servers.ts';
import { expectNova } from './server-cases.ts';

const list = async (cloud: CloudSession, query: string, version?: string): Promise<string[]> => {
  const { body } = await nova(cloud, 'GET', `/servers/detail?${query}`, undefined, version);
  return listAt(body, 'servers').map((one) => textAt(one, 'id'));
};

const addresses = (server: unknown, network: string): string[] =>
  listAt(server, `addresses.${network}`).map(
    (one) => `${String(at(one, 'OS-EXT-IPS:type'))} ${textAt(one, 'addr')}`,
  );

export const serverListCases: CloudCases = {
  'servers are listed by name, a regular expression in any case, by address and by status': async (cloud) => {
    const { id, name } = await aServer(cloud);
    expect(await list(cloud, `name=^${name.toLowerCase()}$`)).toEqual([id]);
    expect(await list(cloud, `name=${name.slice(3, -1)}`)).toEqual([id]);
    expect(await list(cloud, `name=^${name.slice(3)}$`)).toEqual([]);
    expect(await list(cloud, `name=${name}&name=nope`)).toEqual([]);
    expect(await list(cloud, `name=${name}&status=active&status=SHUTOFF`)).toEqual([id]);
    expect(await list(cloud, `name=${name}&status=SHUTOFF`)).toEqual([]);
    expect(await list(cloud, `name=${name}&status=nonsense`)).toEqual([]);
    expect(await list(cloud, `name=${name}&nonsense=1`)).toEqual([id]);
    const regex = await nova(cloud, 'GET', '/servers/detail?name=[');
    const text = "Invalid input for query parameters name. Value: [. '[' is not a 'regex'";
    expectNova(regex, 400, 'badRequest', text);
    const status = await nova(cloud, 'GET', '/servers/detail?status=nonsense', undefined, '2.38');
    expectNova(status, 400, 'badRequest', 'Invalid status value');
    const filter = await nova(cloud, 'GET', '/servers/detail?nonsense=1', undefined, '2.75');
    expectNova(filter, 400, 'badRequest', "'nonsense' does not match any of the regexes: '^_'");
  },
  'pages: the youngest first, a link while a page is full, no marker that is not there': async (cloud) => {
    const { id: old, name } = await aServer(cloud);
    await cloud.nextSecond();
    const { id: young } = await aServer(cloud, { name });
    expect(await list(cloud, `name=${name}`)).toEqual([young, old]);
    const first = await nova(cloud, 'GET', `/servers/detail?name=${name}&limit=1`);
    expect(at(first.body, 'servers.0.id')).toBe(young);
    const next = new URL(textAt(first.body, 'servers_links.0.href'));
    expect([next.searchParams.get('marker'), next.searchParams.get('name')]).toEqual([young, name]);
    const second = await nova(cloud, 'GET', `/servers/detail${next.search}`);
    expect(at(second.body, 'servers.0.id')).toBe(old);
    const last = await nova(cloud, 'GET', `/servers/detail?name=${name}&limit=1&marker=${old}`);
    expect(last.body).toEqual({ servers: [] });
    expect((await nova(cloud, 'GET', '/servers/detail?limit=0')).body).toEqual({ servers: [] });
    const marker = await nova(cloud, 'GET', '/servers/detail?marker=nope');
    expectNova(marker, 400, 'badRequest', 'marker [nope] not found');
    const limit = "Invalid input for query parameters limit. Value: -1. '-1' does not match '^[0-9]*$'";
    expectNova(await nova(cloud, 'GET', '/servers/detail?limit=-1'), 400, 'badRequest', limit);
  },
  'addresses are those of the ports by network, floating ones last, whatever state the ports are in': async (
    cloud,
  ) => {
    const shared = await privateNetwork(cloud);
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
