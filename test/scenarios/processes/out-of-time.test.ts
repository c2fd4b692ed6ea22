import { expect, test } from 'vitest';
import type { SandboxInside } from '../../../infra/sandbox/sandbox.ts';
import { serviceKey, type Key } from '../../../shared/model/request.ts';
import { sweep, type Sweep } from '../../../shared/sweep.ts';
import { replaced } from '../../support/in-process.ts';
import { aProcess } from '../../support/virtual-time.ts';
import { settledWorld } from './settled-world.ts';

const COUNT = 25;
const BUDGET_MS = 30_000;
/** What the look at one Service costs, since the apiserver is slow. */
const SLOW_MS = 4_000;
const NAMES = Array.from({ length: COUNT }, (_, at) => `svc-${String(at).padStart(2, '0')}`);
const KEYS = NAMES.map((name) => serviceKey('default', name));

/** Services that all need work: somebody has taken their floating IPs away. */
async function brokenWorld(): Promise<Awaited<ReturnType<typeof settledWorld>>> {
  const services = NAMES.map((name) => ({ name, spec: { externalTrafficPolicy: 'Local' } }));
  const it = await settledWorld(services, 2);
  for (const ip of it.inside.cloud.floatingips) Object.assign(ip, { port_id: null, fixed_ip_address: null });
  return it;
}

/** A sweep five minutes later, by a process that knows nothing and has so much time. */
function sweepAnew(inside: SandboxInside): Promise<Sweep> {
  inside.advanceClock(300_000);
  const world = aProcess(inside);
  let spentMs = 0;
  const kube = replaced(world.kube, (its) => ({
    listEndpointSlices: (...asked) => {
      spentMs += SLOW_MS;
      return its.listEndpointSlices(...asked);
    },
  }));
  return sweep({ ...world, kube }, {}, { remainingMs: () => Math.max(0, BUDGET_MS - spentMs) });
}

test('sweeps that run out of time say so, begin with others each time, and so look at each Service', async () => {
  const { inside } = await brokenWorld();
  const seen = new Set<Key>();
  for (let sweeps = 0; sweeps < 24; sweeps += 1) {
    const { requests, warnings, incomplete, settled } = await sweepAnew(inside);
    for (const { key } of requests) seen.add(key);
    expect({ incomplete, settled }).toEqual({ incomplete: true, settled: 0 });
    expect(warnings.join()).toMatch(/the sweep ran out of time after \d+ of 25 Services/);
  }
  expect([...seen].toSorted()).toEqual(KEYS);
});
