/** What a run does while as many load balancers as may be are in Octavia's hands: it makes none, and does all else. */
import { expect, test } from 'vitest';
import type { Report } from '../../../shared/model/outcome.ts';
import { inEachTest, run, startSandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';

const it = inEachTest(() => startSandboxWorld());

const HTTP = { name: 'http', port: 80, targetPort: 8080, nodePort: 30080 };
const ONE_PORT = { ports: [HTTP] };
const TWO_PORTS = { ports: [HTTP, { name: 'https', port: 443, targetPort: 8443, nodePort: 30443 }] };

/** A run without a place, and how it wrote to which API. */
async function look(): Promise<{ report: Report; writes: readonly string[] }> {
  const from = it.sandbox.requests.length;
  const report = await run({ key: 'service/default/web', trigger: 'audit' }, it.world, {
    mayCreate: () => false,
  });
  const writes = it.sandbox.requests
    .slice(from)
    .filter(({ method, path }) => method !== 'GET' && !path.includes('/auth/'))
    .map(({ method, path }) => `${method} ${path.replace(/\/[0-9a-f-]{36}/, '/ID')}`);
  return { report, writes };
}

const WAITS = {
  status: 'progressing',
  reason: expect.stringContaining('--concurrent-load-balancers') as unknown,
  needsSlot: true,
};

test('no load balancer is made, and no finalizer, lease or Event is written', async () => {
  it.sandbox.kube.apply(aService({ spec: ONE_PORT }));
  const { report, writes } = await look();
  expect(report.outcome).toMatchObject(WAITS);
  expect(report.plan?.steps.length).toBeGreaterThan(0);
  expect(writes).toEqual([]);
});

test('what is there is changed, follows its Nodes, and goes', async () => {
  it.sandbox.kube.apply(aService({ spec: ONE_PORT }));
  await it.settle('web');
  it.sandbox.kube.delete('Node', undefined, 'node-1');
  expect((await look()).report.applied.map(({ address }) => address)).toEqual([
    expect.stringMatching('member/tcp/80'),
  ]);

  await it.settle('web');
  it.sandbox.kube.apply(aService({ spec: TWO_PORTS }));
  expect((await look()).report.applied).not.toEqual([]);

  await it.settle('web');
  it.sandbox.kube.apply(aService({ spec: { ...TWO_PORTS, type: 'NodePort' } }));
  expect((await look()).report.applied).not.toEqual([]);
  await it.settle('web');
  expect(it.sandbox.cloud.loadbalancers).toEqual([]);
});
