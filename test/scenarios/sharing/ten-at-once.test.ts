import { expect, test } from 'vitest';
import { sweep } from '../../../shared/sweep.ts';
import { inEachTest, pause, runAll } from '../../support/sandbox-world.ts';
import { LOAD_BALANCER_ID, LOAD_BALANCER_NAME, startSharedWorld } from '../../support/shared-world.ts';
import type { SharedWorld } from '../../support/shared-world.ts';
import { leftovers } from '../../support/told.ts';

const it = inEachTest(() => startSharedWorld());

const names = Array.from({ length: 10 }, (_, at) => `s${at}`);
/** Runs of those that are not at rest, all at once, until all ten are. Of several processes another one leads each time. */
const rush = async (worlds: readonly SharedWorld['world'][]): Promise<void> => {
  const settled = new Set<string>();
  for (let rounds = 0; rounds < 400; rounds += 1) {
    // a settled Service runs as well: it must disturb nobody, and notice what is gone
    const onlooker = [...settled][rounds % settled.size];
    const atWork = names.filter(
      (name) => settled.size === names.length || !settled.has(name) || name === onlooker,
    );
    const requests = atWork.map((name) => ({ key: `service/default/${name}`, trigger: 'audit' }) as const);
    const reports = await runAll({ requests }, worlds[rounds % worlds.length] ?? it.world);
    const rest = reports.map(({ outcome }) => outcome.status === 'settled');
    if (atWork.length === names.length && rest.every(Boolean)) return;
    for (const [at, name] of atWork.entries())
      if (rest[at]) settled.add(name);
      else settled.delete(name);
    await pause(5);
  }
  throw new Error('they do not settle');
};

test.each([
  ['the id of one that is there', true],
  ['a name', false],
])('ten at once join and leave by %s, and no listener is lost', async (_, byId) => {
  const id = byId ? await it.owner() : '';
  const worlds = [it.world, await it.another(), await it.another()];
  for (const [at, name] of names.entries())
    it.apply(name, 100 + at, byId ? { [LOAD_BALANCER_ID]: id } : { [LOAD_BALANCER_NAME]: 'edge' });

  await rush(worlds);

  const wanted = [...(byId ? [80] : []), ...names.map((_name, at) => 100 + at)];
  expect(it.cloud.loadbalancers).toHaveLength(1);
  expect(it.ports()).toEqual(wanted);
  expect(it.cloud.floatingips).toHaveLength(1);
  for (const name of names) expect(it.lb().tags).toContain(`levelset-name=default/${name}`);

  const leaving = byId ? names : names.filter((_name, at) => at % 2 === 0);
  for (const name of leaving) it.kube.delete('Service', 'default', name);
  await rush(worlds);
  expect(it.ports()).toEqual(byId ? [80] : [101, 103, 105, 107, 109]);

  for (const name of [...names, 'web']) it.kube.delete('Service', 'default', name);
  if (byId) await it.settle('web');
  await rush(worlds);
  await runAll(await sweep(it.world), it.world);
  expect(leftovers(it)).toEqual({});
});
