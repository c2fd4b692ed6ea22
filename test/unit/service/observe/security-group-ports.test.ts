import { expect, test } from 'vitest';
import type { WireResource } from '../../../../shared/model/resources.ts';
import { observeGroupPorts } from '../../../../shared/service/observe/network/security-group.ts';
import type { Query } from '../../../../shared/ports.ts';
import { SimulatedCloud } from '../../../support/simulated-cloud.ts';
import { OTHER_SUBNET, SUBNET } from '../../../support/cloud-contents.ts';

const GROUP: WireResource = { id: '77777777-0000-4000-8000-000000000001' };
const subnet = { id: SUBNET, cidr: '10.0.0.0/24', network_id: 'n' };
const elsewhere = { ...subnet, id: OTHER_SUBNET };

/** A cloud in which the ports with these numbers have the group, and what was asked of it. */
function cloudWith(...numbers: readonly number[]) {
  const cloud = new SimulatedCloud();
  for (const number of numbers)
    Object.assign(cloud.all('port')[number - 1] ?? {}, { security_groups: [GROUP.id] });
  const asked: Query[] = [];
  const list: SimulatedCloud['list'] = (kind, query) => {
    asked.push(query ?? {});
    return cloud.list(kind, query);
  };
  return { cloud, asked, list };
}

const look = (lists: Pick<SimulatedCloud, 'list'>, addresses: readonly string[], at = subnet) =>
  observeGroupPorts([GROUP], { addresses, subnet: at, servers: new Set(), ports: new Map() }, lists);

test('those that lack it are looked for by address, all at once, and those that should not have it are seen too', async () => {
  const cloud = cloudWith(1, 5);
  const { resources } = await look(cloud, ['10.0.0.1', '10.0.0.2', '10.0.0.3']);
  expect(resources.map(({ address }) => address)).toEqual(
    [1, 2, 3, 5].map((number) => `port/10.0.0.${number}`),
  );
  expect(cloud.asked[1]).toMatchObject({ fixed_ips: ['ip_address=10.0.0.2', 'ip_address=10.0.0.3'] });
});

test('a port that has the address in another subnet does not count', async () => {
  const found = await look(cloudWith(), ['10.0.0.1'], elsewhere);
  expect(found).toEqual({ resources: [], withoutPort: ['10.0.0.1'], unfiltered: [], onStrangeServer: [] });
});

test('of all ports, which a Neutron lists that does not know the filter, only those with the group count', async () => {
  const { cloud } = cloudWith(3);
  const { resources } = await look({ list: (kind) => cloud.list(kind) }, []);
  expect(resources.map(({ address }) => address)).toEqual(['port/10.0.0.3']);
});
