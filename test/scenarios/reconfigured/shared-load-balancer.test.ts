import { beforeEach, expect, test } from 'vitest';
import { sweep } from '../../../shared/sweep.ts';
import { inEachTest, runAll } from '../../support/sandbox-world.ts';
import { startSharedWorld } from '../../support/shared-world.ts';
import { forceDelete } from '../../support/told.ts';

const it = inEachTest(() => startSharedWorld());
beforeEach(async () => {
  await it.owner();
  it.apply('alone', 80);
  await it.settle('alone');
});

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

test('all Services on one load balancer count as one', async () => {
  await it.join('first', 90);
  for (const name of ['web', 'first']) forceDelete(it.sandbox, name);

  await swept();

  expect(it.ports()).toEqual([80]);
});
