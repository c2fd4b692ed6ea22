import { expect, test } from 'vitest';
import { PageMemory } from '../../../functions/page/page-memory.ts';
import type { World } from '../../../shared/ports.ts';
import { sweep } from '../../../shared/sweep.ts';
import { startCluster } from '../../support/clusters/cluster.ts';

const timeOf = ({ clock }: World): string => new Date(clock.now()).toISOString();

/** A Service that serves, and what the page shows some time later. */
async function shown() {
  const { inside, world, ...cluster } = startCluster();
  await cluster.create('web');
  const memory = new PageMemory(world);
  const view = async () => {
    inside.advanceClock(11_000);
    const { rows, ...others } = await memory.view({ queue: { depth: 0, oldestMs: 0 } });
    return { ...others, row: rows.map((row) => [row.object, row.operatingStatus, row.unknownSince]).flat() };
  };
  return { inside, world, memory, view };
}

test.each([
  ['kube', 'notListed'],
  ['openstack', 'healthUnknown'],
] as const)('while %s does not answer the rows stay, not known since its last answer', async (side, why) => {
  const { inside, world, view } = await shown();
  const known = ['service/default/web', 'ONLINE', undefined];
  const first = await view();
  expect([first.row, first[why]]).toEqual([known, undefined]);
  const since = timeOf(world);
  const comeBack = inside.fault({ match: { side }, kind: 'reset-before', times: 1e6 });
  const away = await view();
  expect([away.row, away[why]]).toEqual([['service/default/web', 'ONLINE', since], expect.any(String)]);
  comeBack();
  expect((await view()).row).toEqual(known);
});

test('after a sweep that found out nothing of Services their rows are not known, since the one before', async () => {
  const { world, memory, view } = await shown();
  const swept = await sweep(world);
  memory.rememberSweep(swept);
  const since = timeOf(world);
  memory.rememberSweep({ ...swept, services: 0, failed: 'x', incomplete: true });
  expect((await view()).row.at(-1)).toBe(since);
  memory.rememberSweep({ ...swept, failed: 'only that of Nodes', incomplete: true });
  expect((await view()).row.at(-1)).toBeUndefined();
});

test('what was deleted in the last hour is counted beside what may be', async () => {
  const { world, view } = await shown();
  const { nodes, left } = world.kube.deletions;
  const ago = (...ages: readonly number[]) =>
    ages.map((age) => ({ id: String(age), at: world.clock.now() - age }));
  await nodes.save(ago(1, 3_600_001), await nodes.load());
  await left.save(ago(1, 2, 3), await left.load());
  const { deletions } = await view();
  expect(deletions).toEqual({ nodes: 1, loadBalancers: 3, percent: world.config.deletionPercent });
});
