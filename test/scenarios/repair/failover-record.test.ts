/** The record of failovers bounds them, so it has each that was made, and none that was not (decision 310). */
import { expect, test } from 'vitest';
import { INTERNAL, DRIFT, served, type SweptService } from './swept-service.ts';

function breaks(it: SweptService): void {
  it.inside.cloud.setStatus(it.lb().id, 'ERROR');
  it.lb().operating_status = 'ERROR';
}

test('a load balancer is failed over once, though a write after that fails each time', async () => {
  const it = await served('fails', () => INTERNAL, { manageSecurityGroups: true });
  breaks(it);
  it.inside.kube.addNode('node-9');
  const match = { method: 'PUT', path: /v2\.0\/ports/ };
  it.inside.fault({ kind: 'fail-before', match, status: 503, times: Infinity });
  for (let sweeps = 0; sweeps < 3; sweeps += 1) await it.sweepOnce();
  expect(it.failovers()).toBe(1);
});

test('a failover for which a run had no time left is made by the next one', async () => {
  const it = await served('mends', () => INTERNAL);
  const { id } = it.lb();
  breaks(it);
  await it.runElsewhere({}, 4_500);
  expect(it.failovers()).toBe(0);
  await it.sweepOnce();
  expect(it.failovers()).toBe(1);
  expect(it.lb().id).toBe(id);
});

test('a failover is made by the next run after the state could not be written where drift stays', async () => {
  const it = await served('mends', () => ({ ...INTERNAL, [DRIFT]: 'report' }));
  breaks(it);
  const match = { side: 'kube', method: 'PATCH', path: /levelset-state/ } as const;
  const clear = it.inside.fault({ kind: 'fail-before', match, status: 503, times: Infinity });
  await it.runElsewhere();
  expect(it.failovers()).toBe(0);
  clear();
  await it.sweepOnce();
  expect(it.failovers()).toBe(1);
});
