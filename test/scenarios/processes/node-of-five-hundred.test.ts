/** One Node that comes or goes is one change of each pool of all load balancers, side by side, in `serve`. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { SandboxInside } from '../../../infra/sandbox/sandbox.ts';
import { servingWorld } from './serving-world.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const COUNT = 500;
const NODES = 10;
const OCTAVIA_MS = 3_000;
/** What all ask for together: the sweep's lists, those of the poller, and those of eight units each. */
const TOGETHER = 80 + (5 * COUNT) / 8;
const MEMBERS = '/load-balancer/v2.0/lbaas/pools/ID/members';
const ROOM = { public: '203.0.0.0/16', private: '10.0.0.0/16' };

test(`a Node of ${COUNT} load balancers joins, and leaves`, async () => {
  const services = Array.from({ length: COUNT }, (_, at) => ({ name: `svc-${at}` }));
  const options = { nodes: NODES, pendingMs: OCTAVIA_MS, cidrs: ROOM };
  const { inside, work, pass, untilIdle } = await servingWorld(services, options);
  await pass(5_000);
  const changed = async (change: () => void): Promise<Made> => {
    const before = inside.requests.length;
    change();
    work.enqueue([{ key: 'nodeset', trigger: 'watch' }]);
    // no load balancer waits for another one
    expect(await untilIdle()).toBeLessThan(3 * OCTAVIA_MS);
    return madeSince(before, inside);
  };

  const joined = await changed(() => inside.kube.addNode('joined'));
  expect(inside.cloud.members).toHaveLength(COUNT * (NODES + 1));
  expect(joined.writes).toEqual(Array(COUNT).fill(`POST ${MEMBERS}`));
  expect(joined.reads.filter((one) => one === `GET ${MEMBERS}`).length).toBeLessThanOrEqual(COUNT);
  expect(joined.reads.length).toBeLessThanOrEqual(COUNT + TOGETHER);

  await pass(60_000);
  const left = await changed(() => {
    inside.kube.removeNode('joined');
  });
  expect(inside.cloud.members).toHaveLength(COUNT * NODES);
  expect(left.writes).toEqual(Array(COUNT).fill(`DELETE ${MEMBERS}/ID`));
  // and the members of each pool once more
  expect(left.reads.length).toBeLessThanOrEqual(2 * COUNT + TOGETHER);
});

interface Made {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}

/** The requests to OpenStack without logins, with `ID` for ids. */
function madeSince(before: number, { requests }: SandboxInside): Made {
  const made = requests
    .slice(before)
    .filter(({ side, service }) => side === 'openstack' && service !== 'keystone');
  const textsOf = (isWrite: boolean): readonly string[] =>
    made
      .filter(({ write }) => write === isWrite)
      .map(
        ({ method, path }) =>
          `${method} ${path.replace(/\?.*/, '').replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID')}`,
      );
  return { reads: textsOf(false), writes: textsOf(true) };
}
