import { expect, test } from 'vitest';
import type { Config } from '../../../shared/config/config.ts';
import type { RecordedDeletions } from '../../../shared/model/records.ts';
import type { DeletionRecord, World } from '../../../shared/ports.ts';
import { replaced } from '../../support/in-process.ts';
import { startNodeWorld } from '../../support/node-world.ts';
import { inEachTest } from '../../support/sandbox-world.ts';

const MINUTE = 61_000;
const half = (): Partial<Config> => ({ deletionPercent: 50 });

const it = inEachTest(() => startNodeWorld(half, { nodes: 12 }));

/** Nodes whose servers are gone, as was seen a minute ago. */
async function lost(count: number): Promise<readonly string[]> {
  const names = Array.from({ length: count }, (_, at) => `node-${at + 1}`);
  for (const name of names) it.loseServer(name);
  await Promise.all(names.map((name) => it.reconcile(name)));
  it.calls();
  return names;
}

test('of many that go at once the share goes, in two processes, and the conditions of the others say so', async () => {
  const names = await lost(8);
  const { clock } = it.later(MINUTE);
  const both = [it.later(MINUTE), { ...(await it.another()), clock }] as const;
  const reports = await Promise.all(names.map((name, at) => it.reconcile(name, {}, both[at < 4 ? 0 : 1])));
  const left = reports.filter((_, at) => it.isThere(names[at] ?? ''));
  const blocked = { status: 'blocked', reason: expect.stringContaining('allows 6 of 12') as unknown };
  expect(left.map(({ outcome }) => outcome)).toEqual([blocked, blocked]);
});

test('an approval lets go what others have used up meanwhile', async () => {
  const [name = '', ...others] = await lost(7);
  for (const one of others) await it.reconcile(one, {}, it.later(MINUTE));
  const { plan } = await it.reconcile(name, { dryRun: true, trigger: 'command' }, it.later(MINUTE));
  const annotations = { 'levelset.openstack.org/approve': plan?.refused[0]?.approval ?? '' };
  it.kube.apply({ kind: 'Node', metadata: { name, annotations } });
  await it.reconcile(name, {}, overtaken(it.later(MINUTE), 1));
  expect(it.isThere(name)).toBe(false);
});

test.each([
  ['overtaken again and again', (world: World) => overtaken(world, 99)],
  ['kept waiting until what it saw is old', (world: World) => slow(world)],
])('who is %s looks again, and deletes nothing', async (_, hindered) => {
  const [name = ''] = await lost(1);
  const { outcome, applied } = await it.reconcile(name, {}, hindered(it.later(MINUTE)));
  expect(outcome).toMatchObject({ status: 'progressing' });
  expect(applied).toEqual([]);
  expect(it.isThere(name)).toBe(true);
});

/** Somebody else writes to the record before us, so many times: each time what counts no more. */
function overtaken(world: World, times: number): World {
  let left = times;
  const save = async (deletions: RecordedDeletions['deletions'], loaded: RecordedDeletions) => {
    left -= 1;
    const before = await it.world.kube.deletions.nodes.load();
    const old = { id: `old-${left}`, at: 0 };
    if (left >= 0) await it.world.kube.deletions.nodes.save([...before.deletions, old], before);
    return world.kube.deletions.nodes.save(deletions, loaded);
  };
  return withDeletions(world, { load: () => world.kube.deletions.nodes.load(), save });
}

/** It is overtaken once, and the record takes long to be read. */
function slow(world: World): World {
  let late = 0;
  const { nodes: deletions } = overtaken(world, 1).kube.deletions;
  const clock = { now: () => world.clock.now() + late };
  const slowly = (): Promise<RecordedDeletions> => {
    late += 11_000;
    return deletions.load();
  };
  return {
    ...withDeletions(world, { load: slowly, save: (wanted, loaded) => deletions.save(wanted, loaded) }),
    clock,
  };
}

function withDeletions(world: World, nodes: DeletionRecord): World {
  const deletions = { ...world.kube.deletions, nodes };
  return { ...world, kube: replaced(world.kube, () => ({ deletions })) };
}
