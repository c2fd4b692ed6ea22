import { afterEach, beforeEach, expect, test } from 'vitest';
import { sweep } from '../../../shared/sweep.ts';
import { runAll } from '../../support/sandbox-world.ts';
import { startSharedWorld } from '../../support/shared-world.ts';
import type { SharedWorld } from '../../support/shared-world.ts';
import { forceDelete } from '../../support/told.ts';

let it: SharedWorld;
beforeEach(async () => {
  it = await startSharedWorld();
  await it.owner();
  it.apply('alone', 80);
  await it.settle('alone');
});
afterEach(() => it.close());

/** Sweeps until no key would come back; what the last sweep said. */
async function swept(): Promise<readonly string[]> {
  const world = await it.another();
  for (let sweeps = 0; sweeps < 40; sweeps += 1) {
    const found = await sweep(world);
    const reports = await runAll(found, world);
    if (reports.every(({ outcome }) => outcome.status !== 'progressing')) return found.warnings;
  }
  throw new Error('it never settles');
}

test('a deletion on a shared load balancer lets nobody else on it go', async () => {
  await it.join('first', 90);
  await it.join('second', 91);
  forceDelete(it.sandbox, 'first');
  await swept();
  expect(it.ports()).toEqual([80, 80, 91]);

  for (const name of ['web', 'second', 'alone']) forceDelete(it.sandbox, name);
  await swept();

  expect(it.ports()).toEqual([80, 80, 91]);
});

test('all Services on one load balancer count as one', async () => {
  await it.join('first', 90);
  for (const name of ['web', 'first']) forceDelete(it.sandbox, name);

  await swept();

  expect(it.ports()).toEqual([80]);
});

test('an approval ends when the Service that joined is there again', async () => {
  await it.join('first', 90);
  const gone = ['first', 'alone'];
  for (const name of gone) forceDelete(it.sandbox, name);
  const [warning = ''] = await swept();
  const [, approval = ''] = /approve=(\S+)/.exec(warning) ?? [];
  expect(approval.split(',')).toHaveLength(2);
  const metadata = { name: 'levelset-deletions', namespace: 'levelset' };
  const annotations = { 'levelset.openstack.org/approve': approval };
  it.sandbox.kube.apply({ kind: 'ConfigMap', metadata: { ...metadata, annotations } });
  await it.join('first', 90);
  it.apply('alone', 80);
  await it.settle('alone');

  for (const name of gone) forceDelete(it.sandbox, name);
  await swept();

  expect(it.ports()).toEqual([80, 80, 90]);
});
