/** Nothing is written on what was read before the lease, and nothing is trusted that another process may have changed. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { reconcile } from '../../../shared/reconcile.ts';
import { sweep } from '../../../shared/sweep.ts';
import type { Report } from '../../../shared/model/outcome.ts';
import type { World } from '../../../shared/ports.ts';
import { pause, run, startSandboxWorld } from '../../support/sandbox-world.ts';
import type { SandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { addressOf, cloudWrites, forceDelete, readyOf } from '../../support/told.ts';

let it: SandboxWorld;
let other: World;
beforeEach(async () => {
  it = await startSandboxWorld();
  other = await it.another();
});
afterEach(() => it.close());

const request = { key: 'service/default/web', trigger: 'audit' } as const;
const PORTS = [{ name: 'http', port: 80, targetPort: 8080, nodePort: 30080 }];

async function settleBy(world: World): Promise<Report> {
  for (let runs = 0; runs < 100; runs += 1) {
    const report = await run(request, world);
    if (report.outcome.status !== 'progressing') return report;
    await pause(5);
  }
  throw new Error('web does not settle');
}

function allow(...loadBalancerSourceRanges: readonly string[]): void {
  it.sandbox.kube.apply(aService({ spec: { ports: PORTS, loadBalancerSourceRanges } }));
}
const allowed = (): unknown => it.sandbox.cloud.listeners[0]?.['allowed_cidrs'];
const listsOfNodes = (): number =>
  it.sandbox.requests.filter(({ path }) => path.startsWith('/api/v1/nodes?')).length;

/** Does this when a run that has read everything takes its lease. */
function beforeTheLease(act: () => Promise<unknown>): void {
  it.sandbox.fault({
    match: { side: 'kube', method: 'GET', path: /leases\/levelset-/ },
    kind: 'call',
    before: async () => {
      await act();
    },
  });
}

describe('a Service that changes while a run waits for its lease', () => {
  test.each([
    [
      'force-deleted',
      () => {
        forceDelete(it.sandbox);
      },
    ],
    ['made a ClusterIP', () => it.sandbox.kube.apply(aService({ spec: { type: 'ClusterIP' } }))],
  ])('%s and applied again keeps its load balancer and its address', async (_how, leave) => {
    it.sandbox.kube.apply(aService());
    await it.settle('web');
    const address = addressOf(it.sandbox);
    const [{ id } = { id: '' }] = it.sandbox.cloud.loadbalancers;
    leave();
    beforeTheLease(() => {
      it.sandbox.kube.apply(aService());
      return settleBy(other);
    });

    await run({ ...request, trigger: 'sweep' }, it.world);
    await settleBy(other);

    expect(it.sandbox.cloud.loadbalancers).toMatchObject([{ id }]);
    expect(addressOf(it.sandbox)).toBe(address);
    expect(cloudWrites(it.sandbox).filter((write) => write.startsWith('DELETE'))).toEqual([]);
  });

  test.each([
    ['and another process applies it', () => settleBy(other)],
    ['and nobody else saw it', () => Promise.resolve()],
  ])('is written as it is then, %s', async (_how, meanwhile) => {
    allow('10.0.0.0/8');
    await it.settle('web');
    allow('10.0.0.0/8', '0.0.0.0/0');
    beforeTheLease(() => {
      allow('192.0.2.0/24');
      return meanwhile();
    });

    await run(request, it.world);

    expect(allowed()).toEqual(['192.0.2.0/24']);
    const puts = it.sandbox.requests.filter(
      ({ method, path }) => method === 'PUT' && path.includes('/listeners/'),
    );
    expect(puts.map(({ body }) => body)).toHaveLength(1);
  });

  test('reads what it reads again of Kubernetes alone where nothing changed', async () => {
    allow('10.0.0.0/8');
    await it.settle('web');
    allow('192.0.2.0/24');
    const before = it.sandbox.requests.length;

    await run(request, it.world);

    const reads = it.sandbox.requests.slice(before).filter(({ method }) => method === 'GET');
    const services = reads.filter(({ path }) => path.endsWith('/services/web'));
    expect(services).toHaveLength(2);
    const asked = reads.filter(({ side }) => side === 'openstack').map(({ path }) => path);
    expect(asked).toEqual([...new Set(asked)]);
  });
});

test('the Nodes are listed once for the runs of many Services', async () => {
  const names = Array.from({ length: 20 }, (_, n) => `web-${n}`);
  for (const name of names) it.sandbox.kube.apply(aService({ name }));
  const before = listsOfNodes();
  const clock = { now: () => 0 };

  for (const name of names)
    await reconcile(
      { key: `service/default/${name}`, trigger: 'audit' },
      { ...it.world, clock },
      { remainingMs: () => 60_000 },
    );
  expect(listsOfNodes() - before).toBe(1);

  await sweep({ ...it.world, clock });
  expect(listsOfNodes() - before).toBe(2);
});

describe('a sweep that listed the Services before one was applied', () => {
  test('leaves the lease alone under which its load balancer is made', async () => {
    let creating: Promise<Report> | undefined;
    let second: Report | undefined;
    it.sandbox.fault({
      match: { side: 'openstack', method: 'POST', path: /\/lbaas\/loadbalancers$/ },
      kind: 'call',
      before: async () => {
        await sweeping;
        second = await run({ ...request, trigger: 'sweep' }, other);
      },
    });
    it.sandbox.fault({
      match: { side: 'openstack', method: 'GET', path: /\/lbaas\/loadbalancers\?.*limit=1000.*tags=/ },
      kind: 'call',
      before: async () => {
        await pause(100);
        it.sandbox.kube.apply(aService());
        creating = run(request, it.world);
        await pause(200);
      },
    });

    const sweeping = sweep(it.world);
    await sweeping;
    await creating;

    expect(second?.applied).toEqual([]);
    expect(it.sandbox.cloud.loadbalancers).toHaveLength(1);
  });
});

test('a sweep removes the Lease of a Service that is gone when no run holds it, be it one of its own process', async () => {
  const leases = (): readonly string[] => it.sandbox.kube.list('Lease').map(({ metadata }) => metadata.name);
  const lease = it.world.kube.lease('levelset-gone');
  await lease.acquire();

  await sweep(it.world);
  expect(leases()).toEqual(['levelset-gone']);

  await lease.release();
  await sweep(it.world);
  expect(leases()).toEqual([]);
});

describe('what a process remembers of its own writes', () => {
  test('counts for nothing after another process wrote', async () => {
    allow('10.0.0.0/8');
    await settleBy(it.world);
    await pause(2_100);
    await settleBy(it.world);
    allow('192.0.2.0/24');
    await run(request, it.world);
    await pause(20);
    allow('0.0.0.0/0');
    await settleBy(other);
    expect(allowed()).toBeNull();
    allow('192.0.2.0/24');

    await settleBy(it.world);

    expect(allowed()).toEqual(['192.0.2.0/24']);
    expect(readyOf(it.sandbox)?.status).toBe('True');
  });
});
