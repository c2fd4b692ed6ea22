import { describe, expect, test } from 'vitest';
import type { WireResource } from '../../../../shared/model/resources.ts';
import { observeNodePorts, portsAt } from '../../../../shared/service/observe/network/security-group.ts';
import type { Query } from '../../../../shared/ports.ts';
import { SimulatedCloud } from '../../../support/simulated-cloud.ts';
import { OTHER_SUBNET, SUBNET } from '../../../support/cloud-contents.ts';

const GROUP: WireResource = { id: '77777777-0000-4000-8000-000000000001' };
const subnet = { id: SUBNET, cidr: '10.0.0.0/24', network_id: 'n' };

/** Lists, and what was asked of them. */
function listing(cloud: SimulatedCloud): { readonly asked: Query[]; readonly list: SimulatedCloud['list'] } {
  const asked: Query[] = [];
  const list: SimulatedCloud['list'] = (kind, query) => {
    asked.push(query ?? {});
    return cloud.list(kind, query);
  };
  return { asked, list };
}

function withGroupOn(...numbers: readonly number[]): SimulatedCloud {
  const cloud = new SimulatedCloud();
  for (const number of numbers) {
    const port = cloud.all('port')[number - 1];
    if (port) port['security_groups'] = [GROUP.id];
  }
  return cloud;
}

describe('ports of nodes', () => {
  test('that all have the group are found by one call', async () => {
    const cloud = listing(withGroupOn(1, 2));
    const addresses = ['10.0.0.1', '10.0.0.2'];

    const found = await observeNodePorts(
      [GROUP],
      { addresses, subnet, ports: new Map(), servers: new Set<string>() },
      cloud,
    );

    expect(found.resources.map(({ address }) => address)).toEqual(['port/10.0.0.1', 'port/10.0.0.2']);
    expect(cloud.asked).toHaveLength(1);
    expect(cloud.asked[0]).toMatchObject({ security_groups: [GROUP.id] });
  });

  test('that lack it are looked for by address, all at once, and those that should not have it are seen too', async () => {
    const cloud = listing(withGroupOn(1, 5));
    const addresses = ['10.0.0.1', '10.0.0.2', '10.0.0.3'];

    const found = await observeNodePorts(
      [GROUP],
      { addresses, subnet, ports: new Map(), servers: new Set<string>() },
      cloud,
    );

    expect(found.resources.map(({ address }) => address)).toEqual([
      ...addresses.map((address) => `port/${address}`),
      'port/10.0.0.5',
    ]);
    expect(cloud.asked.map(({ fixed_ips }) => fixed_ips)).toEqual([
      undefined,
      ['ip_address=10.0.0.2', 'ip_address=10.0.0.3'],
    ]);
  });

  test('are those in the member subnet, not those that have the address somewhere else', async () => {
    const cloud = new SimulatedCloud();
    const elsewhere = { ...subnet, id: OTHER_SUBNET };

    const found = await observeNodePorts(
      [],
      { addresses: ['10.0.0.1'], subnet: elsewhere, ports: new Map(), servers: new Set<string>() },
      cloud,
    );

    expect(found).toEqual({ resources: [], withoutPort: ['10.0.0.1'], unfiltered: [], onStrangeServer: [] });
  });

  test('of the server that a Node names count wherever they are, one in the member subnet first', async () => {
    const cloud = new SimulatedCloud();
    const elsewhere = { ...subnet, id: OTHER_SUBNET };
    const [near, far] = [cloud.all('port')[0]?.id ?? '', cloud.all('port')[1]?.id ?? ''];
    const at = (...ids: readonly string[]) => ({
      addresses: ['10.0.0.1'],
      ports: new Map([['10.0.0.1', ids]]),
      servers: new Set<string>(),
    });

    const outside = await observeNodePorts([], { ...at(near), subnet: elsewhere }, cloud);
    expect(outside.resources.map(({ id }) => id)).toEqual([near]);

    Object.assign(cloud.all('port')[1] ?? {}, {
      fixed_ips: [{ subnet_id: OTHER_SUBNET, ip_address: '10.0.0.1' }],
    });
    const both = await observeNodePorts([], { ...at(near, far), subnet: elsewhere }, cloud);
    expect(both.resources.map(({ id }) => id)).toEqual([far]);
  });

  test('without port security take no group', async () => {
    const cloud = new SimulatedCloud();
    Object.assign(cloud.all('port')[0] ?? {}, { port_security_enabled: false, security_groups: [] });

    const found = await observeNodePorts(
      [],
      { addresses: ['10.0.0.1', '10.0.0.2'], subnet, ports: new Map(), servers: new Set<string>() },
      cloud,
    );

    expect(found.resources.map(({ address }) => address)).toEqual(['port/10.0.0.2']);
    expect(found.unfiltered).toEqual(['10.0.0.1']);
  });

  test('listed by a Neutron that does not know the filter are still only those with the group', async () => {
    const cloud = withGroupOn(3);
    const deaf: Pick<SimulatedCloud, 'list'> = { list: (kind) => cloud.list(kind) };

    const found = await observeNodePorts(
      [GROUP],
      { addresses: [], subnet, ports: new Map(), servers: new Set<string>() },
      deaf,
    );

    expect(found.resources.map(({ address }) => address)).toEqual(['port/10.0.0.3']);
  });
});

test.each([
  [0, 0],
  [1, 1],
  [50, 1],
  [51, 1],
  [5_000, 1],
])('%i addresses are asked for in %i calls, fifty at most by name', async (count, calls) => {
  const addresses = Array.from({ length: count }, (_, at) => `10.1.${at >> 8}.${at & 255}`);
  const cloud = listing(new SimulatedCloud());

  await portsAt(addresses, cloud);

  expect(cloud.asked).toHaveLength(calls);
  const named = cloud.asked.map(({ fixed_ips }) => (fixed_ips as readonly string[] | undefined)?.length ?? 0);
  expect(named).toEqual(Array.from({ length: calls }, () => (count > 50 ? 0 : count)));
});
