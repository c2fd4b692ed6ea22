import { expect, test } from 'vitest';
import { newMemory } from '../../../../shared/memory/memory.ts';
import { observeFloatingNetworks } from '../../../../shared/service/observe/network/network.ts';
import { SimulatedCloud } from '../../../support/simulated-cloud.ts';
import { NETWORK, PUBLIC, PUBLIC_SUBNET, SUBNET } from '../../../support/cloud-contents.ts';

const HIDDEN = 'aaaaaaaa-0000-4000-8000-0000000000ee';
const four = { ip_version: 4, network_id: PUBLIC };
const SUBNETS = [
  { ...four, id: PUBLIC_SUBNET, name: 'a' },
  { ...four, id: '6', name: 'a6', ip_version: 6 },
  { id: SUBNET, name: 'private', network_id: NETWORK },
];

async function evaluation(
  question: object,
  networks: readonly string[] = [PUBLIC],
  subnets: typeof SUBNETS = SUBNETS,
) {
  const cloud = new SimulatedCloud({
    subnet: subnets,
    network: networks.map((id) => ({ id, 'router:external': 'true' })),
  });
  const source = { cloud, clock: { now: () => 0 }, memory: newMemory() };
  return observeFloatingNetworks({ external: true, families: [4], ...question }, source);
}

test('a named subnet settles which of several networks it is', async () => {
  const { floatingNetworks } = await evaluation({ floating_subnet_id: PUBLIC_SUBNET }, [NETWORK, PUBLIC]);
  expect(floatingNetworks).toEqual([PUBLIC]);
});

test('an external network without IPv4 gives no floating IP, and one with subnets that the project cannot see does', async () => {
  const six = { id: '66', name: 'six', ip_version: 6, network_id: HIDDEN };
  const found = await evaluation({}, [PUBLIC, HIDDEN], [...SUBNETS, six]);
  expect(found.floatingNetworks).toEqual([PUBLIC]);
  expect(await evaluation({}, [HIDDEN], [six])).toEqual({ floatingNetworks: [] });
  expect(await evaluation({}, [HIDDEN], SUBNETS)).toEqual({ floatingNetworks: [] });
  const cloud = new SimulatedCloud({ subnet: [], network: [{ id: PUBLIC, 'router:external': true }] });
  const [network] = cloud.all('network');
  if (network) network['subnets'] = ['subnet-of-the-operator'];
  const source = { cloud, clock: { now: () => 0 }, memory: newMemory() };
  const question = { external: true, families: [4 as const] };
  expect(await observeFloatingNetworks(question, source)).toEqual({ floatingNetworks: [PUBLIC] });
});
