/** After a change of its members a pool rests while other Nodes come and go (decision 335). */
import { expect, test } from 'vitest';
import type { Config } from '../../../shared/config/config.ts';
import { forgetNodes } from '../../../shared/memory/listed-nodes.ts';
import type { Outcome } from '../../../shared/model/outcome.ts';
import type { Trigger } from '../../../shared/model/request.ts';
import type { World } from '../../../shared/ports.ts';
import { reconcile } from '../../../shared/reconcile.ts';
import { sweep } from '../../../shared/sweep.ts';
import { aConfig } from '../../support/config.ts';
import { AUTH_URL, inProcessWorld } from '../../support/in-process.ts';
import { SILENT } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { settledWorld } from './settled-world.ts';

const WEIGHTS = 'levelset.openstack.org/member-weights';
const NODES = 20;
const ONE_PORT = { ports: [{ name: 'http', port: 80, targetPort: 8080 }] };
const TWO_PORTS = { ports: [...ONE_PORT.ports, { name: 'https', port: 443, targetPort: 8443 }] };
const MEMBERS = /\/pools\/[0-9a-f-]{36}\/members/;

test('a Node that leaves is taken out at once, the next ones together five seconds later, and those after them ten', async () => {
  const { leave, run, wait, writes } = await aWorld();
  leave(1);
  expect(await run()).toMatchObject({ status: 'settled' });
  expect(writes()).toEqual(['DELETE']);
  wait(1_000);
  leave(2, 3);
  expect(restOf(await run())).toBe(4_000);
  wait(3_800);
  expect(restOf(await run('requeue'))).toBe(200);
  expect(writes()).toEqual([]);
  wait(200);
  expect(await run('requeue')).toMatchObject({ status: 'settled' });
  expect(writes()).toEqual(['PUT']);
  leave(4);
  expect(restOf(await run())).toBe(10_000);
  wait(10_000);
  await run('requeue');
  expect(writes()).toEqual(['DELETE']);
  // one alone: no more are on their way
  leave(5);
  expect(restOf(await run())).toBe(5_000);
});

test('after a quiet minute a pool begins anew', async () => {
  const { leave, run, wait, writes } = await aWorld();
  leave(1);
  await run();
  wait(5_000);
  leave(2, 3);
  await run();
  wait(60_000);
  leave(4, 5);
  await run();
  expect(writes()).toEqual(['DELETE', 'PUT', 'PUT']);
  wait(4_000);
  leave(6);
  expect(restOf(await run())).toBe(1_000);
});

test('no pool rests for longer than thirty seconds, however many Nodes come', async () => {
  const { inside, run, wait, writes } = await aWorld();
  const pauses: number[] = [];
  for (let time = 0; time < 7; time += 1) {
    inside.kube.addNode(`joined-${time}`);
    inside.kube.addNode(`joined-${time}-too`);
    const restMs = restOf(await run());
    if (restMs === 0) continue;
    pauses.push(restMs);
    wait(restMs);
    await run('requeue');
  }
  expect(pauses).toEqual([5_000, 10_000, 20_000, 30_000, 30_000, 30_000]);
  expect(writes()).toHaveLength(7);
});

test('what a person asks of the Service waits for no Node, and takes what has gathered along', async () => {
  const { inside, leave, run, writes } = await aWorld(TWO_PORTS);
  leave(1);
  await run();
  leave(2);
  expect(await run()).toMatchObject({ status: 'progressing' });
  expect(writes()).toEqual(['DELETE', 'DELETE']);
  const annotations = { [WEIGHTS]: 'node-9=5' };
  inside.kube.apply(aService({ name: 'web', spec: TWO_PORTS, annotations }));
  expect(await run('requeue')).toMatchObject({ status: 'settled' });
  expect(writes()).toEqual(['PUT', 'PUT']);
});

test.each(['resync', 'command'] as const)('a %s by a person is done at once', async (trigger) => {
  const { leave, run, writes } = await aWorld();
  leave(1);
  await run();
  leave(2);
  await run(trigger);
  expect(writes()).toEqual(['DELETE', 'DELETE']);
});

test('a quarter of a pool is not kept for a later change', async () => {
  const { leave, run, wait, writes } = await aWorld();
  leave(1);
  await run();
  wait(1_000);
  leave(2, 3, 4, 5);
  expect(await run()).toMatchObject({ status: 'progressing' });
  // five of nineteen
  leave(6);
  expect(await run()).toMatchObject({ status: 'settled' });
  expect(writes()).toEqual(['DELETE', 'PUT']);
});

test('a pool of eight members does not rest', async () => {
  const { inside, leave, run, writes } = await aWorld();
  leave(...Array.from({ length: NODES - 8 }, (_, at) => at + 1));
  await run();
  for (const node of [20, 'joined']) {
    if (node === 'joined') inside.kube.addNode(node);
    else leave(Number(node));
    expect(await run()).toMatchObject({ status: 'settled' });
  }
  expect(writes()).toEqual(['PUT', 'DELETE', 'POST']);
});

test('while a member drains, all that have drained together go one after the other', async () => {
  const { drain, run, wait, writes } = await aWorld(ONE_PORT, { connectionDrainingMs: 60_000 });
  drain(1);
  await run();
  wait(5_000);
  drain(2, 3, 4);
  await run();
  wait(30_000);
  drain(5);
  await run();
  expect(writes()).toEqual(['PUT', 'PUT', 'PUT']);
  wait(25_000);
  await run('requeue');
  expect(writes()).toEqual(['DELETE']);
  wait(5_000);
  expect(await run('requeue')).toMatchObject({ status: 'settled' });
  expect(writes()).toEqual(['DELETE', 'DELETE', 'DELETE']);
});

test('what somebody else changed is put back at once, and told once', async () => {
  const { inside, leave, run, sweeps, wait } = await aWorld();
  leave(1);
  await run();
  wait(1_000);
  // it reads what was written, and so says whose a later difference is
  await sweeps();
  inside.cloud.members.splice(0, 1);
  Object.assign(inside.cloud.loadbalancers[0] ?? {}, { updated_at: '2027-01-01T00:00:00' });
  await run();
  wait(5_000);
  expect(await run('requeue')).toMatchObject({ status: 'settled' });
  const events = inside.kube.list('Event', 'default');
  const told = events.filter(({ reason }) => reason === 'DriftRepaired');
  expect(told.map(({ count }) => count ?? 1)).toEqual([1]);
});

test('a Service whose run fails for something else waits for no Node, since its key may come back late', async () => {
  const { inside, leave, run, wait, writes } = await aWorld();
  leave(1);
  await run();
  wait(2_000);
  leave(2);
  const [monitor] = inside.cloud.healthmonitors;
  Object.assign(monitor ?? {}, { provisioning_status: 'PENDING_UPDATE', updated_at: '2025-12-31T00:00:00' });
  for (const lb of inside.cloud.loadbalancers) lb.updated_at = inside.cloud.octaviaTime();
  expect(await run()).toMatchObject({ status: 'failed', code: 'LOAD_BALANCER_STUCK' });
  expect(writes()).toEqual(['DELETE', 'DELETE']);
});

test('who sets the time of day back makes no pool rest', async () => {
  const { leave, run, wait, writes } = await aWorld();
  leave(1);
  await run();
  wait(-3_600_000);
  leave(2);
  await run();
  expect(writes()).toEqual(['DELETE', 'DELETE']);
});

/** How long the members are not written, in tenths of a second. */
function restOf(outcome: Outcome): number {
  return outcome.status === 'progressing' ? Math.ceil(outcome.retryAfterMs / 100) * 100 : 0;
}

async function aWorld(spec: Readonly<Record<string, unknown>> = ONE_PORT, config: Partial<Config> = {}) {
  const { inside } = await settledWorld([{ name: 'web', spec }], NODES);
  const world = inProcessWorld(inside, { ...aConfig(AUTH_URL), ...config }, SILENT);
  let at = inside.requests.length;
  return {
    inside,
    leave: (...nodes: readonly number[]): void => {
      for (const node of nodes) inside.kube.delete('Node', undefined, `node-${node}`);
    },
    drain: (...nodes: readonly number[]): void => {
      const labels = { 'node.kubernetes.io/exclude-from-external-load-balancers': '' };
      for (const node of nodes)
        inside.kube.apply({ kind: 'Node', metadata: { name: `node-${node}`, labels } });
    },
    run: (trigger: Trigger = 'sweep') => runs(world, trigger),
    sweeps: () => sweep(world),
    wait: (ms: number): void => {
      inside.advanceClock(ms);
    },
    /** The writes of members since this was last asked. */
    writes: (): readonly string[] => {
      const made = inside.requests.slice(at).filter(({ path, write }) => write && MEMBERS.test(path));
      at = inside.requests.length;
      return made.map(({ method }) => method);
    },
  };
}

/** Runs that follow each other as long as Octavia is at work, which takes no time, after a sweep that has listed the Nodes. */
async function runs(world: World, trigger: Trigger): Promise<Outcome> {
  forgetNodes(world);
  let next = trigger;
  for (;;) {
    const { outcome } = await reconcile({ key: 'service/default/web', trigger: next }, world, {
      remainingMs: () => 60_000,
    });
    if (outcome.status !== 'progressing' || outcome.waitingFor === undefined) return outcome;
    next = 'requeue';
  }
}
