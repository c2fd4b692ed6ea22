import { expect } from 'vitest';
import { expectNeutron, type CloudCases } from '../cloud-case.ts';
import type { CloudSession, Reply } from '../cloud-session.ts';
import { at, listAt, textAt } from '../json-path.ts';
import { aNetwork } from '../nova/servers.ts';

type Body = Record<string, unknown>;

/** A port on a network of the case, and PUTs of its pairs. */
async function aPort(cloud: CloudSession) {
  const { id: network_id, subnet } = await aNetwork(cloud, '10.78.0.0/24');
  const port = at((await cloud.neutron('POST', 'ports', { port: { network_id } })).body, 'port');
  const id = textAt(port, 'id');
  cloud.leave('network', `/v2.0/ports/${id}`);
  const put = (more: Body): Promise<Reply> => cloud.neutron('PUT', `ports/${id}`, { port: more });
  return {
    ...{ id, subnet, mac_address: textAt(port, 'mac_address'), put },
    address: textAt(port, 'fixed_ips.0.ip_address'),
    pairs: (allowed_address_pairs: unknown) => put({ allowed_address_pairs }),
  };
}

const shown = (reply: Reply): unknown => at(reply.body, 'port.allowed_address_pairs');

export const addressPairCases: CloudCases = {
  'pairs are the whole list, get the port’s MAC, and are shown by address; null is none': async (cloud) => {
    const { pairs, mac_address } = await aPort(cloud);
    const [one, two] = ['10.244.0.0/24', '10.245.0.0/24'].map((ip_address) => ({ ip_address }));
    expect(shown(await pairs([two, one]))).toEqual([one, two].map((pair) => ({ mac_address, ...pair })));
    expect(shown(await pairs([{ ip_address: 'fd01::/64' }]))).toEqual([
      { mac_address, ip_address: 'fd01::/64' },
    ]);
    const own = { ip_address: '10.244.0.7/24', mac_address: 'fa:16:3e:00:00:01' };
    expect(shown(await pairs([own]))).toEqual([own]);
    expect(shown(await pairs(null))).toEqual([]);
  },
  'pairs are for ports with port security only': async (cloud) => {
    const { pairs, put } = await aPort(cloud);
    const some = [{ ip_address: '10.244.0.0/24' }];
    await pairs(some);
    const off = { port_security_enabled: false, security_groups: [] };
    expectNeutron(await put(off), 409, 'AddressPairAndPortSecurityRequired');
    expect((await put({ ...off, allowed_address_pairs: [] })).status).toBe(200);
    expectNeutron(await pairs(some), 409, 'AddressPairAndPortSecurityRequired');
  },
  'ports are found by address and subnet: either of several values, both of different keys': async (
    cloud,
  ) => {
    const { id, address, subnet } = await aPort(cloud);
    const list = async (...filters: string[]): Promise<Reply> =>
      cloud.neutron(
        'GET',
        `ports?fields=id&${filters.map((one) => `fixed_ips=${encodeURIComponent(one)}`).join('&')}`,
      );
    const ids = async (...filters: string[]): Promise<unknown[]> =>
      listAt((await list(...filters)).body, 'ports').map((one) => at(one, 'id'));
    expect(await ids(`ip_address=${address}`, 'ip_address=10.78.0.253', `subnet_id=${subnet}`)).toEqual([id]);
    expect(await ids(`ip_address=${address}`, 'subnet_id=nope')).toEqual([]);
    expect(await ids('ip_address=10.78.0.253')).toEqual([]);
    expect(await ids('ip_address_substr=10.78.0.', `subnet_id=${subnet}`)).toEqual([id]);
    expect(await ids(`subnet_id=${subnet}`)).toEqual([id]);
    expectNeutron(await list('nonsense'), 400, 'InvalidInput');
  },
};
