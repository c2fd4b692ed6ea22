/**
 * What was read a moment ago, or is not whole, makes nothing twice and takes no address away; runs and sweeps without time or place go on later;
 * and what many want is read once.
 */
import { expect, test } from 'vitest';
import { reconcile } from '../../../shared/reconcile.ts';
import { LOAD_BALANCER_ADDRESS, LOAD_BALANCER_ID } from '../../../shared/model/ownership.ts';
import { serviceKey, type Key } from '../../../shared/model/request.ts';
import { sweep } from '../../../shared/sweep.ts';
import { startCluster } from '../../support/clusters/cluster.ts';
import { failing } from '../../support/failing.ts';
import { inEachTest, run, startSandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { addressOf, cloudWrites, forceDelete, serviceOf } from '../../support/told.ts';
import { replaced } from '../../support/in-process.ts';
import { aProcess } from '../../support/virtual-time.ts';

const it = inEachTest(() => startSandboxWorld());

const listsOfNodes = (): number => it.requests.filter(({ path }) => path.startsWith('/api/v1/nodes?')).length;

test.each(['audit', 'sweep'] as const)('an empty list makes no second load balancer: %s', async (trigger) => {
  // what was made a moment ago may be missing in a list
  it.advanceClock(-60_000);
  await it.create('web');
  const made = cloudWrites(it);
  const restore = failing(it, 'GET', /\/lbaas\/loadbalancers\?/, 200, { body: { loadbalancers: [] } });

  for (const found of (await sweep(it.world)).requests) await run({ ...found, trigger }, it.world);
  const { outcome } = await it.settle('web', { trigger });
  restore();

  expect(outcome).toEqual({ status: 'settled' });
  expect(cloudWrites(it)).toEqual(made);
});

test('a Service that names a load balancer of another project gets one of its own, and goes when it is deleted', async () => {
  const { cloud } = it;
  const vip_subnet_id = cloud.subnets.find(({ ip_version }) => ip_version === 4)?.id;
  const { id } = await it.world.cloud.create('loadbalancer', { name: 'theirs', vip_subnet_id });
  const theirs = cloud.loadbalancers.find((lb) => lb.id === id);
  Object.assign(theirs ?? {}, { project_id: 'another-project' });
  const annotations = { [LOAD_BALANCER_ID]: id, [LOAD_BALANCER_ADDRESS]: '203.0.113.99' };
  expect((await it.make({ annotations })).outcome).toEqual({ status: 'settled' });
  const ours = it.cloud.loadbalancers.filter((lb) => lb !== theirs);
  expect(ours).toHaveLength(1);
  await it.remove('web');
  await it.sweepUntilSettled();
  expect(serviceOf(it)).toBeUndefined();
  expect(it.cloud.loadbalancers).toEqual([theirs]);
});

test.each([
  ['force-deleted', () => forceDelete(it)],
  ['made a ClusterIP', () => it.kube.apply(aService({ spec: { type: 'ClusterIP' } }))],
])('%s and applied again while its deletion is planned, a Service keeps what it has', async (_, leave) => {
  await it.make();
  const address = addressOf(it);
  const [{ id } = { id: '' }] = it.cloud.loadbalancers;
  leave();
  await sweep(it.world);
  const match = { method: 'GET', path: /services\/web/, nth: 2 };
  it.fault({ match, kind: 'call', before: () => void it.kube.apply(aService()) });

  const { outcome } = await it.once({ trigger: 'sweep' });
  await it.settle('web');

  expect(outcome).toMatchObject({ reason: 'the Service has changed since it was read' });
  expect(it.cloud.loadbalancers).toMatchObject([{ id }]);
  expect(addressOf(it)).toBe(address);
  expect(cloudWrites(it).filter((write) => write.startsWith('DELETE'))).toEqual([]);
});

test('the Nodes are listed once for the runs of many Services', async () => {
  const names = Array.from({ length: 20 }, (_, n) => `web-${n}`);
  for (const name of names) it.kube.apply(aService({ name }));
  const before = listsOfNodes();
  const clock = { now: () => 0 };

  for (const name of names) {
    const one = { key: serviceKey('default', name), trigger: 'audit' } as const;
    await reconcile(one, { ...it.world, clock }, { remainingMs: () => 60_000 });
  }
  expect(listsOfNodes() - before).toBe(1);

  await sweep({ ...it.world, clock });
  expect(listsOfNodes() - before).toBe(2);
});

const request = { key: 'service/default/web', trigger: 'audit' } as const;

test('while as many load balancers as may be are in Octavia’s hands none is made, and no finalizer, lease or Event is written', async () => {
  it.kube.apply(aService());
  const { outcome, plan } = await run(request, it.world, { mayCreate: () => false });
  const reason = expect.stringContaining('--concurrent-load-balancers') as unknown;
  expect(outcome).toMatchObject({ status: 'progressing', reason, needsSlot: true });
  expect(plan?.steps.length).toBeGreaterThan(0);
  expect(it.requests.filter(({ write, path }) => write && !path.includes('/auth/'))).toEqual([]);
});

test.each([0, 1, 2])('time that is up after %i writes ends a run, and the next goes on', async (allowed) => {
  it.kube.apply(aService());
  const written = (): number =>
    it.requests.filter(({ write, service }) => write && /octavia|neutron/.test(service)).length;
  const budget = { remainingMs: () => (written() >= allowed ? 4_000 : 60_000) };

  const report = await reconcile(request, it.world, budget);

  expect(report.outcome.status).toBe('progressing');
  expect(report.applied).toHaveLength(allowed);
  await it.settle('web');
  expect(it.cloud.loadbalancers).toHaveLength(1);
  expect(it.cloud.floatingips).toHaveLength(1);
  expect(addressOf(it)).toBe(it.cloud.floatingips[0]?.floating_ip_address);
});

test('sweeps that run out of time say so, begin with others each time, and so look at each Service', async () => {
  const names = Array.from({ length: 25 }, (_, at) => `svc-${String(at).padStart(2, '0')}`);
  const { inside, kube: apiserver, sweepToRest } = startCluster();
  for (const name of names) apiserver.apply(aService({ name, spec: { externalTrafficPolicy: 'Local' } }));
  await sweepToRest();
  // all need work
  for (const ip of inside.cloud.floatingips) Object.assign(ip, { port_id: null, fixed_ip_address: null });
  const seen = new Set<Key>();
  for (let sweeps = 0; sweeps < 24; sweeps += 1) {
    inside.advanceClock(300_000);
    const world = aProcess(inside);
    let leftMs = 30_000;
    const kube = replaced(world.kube, (its) => ({
      listEndpointSlices: (...asked) => {
        leftMs -= 4_000;
        return its.listEndpointSlices(...asked);
      },
    }));
    const budget = { remainingMs: () => Math.max(0, leftMs) };
    const { requests, warnings, incomplete, settled } = await sweep({ ...world, kube }, {}, budget);
    for (const { key } of requests) seen.add(key);
    expect({ incomplete, settled }).toEqual({ incomplete: true, settled: 0 });
    expect(warnings.join()).toMatch(/the sweep ran out of time after \d+ of 25 Services/);
  }
  expect([...seen].toSorted()).toEqual(names.map((name) => serviceKey('default', name)));
});
