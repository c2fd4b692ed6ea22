/** Fifty Nodes that come or go within a minute are few changes of each pool, in `serve`, by the clock of a world without sockets. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createSandbox, type SandboxInside } from '../../../infra/sandbox/sandbox.ts';
import type { Node } from '../../../shared/model/kubernetes.ts';
import { FakedClock, quiet } from '../../support/clusters/serving-clusters.ts';
import { aConfig } from '../../support/config.ts';
import { workOf } from '../../support/work-of.ts';
import { AUTH_URL, inProcessWorld } from '../../support/in-process.ts';
import { run, SILENT } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const TWO_PORTS = [80, 443].map((port) => ({ name: `p${port}`, port }));
const OCTAVIA_MS = 4_000;
const CHANGES = 50;
const STEP_MS = 200;
const EVERY_MS = 1_200;
const LATEST_MS = 30_000;
const MEMBERS = /pools\/([0-9a-f-]{36})\/members/;

/** `serve` with its queue, sweeps and poller, beside Service `web`, which is settled. */
async function servingWorld(nodes: number) {
  const inside = createSandbox({ nodes, pendingMs: 0 }, new FakedClock());
  Object.assign(inside.cloud.quotas, { port: -1 });
  const world = inProcessWorld(inside, aConfig(AUTH_URL), SILENT);
  const work = workOf(world);
  const pass = async (ms: number, each: () => void = () => undefined): Promise<void> => {
    for (let passed = 0; passed < ms; passed += STEP_MS) {
      await vi.advanceTimersByTimeAsync(STEP_MS);
      await quiet([{ inside }]);
      each();
    }
  };
  inside.kube.apply(aService({ spec: { ports: TWO_PORTS } }));
  for (let status = 'progressing'; status === 'progressing';) {
    const running = run({ key: 'service/default/web', trigger: 'audit' }, world).then(({ outcome }) => {
      status = outcome.status;
      return true;
    });
    while (!(await Promise.race([running, pass(STEP_MS).then(() => false)])));
  }
  Object.assign(inside.cloud, { pendingMs: OCTAVIA_MS });
  return { inside, work, pass };
}

test.each([
  ['leave', 60],
  ['join', 10],
] as const)('fifty Nodes that %s within a minute', async (what, nodes) => {
  const { inside, work, pass } = await servingWorld(nodes);
  const before = inside.requests.length;
  const since = new Map<string, number>();
  let longestMs = 0;
  /** Members are told by the addresses of their Nodes. */
  const look = (): void => {
    const perAddress = Map.groupBy(inside.cloud.members, ({ address }) => address);
    for (const [address, sinceMs] of since) {
      const isDone = (perAddress.get(address)?.length ?? 0) === (what === 'leave' ? 0 : 2);
      if (isDone) since.delete(address);
      else longestMs = Math.max(longestMs, Date.now() - sinceMs);
    }
  };
  for (let node = 1; node <= CHANGES; node += 1) {
    const name = what === 'leave' ? `node-${node}` : `joined-${node}`;
    if (what === 'join') inside.kube.addNode(name);
    since.set(addressOf(inside, name), Date.now());
    if (what === 'leave') inside.kube.delete('Node', undefined, name);
    work.enqueue([{ key: 'nodeset', trigger: 'watch' }]);
    await pass(EVERY_MS, look);
  }
  await pass(LATEST_MS, look);
  expect(since).toEqual(new Map());
  expect(longestMs).toBeLessThanOrEqual(LATEST_MS);
  const writes = inside.requests.slice(before).filter(({ side, write }) => side === 'openstack' && write);
  const pools = writes.flatMap(({ path }) => MEMBERS.exec(path)?.[1] ?? []);
  const changes = [...Map.groupBy(pools, (pool) => pool).values()].map(({ length }) => length);
  expect(changes).toHaveLength(2);
  expect(Math.max(...changes)).toBeLessThanOrEqual(4);
});

test('annotations and heartbeats of Nodes ask OpenStack for nothing', async () => {
  const { inside, work, pass } = await servingWorld(3);
  const tell = (): void => {
    work.enqueue([{ key: 'nodeset', trigger: 'watch' }]);
  };
  tell();
  await pass(20_000);
  const before = inside.requests.length;
  for (let at = 0; at < 30; at += 1) {
    const annotations = { 'example.com/seen': String(at) };
    inside.kube.apply({ kind: 'Node', metadata: { name: 'node-1', annotations } });
    tell();
    await pass(1_000);
  }
  const asked = inside.requests.slice(before);
  expect(asked.filter(({ side }) => side === 'openstack')).toEqual([]);
  expect(asked.length).toBeLessThanOrEqual(3);
});

function addressOf({ kube }: SandboxInside, name: string): string {
  const node = kube.get('Node', undefined, name) as Node | undefined;
  return node?.status?.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? '';
}
