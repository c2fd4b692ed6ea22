/** Another subnet for the members: Octavia takes none for a member that is there, so they are made anew beside themselves. */
import { beforeAll, expect, it } from 'vitest';
import {
  addressOf,
  answeringNodes,
  apply,
  aService,
  cloud,
  lab,
  longestOutage,
  startTraffic,
  treeOf,
  until,
  type Resource,
} from '../lab/lab.ts';
import { labWorld } from '../lab/lab-world.ts';

const world = labWorld({ nodes: ['e2e-member-subnet-1', 'e2e-member-subnet-2'] });

let subnet = '';
beforeAll(async () => {
  if (!lab().controllable) return undefined;
  const body = { network: { name: 'e2e-member-subnet' } };
  const { network } = await cloud().must<{ network: Resource }>('network', 'POST', '/v2.0/networks', body);
  const inIt = { network_id: network.id, ip_version: 4, cidr: '10.77.0.0/24', enable_dhcp: false };
  const made = await cloud().must<{ subnet: Resource }>('network', 'POST', '/v2.0/subnets', { subnet: inIt });
  subnet = made.subnet.id;
  return async () => {
    await cloud().must('network', 'DELETE', `/v2.0/networks/${network.id}`);
  };
});

const deploy = (annotations: Record<string, string>): Promise<string> =>
  apply([aService(world.namespace, 'web', [{ port: 80 }], { annotations })]);

/** The pools of its listener's load balancer: that in use, and the others. */
async function poolsOf(): Promise<{ readonly inUse: Pool | undefined; readonly others: number }> {
  const { listeners, pools } = await treeOf(world.namespace, 'web');
  const inUse = pools.find(({ id }) => id === listeners[0]?.['default_pool_id']);
  return { inUse, others: pools.length - (inUse ? 1 : 0) };
}
type Pool = Awaited<ReturnType<typeof treeOf>>['pools'][number];

const subnetsOf = (pool: Pool | undefined): ReadonlySet<unknown> =>
  new Set(pool?.members.map((member) => member['subnet_id']));

it('is a new pool, which the listener switches to when it has every member, under requests all the while', async () => {
  await deploy({});
  const url = `http://${await addressOf(world.namespace, 'web')}/`;
  await until('every node to answer', async () => (await answeringNodes(url, 6)).size === world.nodes.length);
  const { inUse: before } = await poolsOf();

  const traffic = startTraffic(url, 30);
  const seen: (readonly [pool: string | undefined, members: number | undefined])[] = [];
  await deploy({ 'loadbalancer.openstack.org/member-subnet-id': subnet });
  await until(
    'members in the other subnet, and one pool',
    async () => {
      const { inUse, others } = await poolsOf();
      seen.push([inUse?.id, inUse?.members.length]);
      return others === 0 && subnetsOf(inUse).has(subnet);
    },
    { timeoutMs: 60_000, everyMs: 100 },
  );
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const answers = await traffic.stop();

  const outage = longestOutage(answers);
  const failed = answers.filter(({ ok }) => !ok).length;
  console.log(
    `members moved: ${String(answers.length)} requests, ${String(failed)} failed, longest outage ${String(outage)} ms; the pool in use was looked at ${String(seen.length)} times`,
  );
  const { inUse: after } = await poolsOf();
  expect(after?.id).not.toBe(before?.id);
  expect(after?.monitor).toBeDefined();
  expect([...subnetsOf(after)]).toEqual([subnet]);
  expect(new Set(seen.map(([pool]) => pool))).toEqual(new Set([before?.id, after?.id]));
  expect(new Set(seen.map(([, members]) => members))).toEqual(new Set([world.nodes.length]));
  expect(outage).toBeLessThan(1_000);
  expect((await answeringNodes(url, 6)).size).toBe(world.nodes.length);

  // without the annotation nobody asks for a subnet, and they stay
  await deploy({});
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  expect((await poolsOf()).inUse?.id).toBe(after?.id);
});
