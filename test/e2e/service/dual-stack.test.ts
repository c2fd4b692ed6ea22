/** Two families, and IPv6 alone: requests through every address that the status names. */
import { beforeAll, expect, it } from 'vitest';
import {
  answeringNodes,
  apply,
  aService,
  askHttp,
  countCalls,
  getService,
  labResources,
  patchNode,
  readyOf,
  serverOf,
  treeOf,
  until,
  writes,
  type LabNode,
} from '../lab/lab.ts';
import { labWorld } from '../lab/lab-world.ts';

/** The lab's client. */
const CLIENT_IPV6 = { from: '2001:db8:c::10' };

const world = labWorld({ nodes: ['e2e-dual-1', 'e2e-dual-2'] });
beforeAll(async () => {
  await Promise.all(world.nodes.map(giveIPv6Address));
});

/** Every address of its port, as OCCM writes them. */
async function giveIPv6Address(node: LabNode): Promise<void> {
  const all = Object.values((await serverOf(node)).addresses).flat();
  const six = all.find(({ version }) => version === 6);
  const addresses = [node.address, six?.addr ?? ''].map((address) => ({ type: 'InternalIP', address }));
  await patchNode(node.name, { status: { addresses } });
}

const prefix = (): string => labResources().private_v6_cidr.replace('/64', '');

const dual = (spec: object = {}): object =>
  aService(world.namespace, 'web', [{ port: 80 }, { port: 53, protocol: 'UDP' }], {
    spec: { ipFamilyPolicy: 'RequireDualStack', ...spec },
  });

async function addresses(count: number): Promise<readonly string[]> {
  return until(
    `${String(count)} addresses`,
    async () => {
      const { ingress = [] } = (await getService(world.namespace, 'web'))?.status?.loadBalancer ?? {};
      // Kubernetes 1.29 drops it
      expect(ingress.every(({ ipMode = 'VIP' }) => ipMode === 'VIP')).toBe(true);
      return ingress.length === count ? ingress.map(({ ip = '' }) => ip) : undefined;
    },
    { timeoutMs: 60_000 },
  );
}

const message = async (): Promise<string> => (await readyOf(world.namespace, 'web'))?.message ?? '';

async function everyNodeAnswers(url: string, options = {}): Promise<void> {
  const all = async (): Promise<boolean> =>
    (await answeringNodes(url, 6, options)).size === world.nodes.length;
  await until(`every node at ${url}`, all, { timeoutMs: 30_000 });
}

it('a dual-stack Service answers at both of its addresses, and keeps them', async () => {
  await apply([dual()]);
  const [four = '', six = ''] = await addresses(2);
  expect([four, six]).toEqual([expect.stringMatching(/^203\.0\.113\./), expect.stringContaining(prefix())]);

  await everyNodeAnswers(`http://${four}/`);
  await everyNodeAnswers(`http://[${six}]/`, CLIENT_IPV6);

  const { pools } = await treeOf(world.namespace, 'web');
  const familiesOf = (protocol: string): readonly string[] => {
    const members = pools.find((pool) => pool['protocol'] === protocol)?.members ?? [];
    return members.map((member) => (String(member['address']).includes(':') ? 'IPv6' : 'IPv4')).sort();
  };
  expect(familiesOf('TCP')).toEqual(['IPv4', 'IPv4']);
  expect(familiesOf('UDP')).toEqual(['IPv4', 'IPv4', 'IPv6', 'IPv6']);

  const counted = await countCalls();
  await world.levelset.resync({ all: true });
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  expect(writes(await counted.stop())).toEqual([]);

  await apply([dual({ ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv4'] })]);
  await until('the Service to be told', async () =>
    (await message()).includes(`does not name the family of ${six}, which the load balancer keeps`),
  );
  expect(await addresses(1)).toEqual([four]);
  expect((await askHttp(`http://${four}/`)).ok).toBe(true);
});

it('an IPv6-only Service answers at its VIP, from nodes that it reaches by IPv6', async () => {
  await apply([aService(world.namespace, 'web', [{ port: 80 }], { spec: { ipFamilies: ['IPv6'] } })]);
  const [six = ''] = await addresses(1);
  expect(six).toContain(prefix());
  await everyNodeAnswers(`http://[${six}]/`, CLIENT_IPV6);
  const answer = await askHttp(`http://[${six}]/`, CLIENT_IPV6);
  expect(answer.ok && answer.peer).toBe(six);
});
