/** The record of failovers bounds them, so it has each that was made, and none that was not (decision 310). */
import { expect, test } from 'vitest';
import type { OctaviaOptions } from '../../../infra/sandbox/openstack/octavia/traits.ts';
import { reconcile } from '../../../shared/reconcile.ts';
import { sweep } from '../../../shared/sweep.ts';
import { aService } from '../../support/service.ts';
import { aProcess, inVirtualTime, runsOf } from '../../support/virtual-time.ts';

const INTERNAL = { 'service.beta.kubernetes.io/openstack-internal-load-balancer': 'true' };
const WEB = { key: 'service/default/web', trigger: 'sweep' } as const;

/** Service default/web was served, and its load balancer breaks. */
async function broken(failover: OctaviaOptions['failover'], annotations: Record<string, string> = {}) {
  const inside = inVirtualTime({ nodes: 2, octavia: { failover } });
  const options = { manageSecurityGroups: failover === 'fails' };
  const world = aProcess(inside, options);
  const sweepOnce = async (): Promise<void> => {
    for (const request of (await sweep(world)).requests) await runsOf(request, world, inside).catch(() => []);
    inside.clock.advance(300_000);
  };
  inside.kube.apply(aService({ annotations: { ...INTERNAL, ...annotations } }));
  for (let sweeps = 0; sweeps < 3; sweeps += 1) await sweepOnce();
  const [lb] = inside.cloud.loadbalancers;
  if (!lb) throw new Error('there is no load balancer');
  inside.cloud.setStatus(lb.id, 'ERROR');
  lb.operating_status = 'ERROR';
  return {
    inside,
    lb,
    sweepOnce,
    /** A run of another process, with so much time. */
    runElsewhere: (ms = 60_000) => reconcile(WEB, aProcess(inside, options), { remainingMs: () => ms }),
    failovers: () => inside.requests.filter(({ path }) => path.endsWith('/failover')).length,
  };
}

test('a load balancer is failed over once, though a write after that fails each time', async () => {
  const { inside, sweepOnce, failovers } = await broken('fails');
  inside.kube.addNode('node-9');
  const match = { method: 'PUT', path: /v2\.0\/ports/ };
  inside.fault({ kind: 'fail-before', match, status: 503, times: Infinity });
  for (let sweeps = 0; sweeps < 3; sweeps += 1) await sweepOnce();
  expect(failovers()).toBe(1);
});

test('a failover for which a run had no time left is made by the next one', async () => {
  const { inside, lb, sweepOnce, runElsewhere, failovers } = await broken('mends');
  await runElsewhere(4_500);
  expect(failovers()).toBe(0);
  await sweepOnce();
  expect([failovers(), inside.cloud.loadbalancers.map(({ id }) => id)]).toEqual([1, [lb.id]]);
});

test('a failover is made by the next run after the state could not be written where drift stays', async () => {
  const drift = { 'levelset.openstack.org/drift': 'report' };
  const { inside, sweepOnce, runElsewhere, failovers } = await broken('mends', drift);
  const match = { side: 'kube', method: 'PATCH', path: /levelset-state/ } as const;
  const clear = inside.fault({ kind: 'fail-before', match, status: 503, times: Infinity });
  await runElsewhere();
  expect(failovers()).toBe(0);
  clear();
  await sweepOnce();
  expect(failovers()).toBe(1);
});
