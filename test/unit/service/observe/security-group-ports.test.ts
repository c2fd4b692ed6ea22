import { expect, test } from 'vitest';
import type { WireResource } from '../../../../shared/model/resources.ts';
import { observeNodePorts, portsAt } from '../../../../shared/service/observe/network/security-group.ts';
import type { Query } from '../../../../shared/ports.ts';
import { SimulatedCloud } from '../../../support/simulated-cloud.ts';
import { OTHER_SUBNET, SUBNET } from '../../../support/cloud-contents.ts';

const GROUP: WireResource = { id: '77777777-0000-4000-8000-000000000001' };
const subnet = { id: SUBNET, cidr: '10.0.0.0/24', network_id: 'n' };
const elsewhere = { ...subnet, id: OTHER_SUBNET };

/** A cloud in which the ports with these numbers have the group, and what was asked of it. */
function cloudWith(...numbers: readonly number[]) {
  const cloud = new SimulatedCloud();
  for (const number of numbers) Object.assign(portOf(cloud, number), { security_groups: [GROUP.id] });
  const asked: Query[] = [];
  const list: SimulatedCloud['list'] = (kind, query) => {
    asked.push(query ?? {});
    return cloud.list(kind, query);
  };
  return { cloud, asked, list };
}

const portOf = (cloud: SimulatedCloud, number: number) => cloud.all('port')[number - 1] ?? { id: '' };

const look = (
  lists: Pick<SimulatedCloud, 'list'>,
  addresses: readonly string[],
  { at = subnet, ports = [] }: { at?: typeof subnet; ports?: readonly string[] } = {},
) =>
  observeNodePorts(
    [GROUP],
    {
      ...{ addresses, subnet: at, servers: new Set<string>() },
      ports: new Map(ports.length > 0 ? [['10.0.0.1', ports]] : []),
    },
    lists,
  );

test('ports of members that all have the group are found by one call', async () => {
  const cloud = cloudWith(1, 2);
  const { resources } = await look(cloud, ['10.0.0.1', '10.0.0.2']);
  expect(resources.map(({ address }) => address)).toEqual(['port/10.0.0.1', 'port/10.0.0.2']);
  expect(cloud.asked).toMatchObject([{ security_groups: [GROUP.id] }]);
});

test('those that lack it are looked for by address, all at once, and those that should not have it are seen too', async () => {
  const cloud = cloudWith(1, 5);
  const { resources } = await look(cloud, ['10.0.0.1', '10.0.0.2', '10.0.0.3']);
  expect(resources.map(({ address }) => address)).toEqual(
    [1, 2, 3, 5].map((number) => `port/10.0.0.${number}`),
  );
  expect(cloud.asked[1]).toMatchObject({ fixed_ips: ['ip_address=10.0.0.2', 'ip_address=10.0.0.3'] });
});

test('a port that has the address in another subnet does not count', async () => {
  const found = await look(cloudWith(), ['10.0.0.1'], { at: elsewhere });
  expect(found).toEqual({ resources: [], withoutPort: ['10.0.0.1'], unfiltered: [], onStrangeServer: [] });
});

test('one of the server that a Node names counts wherever it is, one in the member subnet first', async () => {
  const { cloud } = cloudWith();
  const [near, far] = [portOf(cloud, 1), portOf(cloud, 2)];
  const ids = async (...ports: readonly string[]) =>
    (await look(cloud, ['10.0.0.1'], { at: elsewhere, ports })).resources.map(({ id }) => id);
  expect(await ids(near.id)).toEqual([near.id]);
  Object.assign(far, { fixed_ips: [{ subnet_id: OTHER_SUBNET, ip_address: '10.0.0.1' }] });
  expect(await ids(near.id, far.id)).toEqual([far.id]);
});

test('one without port security takes no group', async () => {
  const { cloud } = cloudWith();
  Object.assign(portOf(cloud, 1), { port_security_enabled: false, security_groups: [] });
  const { resources, unfiltered } = await look(cloud, ['10.0.0.1', '10.0.0.2']);
  expect([resources.map(({ address }) => address), unfiltered]).toEqual([['port/10.0.0.2'], ['10.0.0.1']]);
});

test('of all ports, which a Neutron lists that does not know the filter, only those with the group count', async () => {
  const { cloud } = cloudWith(3);
  const { resources } = await look({ list: (kind) => cloud.list(kind) }, []);
  expect(resources.map(({ address }) => address)).toEqual(['port/10.0.0.3']);
});

test.each([
  [0, 0],
  [50, 50],
  [51, 0],
])('of %i addresses %i are named in the one call', async (count, named) => {
  const { asked, list } = cloudWith();
  await portsAt(
    Array.from({ length: count }, (_, at) => `10.1.0.${at}`),
    { list },
  );
  expect(asked).toHaveLength(Math.min(1, count));
  expect(asked.map(({ fixed_ips: ips = [] }) => [ips].flat().length)).toEqual(count > 0 ? [named] : []);
});
