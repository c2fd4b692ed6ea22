/** What one resource needs two writes for: the second is planned, and waits for the first. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { aService } from '../../support/service.ts';
import { run, startSandboxWorld } from '../../support/sandbox-world.ts';
import type { SandboxWorld } from '../../support/sandbox-world.ts';
import { readyOf } from '../../support/told.ts';

const OWN = 'levelset.openstack.org/';

let it: SandboxWorld;
beforeEach(async () => {
  it = await startSandboxWorld();
});
afterEach(() => it.close());

test('a host that is not asked for any more goes before an older version of HTTP', async () => {
  const monitor = { [`${OWN}monitor-type`]: 'HTTP', [`${OWN}monitor-http-version`]: '1.1' };
  it.sandbox.kube.apply(
    aService({ annotations: { ...monitor, [`${OWN}monitor-domain-name`]: 'app.example.org' } }),
  );
  await it.settle('web');
  const [made] = it.sandbox.cloud.healthmonitors;
  expect(made).toMatchObject({ domain_name: 'app.example.org', http_version: 1.1 });

  const older = { [`${OWN}monitor-http-version`]: '1.0', [`${OWN}monitor-domain-name`]: null };
  it.sandbox.kube.apply(aService({ annotations: older as unknown as Record<string, string> }));
  const { outcome } = await it.settle('web');

  expect(outcome).toEqual({ status: 'settled' });
  expect(it.sandbox.cloud.healthmonitors).toMatchObject([
    { id: made?.id, domain_name: null, http_version: 1 },
  ]);
  expect(readyOf(it.sandbox)?.message).not.toContain('\n');
});

test.each([
  ['turns to a new pool', { [`${OWN}monitor-type`]: 'HTTP' }],
  ['speaks another protocol', { [`${OWN}protocol`]: 'http' }],
])('narrower source ranges are in force before the listener %s', async (_, annotations) => {
  it.sandbox.kube.apply(aService());
  await it.settle('web');
  const [old] = it.sandbox.cloud.pools;

  it.sandbox.kube.apply(aService({ annotations, spec: { loadBalancerSourceRanges: ['192.0.2.0/24'] } }));
  await run({ key: 'service/default/web', trigger: 'audit' }, it.world);

  expect(it.sandbox.cloud.listeners).toMatchObject([
    { allowed_cidrs: ['192.0.2.0/24'], default_pool_id: old?.id },
  ]);
  expect(it.sandbox.cloud.pools).toHaveLength(1);
  await it.settle('web');
  expect(it.sandbox.cloud.listeners).toMatchObject([{ allowed_cidrs: ['192.0.2.0/24'] }]);
  expect(it.sandbox.cloud.pools).not.toMatchObject([{ id: old?.id }]);
});
