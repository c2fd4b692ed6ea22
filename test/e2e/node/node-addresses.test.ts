/** Which addresses a Node gets of a server with several networks, and that load balancers follow them. */
import { isIPv4 } from 'node:net';
import { beforeAll, expect, it } from 'vitest';
import { labWorld } from '../lab/lab-world.ts';
import {
  addressOf,
  apply,
  aService,
  cloud,
  complaintOf,
  labResources,
  nodeEvents,
  nodeOf,
  patchNode,
  registerNode,
  removeNodes,
  serverOf,
  someServers,
  taintsOf,
  treeOf,
  UNINITIALIZED,
  until,
  type LabNode,
  type Resource,
} from '../lab/lab.ts';
import { asRecorded, madeOf } from '../fixtures/recorded-node.ts';

const world = labWorld({ servers: ['e2e-addresses-1', 'e2e-addresses-2'] });
let first: LabNode;
let late: LabNode;
let two: LabNode;

/** A server in `private` and in `extra`, a network that has no router; it goes with the file. */
beforeAll(async () => {
  [first, late] = world.servers as [LabNode, LabNode];
  const made = await cloud().must<{ network: Resource }>('network', 'POST', '/v2.0/networks', {
    network: { name: 'extra' },
  });
  const network = made.network.id;
  await cloud().must('network', 'POST', '/v2.0/subnets', {
    subnet: { network_id: network, cidr: '10.9.0.0/24', ip_version: 4, gateway_ip: null },
  });
  const networks = [labResources().private_network, network];
  [two] = (await someServers(['e2e-addresses-two'], { networks })) as [LabNode];
  return async () => {
    await removeNodes([two]);
    await cloud().must('network', 'DELETE', `/v2.0/networks/${network}`);
  };
});

interface Port extends Resource {
  readonly fixed_ips: readonly { readonly ip_address: string }[];
}
const portsOf = async ({ server }: LabNode): Promise<readonly Port[]> =>
  (await cloud().must<{ ports: Port[] }>('network', 'GET', `/v2.0/ports?device_id=${server}`)).ports;
const fixedIPs = (ports: readonly Port[]): readonly string[] =>
  ports.flatMap(({ fixed_ips }) => fixed_ips.map(({ ip_address }) => ip_address));
const listed = async (node: LabNode): Promise<readonly string[]> =>
  Object.values((await serverOf(node)).addresses).flatMap((all) => all.map(({ addr }) => addr));
const initialised = (name: string): Promise<boolean> =>
  until(`Node ${name} to be initialised`, async () => !(await taintsOf(name)).includes(UNINITIALIZED.key));
const memberAddresses = async (): Promise<readonly string[]> =>
  (await treeOf(world.namespace, 'web')).pools[0]?.members.map(({ address }) => String(address)) ?? [];

it('refuses a --node-ip that the server does not have, and says why', async () => {
  const annotations = { 'alpha.kubernetes.io/provided-node-ip': '192.0.2.1' };
  await registerNode(two.name, { annotations });
  const why = await until('the Node to be told', () => complaintOf(two.name));
  expect(why).toMatch(/192\.0\.2\.1/);
  expect(await taintsOf(two.name)).toContain(UNINITIALIZED.key);
  await until('an Event that says the same', async () =>
    (await nodeEvents(two.name)).some((event) => event.includes('192.0.2.1')),
  );

  await patchNode(two.name, {
    metadata: { annotations: { 'alpha.kubernetes.io/provided-node-ip': two.address } },
  });
  await initialised(two.name);
  const addresses = (await nodeOf(two.name))?.status?.addresses ?? [];
  expect(addresses).toEqual([{ type: 'InternalIP', address: two.address }]);
});

it('gives two networks, IPv6 and a floating IP in the order of the Go provider', async () => {
  const ports = await portsOf(two);
  const port = ports.find((one) => fixedIPs([one]).includes(two.address));
  const { floatingip } = await cloud().must<{ floatingip: Resource }>(
    'network',
    'POST',
    '/v2.0/floatingips',
    {
      floatingip: {
        floating_network_id: labResources().public_network,
        port_id: port?.id,
        fixed_ip_address: two.address,
      },
    },
  );
  try {
    const floating = String(floatingip['floating_ip_address']);
    await until('Nova to list the floating IP', async () => (await listed(two)).includes(floating));
    await patchNode(two.name, {
      metadata: { annotations: { 'alpha.kubernetes.io/provided-node-ip': null } },
      spec: { taints: [UNINITIALIZED] },
    });
    await initialised(two.name);
    const node = await nodeOf(two.name);
    expect(node?.status?.addresses).toEqual([
      ...fixedIPs(ports).map((address) => ({ type: 'InternalIP', address })),
      { type: 'ExternalIP', address: floating },
    ]);
    expect(node && madeOf(node).labels).toEqual((await asRecorded('rec-two-swapped', two)).labels);
  } finally {
    await cloud().must('network', 'DELETE', `/v2.0/floatingips/${floatingip.id}`);
  }
  const fixed = fixedIPs(ports).toSorted();
  await until('Nova to list it no more', async () => (await listed(two)).toSorted().join() === fixed.join());
  await world.levelset.resync({ objects: [`node/${two.name}`] });
  await until('the floating IP to be gone from the Node', async () =>
    (await nodeOf(two.name))?.status?.addresses?.every(({ type }) => type === 'InternalIP'),
  );
  await removeNodes([two]);
});

it('load balancers have a Node that registers without an address, and follow it to another one', async () => {
  await registerNode(first.name);
  await apply([aService(world.namespace, 'web', [{ port: 80 }])]);
  await addressOf(world.namespace, 'web');
  await until('one member', async () => (await memberAddresses()).join() === first.address);

  const since = Date.now();
  await registerNode(late.name);
  await until('two members', async () => (await memberAddresses()).includes(late.address));
  console.log(`a Node without address: a member ${Date.now() - since} ms after its registration`);

  const [old] = await portsOf(late);
  const interfaces = `/servers/${late.server}/os-interface`;
  await cloud().must('compute', 'POST', interfaces, {
    interfaceAttachment: { net_id: labResources().private_network },
  });
  await cloud().must('compute', 'DELETE', `${interfaces}/${old?.id ?? ''}`);
  const address = await until('the new address alone in Nova', async () => {
    const addresses = await listed(late);
    return !addresses.includes(late.address) && addresses.find((one) => isIPv4(one));
  });

  await world.levelset.resync({ objects: [`node/${late.name}`] });
  await until('the member at its new address', async () => {
    expect((await memberAddresses()).toSorted()).toEqual([first.address, address].toSorted());
    return true;
  });
});
