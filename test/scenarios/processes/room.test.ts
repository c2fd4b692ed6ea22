/** What a run does while Octavia has no room: all but what somebody wishes of a load balancer. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Report } from '../../../shared/model/outcome.ts';
import { run, startSandboxWorld, type SandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';

let it: SandboxWorld;
beforeEach(async () => {
  it = await startSandboxWorld();
});
afterEach(() => it.close());

const HTTP = { name: 'http', port: 80, targetPort: 8080, nodePort: 30080 };
const ONE_PORT = { ports: [HTTP] };
const TWO_PORTS = { ports: [HTTP, { name: 'https', port: 443, targetPort: 8443, nodePort: 30443 }] };

/** A run without room, and how it wrote to which API. */
async function look(name = 'web'): Promise<{ report: Report; writes: readonly string[] }> {
  const from = it.sandbox.requests.length;
  const report = await run({ key: `service/default/${name}`, trigger: 'audit', mayBegin: false }, it.world);
  const writes = it.sandbox.requests
    .slice(from)
    .filter(({ method, path }) => method !== 'GET' && !path.includes('/auth/'))
    .map(({ method, path }) => `${method} ${path.replace(/\/[0-9a-f-]{36}/, '/ID')}`);
  return { report, writes };
}

const WAITS = { status: 'progressing', reason: expect.stringContaining('waits for its turn') as unknown };

test('a load balancer is neither created nor deleted nor changed, and no finalizer, lease or Event is written', async () => {
  it.sandbox.kube.apply(aService({ spec: ONE_PORT }));
  const created = await look();
  expect(created.report.outcome).toMatchObject({ ...WAITS, needsRoom: 'create' });
  expect(created.report.plan?.steps.length).toBeGreaterThan(0);

  await it.settle('web');
  it.sandbox.kube.apply(aService({ spec: TWO_PORTS }));
  const changed = await look();
  expect(changed.report.outcome).toMatchObject({ ...WAITS, needsRoom: 'change' });

  it.sandbox.kube.apply(aService({ name: 'web', spec: { ...TWO_PORTS, type: 'NodePort' } }));
  const deleted = await look();
  expect(deleted.report.outcome).toMatchObject({ ...WAITS, needsRoom: 'change' });

  expect([created, changed, deleted].flatMap(({ writes }) => writes)).toEqual([]);
  await it.settle('web');
  expect(it.sandbox.cloud.loadbalancers).toEqual([]);
});

test('members are written, also beside other changes, and what Neutron has is', async () => {
  it.sandbox.kube.apply(aService({ spec: ONE_PORT }));
  await it.settle('web');
  it.sandbox.kube.delete('Node', undefined, 'node-1');
  const { report } = await look();
  expect(report.applied.map(({ address }) => address)).toEqual([expect.stringMatching('member/tcp/80')]);

  await it.settle('web');
  it.sandbox.kube.delete('Node', undefined, 'node-2');
  it.sandbox.kube.apply(aService({ spec: TWO_PORTS }));
  expect((await look()).report.applied).not.toEqual([]);

  await it.settle('web');
  const [floating] = it.sandbox.cloud.floatingips;
  if (floating) floating.description = 'somebody else wrote this';
  expect((await look()).report.outcome).not.toMatchObject(WAITS);
});

test('a Service that is as it should be settles, and one whose load balancer is locked waits for that', async () => {
  it.sandbox.kube.apply(aService({ spec: ONE_PORT }));
  await it.settle('web');
  expect((await look()).report.outcome).toEqual({ status: 'settled' });

  Object.assign(it.sandbox.cloud, { pendingMs: 60_000 });
  it.sandbox.kube.apply(aService({ spec: TWO_PORTS }));
  await run({ key: 'service/default/web', trigger: 'audit' }, it.world);
  it.sandbox.kube.apply(aService({ spec: { ...ONE_PORT, type: 'NodePort' } }));
  expect((await look()).report.outcome).toMatchObject({
    waitingFor: it.sandbox.cloud.loadbalancers[0]?.id,
  });
});
