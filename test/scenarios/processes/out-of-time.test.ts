import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SandboxInside } from '../../../infra/sandbox/sandbox.ts';
import { serviceKey, type Key } from '../../../shared/model/request.ts';
import type { World } from '../../../shared/ports.ts';
import { sweep, type Sweep } from '../../../shared/sweep.ts';
import { replaced } from '../../support/in-process.ts';
import { aProcess, settledWorld } from './settled-world.ts';

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

/** Sweeps of one process, of which each has so much time, in milliseconds. */
function sweepsOf(world: World): (budgetMs?: number) => Promise<Sweep> {
  let spentMs = 0;
  const kube = replaced(world.kube, (its) => ({
    listEndpointSlices: (...asked) => {
      spentMs += SLOW_MS;
      return its.listEndpointSlices(...asked);
    },
  }));
  return (budgetMs = BUDGET_MS) => {
    spentMs = 0;
    return sweep({ ...world, kube }, {}, { remainingMs: () => Math.max(0, budgetMs - spentMs) });
  };
}

/** A sweep five minutes later, by a process that knows nothing: the Services that it came to. */
async function sweepAnew(inside: SandboxInside, budgetMs: number): Promise<readonly Key[]> {
  inside.advanceClock(300_000);
  return (await sweepsOf(aProcess(inside))(budgetMs)).requests.map(({ key }) => key);
}

test('a sweep that runs out of time says how far it is, and the next one continues there', async () => {
  const { world } = await brokenWorld();
  const sweepInTime = sweepsOf(world);

  const found = new Set<Key>();
  const told: string[] = [];
  for (let sweeps = 1; found.size < COUNT; sweeps += 1) {
    const { requests, warnings, incomplete, settled } = await sweepInTime();
    expect([sweeps < COUNT, settled]).toEqual([true, 0]);
    for (const { key } of requests) found.add(key);
    told.push(...warnings.filter((warning) => warning.includes('ran out of time')));
    expect(incomplete).toBe(true);
  }

  const { length: sweeps } = told;
  expect(sweeps).toBeGreaterThan(1);
  expect(told[0]).toMatch(
    /^the sweep ran out of time after \d+ of 25 Services; the next one continues with default\/svc-\d\d$/,
  );
  // nobody is looked at again before everybody was looked at
  const [, first = 0] = /after (\d+)/.exec(told[0] ?? '') ?? [];
  expect(Number(first) * sweeps).toBeLessThan(COUNT + Number(first));
  expect([...found].toSorted()).toEqual(KEYS);
});

test('sweeps that are cut at whatever time, each of another process, look at each Service in its turn', async () => {
  const { inside } = await brokenWorld();
  const looks = new Map(KEYS.map((key) => [key, 0]));
  const budgets = fc.array(fc.integer({ min: 15_000, max: 40_000 }), { minLength: 5, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(budgets, async (all) => {
      for (const budgetMs of all)
        for (const key of await sweepAnew(inside, budgetMs)) looks.set(key, (looks.get(key) ?? 0) + 1);
      const counts = [...looks.values()];
      expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
    }),
    { numRuns: 2, endOnFailure: true },
  );
  expect(Math.min(...looks.values())).toBeGreaterThan(1);
});

test('sweeps that cannot say how far they came begin anywhere after an hour, and look at each Service', async () => {
  const { inside } = await brokenWorld();
  await sweepAnew(inside, BUDGET_MS);
  const match = { side: 'kube', method: 'PATCH', path: /levelset-state/ } as const;
  inside.fault({ kind: 'fail-before', match, status: 503, times: Infinity });
  const seen = new Set<Key>();
  for (let sweeps = 0; sweeps < 24; sweeps += 1)
    for (const key of await sweepAnew(inside, BUDGET_MS)) seen.add(key);
  expect([...seen].toSorted()).toEqual(KEYS);
});
