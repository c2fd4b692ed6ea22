import { expect, test } from 'vitest';
import { newMemory } from '../../../../shared/memory/memory.ts';
import { Subnets, observeVipSubnets } from '../../../../shared/service/observe/network/subnets.ts';
import type { WireResource } from '../../../../shared/model/resources.ts';
import { SimulatedCloud } from '../../../support/simulated-cloud.ts';
import type { Wire } from '../../../support/cloud-contents.ts';

type NetworkQuestion = Parameters<typeof observeVipSubnets>[0];
type LocatedAddress = ReturnType<ConstructorParameters<typeof Subnets>[1]>[number];

const NETWORK = 'net-1';
const subnet = (id: string, cidr: string, network_id = NETWORK): Wire => ({ id, cidr, network_id });
const FOUR = subnet('aaaaaaaa-0000-4000-8000-000000000004', '10.0.0.0/24');
const SIX = subnet('aaaaaaaa-0000-4000-8000-000000000006', 'fd00:10::/64');
const OTHER_SIX = subnet('aaaaaaaa-0000-4000-8000-000000000005', 'fd00:11::/64');
const MORE = subnet('aaaaaaaa-0000-4000-8000-000000000007', '10.1.0.0/24');
const STRAY = subnet('aaaaaaaa-0000-4000-8000-000000000009', 'fd00:99::/64', 'net-2');
const PORT = {
  id: 'aaaaaaaa-0000-4000-8000-00000000000a',
  fixed_ips: [
    { subnet_id: SIX.id, ip_address: 'fd00:10::7' },
    { subnet_id: FOUR.id, ip_address: '10.0.0.7' },
  ],
};

/** Ids of the subnets that are found, the primary one first. */
async function idsOf(
  question: Partial<NetworkQuestion>,
  {
    subnets = [FOUR, SIX],
    lb,
    addresses = ['10.0.0.7', 'fd00:10::7'],
    nodes = addresses.map((address) => ({ address })),
    ports = [],
  }: {
    subnets?: readonly Wire[];
    lb?: WireResource;
    addresses?: readonly string[];
    nodes?: readonly LocatedAddress[];
    ports?: readonly Wire[];
  } = {},
) {
  const cloud = new SimulatedCloud({ subnet: subnets, port: [PORT, ...ports] });
  const comparison = new Subnets({ cloud, clock: { now: () => 0 }, memory: newMemory() }, () => nodes);
  const asked = { external: false, families: [4 as const], ...question };
  const { vipSubnet, additionalSubnets } = await observeVipSubnets(asked, lb, comparison);
  return [vipSubnet?.id, ...additionalSubnets.map(({ id }) => id)];
}

const several = [FOUR, SIX, OTHER_SIX, STRAY];
const BOTH = { families: [4, 6] as const };
const lb = (vip_subnet_id: string, ...additional: readonly string[]): WireResource => ({
  id: 'lb',
  vip_subnet_id,
  additional_vips: additional.map((subnet_id) => ({ subnet_id })),
});

// prettier-ignore
test.each<[string, Partial<NetworkQuestion>, object, readonly (string | undefined)[]]>([
  ['is that of the nodes, of the first family', { families: [6] }, {}, [SIX.id]],
  ['is that of the server’s own port, whoever else has the address', {}, { nodes: [{ address: '10.0.0.7', subnets: [MORE.id] }], subnets: [FOUR, MORE] }, [MORE.id]],
  ['is not that of others where the server’s ports do not have the address', {}, { nodes: [{ address: '10.0.0.7', subnets: [] }] }, [undefined]],
  ['is that of the next Node where a server has the address in two networks', {}, { nodes: [{ address: '10.0.0.7', subnets: [FOUR.id, MORE.id] }, { address: '10.1.0.8', subnets: [MORE.id] }], subnets: [FOUR, MORE] }, [MORE.id]],
  ['is not guessed where two subnets of the project have the address', {},
    { ports: [{ id: FOUR.id, fixed_ips: [{ subnet_id: MORE.id, ip_address: '10.0.0.7' }] }, { id: MORE.id, fixed_ips: [{ subnet_id: MORE.id, ip_address: '10.1.0.8' }] }], addresses: ['10.0.0.7', '10.1.0.8'], subnets: [FOUR, MORE] },
    [MORE.id]],
  ['is found behind any number of Nodes that Neutron does not know', {}, { addresses: [...Array.from({ length: 60 }, (_, at) => `10.0.9.${at}`), '10.0.0.7'] }, [FOUR.id]],
  ['is that of the load balancer', {}, { lb: lb(SIX.id), addresses: [] }, [FOUR.id]],
  ['is another of its network when it is of no family asked for', { vip_subnet_id: FOUR.id, families: [6] }, {}, [SIX.id]],
  ['may be of the second family', { vip_subnet_id: FOUR.id, families: [6, 4] }, {}, [FOUR.id, SIX.id]],
  ['is that of the address on the port that is named', { vip_port_id: PORT.id }, { addresses: [] }, [FOUR.id]],
  ['is Octavia’s choice in a network that is named', { vip_network_id: NETWORK }, {}, [undefined]],
  ['is chosen in a network that is named for IPv6', { vip_network_id: NETWORK, families: [6] }, {}, [SIX.id]],
  ['of the second family is the one with nodes in it', BOTH, { subnets: several }, [FOUR.id, SIX.id]],
  ['of the second family is none of several with nothing to choose by', BOTH, { subnets: several, addresses: ['10.0.0.7'] }, [FOUR.id]],
  ['of the second family is the one that is named', { ...BOTH, additional_vip_subnet_ids: [OTHER_SIX.id] }, { subnets: several }, [FOUR.id, OTHER_SIX.id]],
  ['of the second family is the one that the load balancer has', BOTH, { subnets: several, lb: lb(FOUR.id, OTHER_SIX.id) }, [FOUR.id, OTHER_SIX.id]],
  ['of the second family is found beside a network that is named', { ...BOTH, vip_network_id: NETWORK }, {}, [undefined, SIX.id]],
  ['of the second family is that of the port that is named', { ...BOTH, vip_port_id: PORT.id }, {}, [FOUR.id, SIX.id]],
  ['and further ones are VIPs too, of whichever family, and none twice', { additional_vip_subnet_ids: [MORE.id, FOUR.id, MORE.id, SIX.id] }, { subnets: [FOUR, SIX, MORE] }, [FOUR.id, MORE.id, SIX.id]],
])('the subnet of the VIP %s', async (_, question, world, ids) => {
  expect(await idsOf(question, world)).toEqual(ids);
});

// prettier-ignore
test.each([
  ['a global one is none that an internal Service gets unasked', '2001:db8:10::/64', {}, [FOUR.id]],
  ['a local one is', SIX['cidr'], {}, [FOUR.id, SIX.id]],
  ['a global one is if it is named', '2001:db8:10::/64', { additional_vip_subnet_ids: [SIX.id] }, [FOUR.id, SIX.id]],
  ['a global one is if both are required', '2001:db8:10::/64', { stays_inside: undefined }, [FOUR.id, SIX.id]],
])('of IPv6 subnets %s', async (_, cidr, question, ids) => {
  const asked = { ...BOTH, stays_inside: true as const, ...question } as Partial<NetworkQuestion>;
  const world = { subnets: [FOUR, { ...SIX, cidr }], addresses: ['10.0.0.7'] };
  expect(await idsOf(asked, world)).toEqual(ids);
  expect(await idsOf(asked, { ...world, lb: lb(FOUR.id, SIX.id) })).toEqual([FOUR.id, SIX.id]);
});
