import { expect, test } from 'vitest';
import type { SandboxInside } from '../../../infra/sandbox/sandbox.ts';
import type { World } from '../../../shared/ports.ts';
import { sweep } from '../../../shared/sweep.ts';
import { runOf, settledWorld } from './settled-world.ts';

const COUNT = 10;
const POOLS = 2 * COUNT;
const NODES = 8;
const TWO_PORTS = {
  ports: [
    { name: 'http', port: 80, targetPort: 8080 },
    { name: 'https', port: 443, targetPort: 8443 },
  ],
};
const MEMBERS = '/load-balancer/v2.0/lbaas/pools/ID/members';
/** A sweep's lists, for each load balancer a look at it and its floating IP in each run, and the members of each pool after a write. */
const READS = 6 + 7 * COUNT;

test('a Node that joins is one new member in each pool, and nothing is read but members that were written', async () => {
  const { inside, world } = await loadBalancers();
  const { reads, writes } = await requestsOf(inside, async () => {
    inside.kube.addNode('joined');
    await follow(inside, world);
  });
  expect(writes).toEqual(Array(POOLS).fill(`POST ${MEMBERS}`));
  expect(onThem(reads)).toEqual(Array(onThem(reads).length).fill(`GET ${MEMBERS}`));
  expect(onThem(reads).length).toBeLessThanOrEqual(POOLS);
  expect(reads.length).toBeLessThanOrEqual(READS);
  expect(inside.cloud.members).toHaveLength(POOLS * (NODES + 1));
});

test('Nodes that leave together are one change of each pool, in which the other members stay', async () => {
  const { inside, world } = await loadBalancers();
  const { reads, writes } = await requestsOf(inside, async () => {
    for (const node of [1, 2, 3, 4, 5]) inside.kube.delete('Node', undefined, `node-${node}`);
    await follow(inside, world);
  });
  expect(writes).toEqual(Array(POOLS).fill(`PUT ${MEMBERS}`));
  expect(onThem(reads)).toEqual(Array(onThem(reads).length).fill(`GET ${MEMBERS}`));
  expect(onThem(reads).length).toBeLessThanOrEqual(POOLS);
  expect(reads.length).toBeLessThanOrEqual(READS);
  expect(inside.cloud.members).toHaveLength(POOLS * (NODES - 5));
  // a member that is made anew has lost its connections
  const made = inside.cloud.loadbalancers.map((one) => one.created_at).toSorted();
  expect(inside.cloud.members.every((one) => one.created_at <= (made.at(-1) ?? ''))).toBe(true);
});

/** The reads of what is on load balancers. */
function onThem(reads: readonly string[]): readonly string[] {
  return reads.filter((one) => /listeners|pools|healthmonitors/.test(one));
}

function loadBalancers(): ReturnType<typeof settledWorld> {
  const services = Array.from({ length: COUNT }, (_, at) => ({ name: `svc-${at}`, spec: TWO_PORTS }));
  return settledWorld(services, NODES);
}

/** The sweep that follows a change of Nodes, and the runs of what it finds. */
async function follow(inside: SandboxInside, world: World): Promise<void> {
  inside.advanceClock(2_000);
  const { requests } = await sweep(world);
  expect(requests).toHaveLength(COUNT);
  for (const { key, trigger } of requests) {
    let status = await runOf(key, world, { trigger });
    while (status === 'progressing') {
      inside.advanceClock(10);
      status = await runOf(key, world, { trigger: 'requeue' });
    }
    expect(status).toBe('settled');
  }
}

interface Made {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}

/** The requests to OpenStack, without logins: `GET /network/v2.0/ports`, with `ID` for ids. */
async function requestsOf({ requests }: SandboxInside, run: () => Promise<void>): Promise<Made> {
  const before = requests.length;
  await run();
  const made = requests
    .slice(before)
    .filter(({ side, service }) => side === 'openstack' && service !== 'keystone')
    .map(({ method, path, write }) => {
      const plain = path.replace(/\?.*/, '').replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID');
      return { write, text: `${method} ${plain}` };
    });
  const textsOf = (isWrite: boolean): readonly string[] =>
    made.flatMap(({ write, text }) => (write === isWrite ? [text] : []));
  return { reads: textsOf(false), writes: textsOf(true) };
}
