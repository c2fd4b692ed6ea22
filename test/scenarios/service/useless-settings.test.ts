import { expect, test } from 'vitest';
import { aService } from '../../support/service.ts';
import { startSandboxWorld } from '../../support/sandbox-world.ts';
import { readyOf } from '../../support/told.ts';

// which these are: test/golden/annotations.txt
test('a setting that no port has a use for is told, and the rest of the Service works', async () => {
  const it = await startSandboxWorld();
  const annotations = { 'levelset.openstack.org/redirect-host': 'app.example.org' };
  it.sandbox.kube.apply(aService({ annotations }));

  expect((await it.settle('web')).outcome.status).toBe('settled');

  expect(readyOf(it.sandbox)?.message.split('\n').slice(1)).toEqual([
    expect.stringContaining('needs levelset.openstack.org/redirect-http'),
  ]);
  await it.close();
});
