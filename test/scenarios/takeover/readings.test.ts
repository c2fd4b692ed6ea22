/** Annotations that OCCM read otherwise than levelset, on what it made. */
import { beforeEach, expect, test } from 'vitest';
import { makeAsGoProvider } from '../../support/old-controllers.ts';
import { inEachTest, run, startSandboxWorld } from '../../support/sandbox-world.ts';
import { ingressOf, readyOf } from '../../support/told.ts';

const PROXY = 'loadbalancer.openstack.org/proxy-protocol';

const it = inEachTest(() => startSandboxWorld({}, { createMonitor: true }));
beforeEach(async () => {
  await makeAsGoProvider(it);
});

const RANGES = 'service.beta.kubernetes.io/load-balancer-source-ranges';

async function apply(annotations: Readonly<Record<string, string>>): Promise<void> {
  const metadata = { name: 'web', namespace: 'default', annotations };
  it.sandbox.kube.apply({ kind: 'Service', metadata });
  await it.settle('web');
}

const PASSING = ['tags', 'updated_at', 'revision_number'];

/** Everything but tags and times. */
function settings(): unknown {
  const { listeners, pools, members, healthmonitors, floatingips } = it.sandbox.cloud;
  return [listeners, pools, members, healthmonitors, floatingips].map((rows) =>
    rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !PASSING.includes(name)))),
  );
}

const protocols = (): readonly unknown[] => it.sandbox.cloud.pools.map(({ protocol }) => protocol);
const waits = (): string =>
  /waits for approval ([0-9a-f]{12})/.exec(readyOf(it.sandbox)?.message ?? '')?.[1] ?? '';

test('proxy-protocol True, which was off, waits, and who approves it hears what backends must speak', async () => {
  const before = structuredClone(settings());
  await apply({ [PROXY]: 'True' });

  expect(settings()).toEqual(before);
  expect(readyOf(it.sandbox)?.message).toContain('the backends must speak the PROXY protocol then');

  await apply({ 'levelset.openstack.org/approve': waits() });
  expect(protocols()).toEqual(['PROXY']);
});

test('a name is published in place of the address only where OCCM would do so, and the condition says why', async () => {
  const NAMED = 'loadbalancer.openstack.org/enable-ingress-hostname';
  await apply({ [PROXY]: 'true' });
  const before = ingressOf(it.sandbox);
  await apply({ [NAMED]: 'True' });
  expect(ingressOf(it.sandbox)).toEqual(before);
  expect(readyOf(it.sandbox)?.message).toContain(`${NAMED} "True" must be true or false exactly`);

  await apply({ [NAMED]: 'true' });
  expect(ingressOf(it.sandbox)).toMatchObject([{ hostname: expect.stringMatching(/nip\.io$/) as string }]);
});

test.each([
  ['a block of YAML', '192.0.2.0/24\n', [], ['192.0.2.0/24']],
  ['a line for each', '192.0.2.0/24,\n198.51.100.0/24\n', [], ['192.0.2.0/24', '198.51.100.0/24']],
  ['with a space, which the field of the spec outdoes', ' 10.0.0.0/8', ['192.0.2.0/24'], ['192.0.2.0/24']],
  ['empty, beside the field of the spec', '', ['192.0.2.0/24'], ['192.0.2.0/24']],
])('source ranges count at once as OCCM reads them: %s', async (_, text, ofSpec, ranges) => {
  const metadata = { name: 'web', namespace: 'default', annotations: { [RANGES]: text } };
  it.sandbox.kube.apply({ kind: 'Service', metadata, spec: { loadBalancerSourceRanges: ofSpec } });
  await it.settle('web');

  expect(it.sandbox.cloud.listeners).toMatchObject([{ allowed_cidrs: ranges }]);
  expect(readyOf(it.sandbox)?.message).not.toContain('waits for approval');
});

test('a floating IP waits also while Octavia is at work, and nobody knows what is on the load balancer', async () => {
  const [ip] = structuredClone(it.sandbox.cloud.floatingips);
  const annotations = { 'service.beta.kubernetes.io/openstack-internal-load-balancer': 'true' };
  it.sandbox.kube.apply({ kind: 'Service', metadata: { name: 'web', namespace: 'default', annotations } });
  Object.assign(it.sandbox.cloud, { pendingMs: 3_600_000 });

  for (let runs = 0; runs < 3; runs += 1)
    await run({ key: 'service/default/web', trigger: 'audit' }, it.world);

  expect(it.sandbox.cloud.loadbalancers).toMatchObject([{ provisioning_status: 'PENDING_UPDATE' }]);
  expect(it.sandbox.cloud.floatingips).toMatchObject([{ id: ip?.id, port_id: ip?.port_id }]);
});
