import { expect, test } from 'vitest';
import { withDeadline } from '../../../shared/deadline.ts';
import { serviceKey } from '../../../shared/model/request.ts';
import { sweep, type Sweep } from '../../../shared/sweep.ts';
import { settledWorld } from './settled-world.ts';

const COUNT = 24;
const BUDGET_MS = 30_000;
/** What the look at one Service costs, since the apiserver is slow. */
const SLOW_MS = 4_000;

test('a sweep that runs out of time says how far it is, and the next one continues there', async () => {
  const names = Array.from({ length: COUNT }, (_, at) => `svc-${String(at).padStart(2, '0')}`);
  const services = names.map((name) => ({ name, spec: { externalTrafficPolicy: 'Local' } }));
  const { inside, world } = await settledWorld(services, 2);
  // somebody takes all floating IPs away
  for (const ip of inside.cloud.floatingips) Object.assign(ip, { port_id: null, fixed_ip_address: null });
  let spentMs = 0;
  const slices = world.kube.listEndpointSlices.bind(world.kube);
  world.kube.listEndpointSlices = async (...asked) => {
    spentMs += SLOW_MS;
    return slices(...asked);
  };
  const sweepInTime = (): Promise<Sweep> => {
    spentMs = 0;
    return withDeadline({ remainingMs: () => Math.max(0, BUDGET_MS - spentMs) }, () => sweep(world));
  };

  const found = new Map<string, number>();
  const told: string[] = [];
  for (let sweeps = 1; found.size < COUNT; sweeps += 1) {
    const { requests, warnings, incomplete, settled } = await sweepInTime();
    expect([sweeps < COUNT, settled]).toEqual([true, 0]);
    for (const { key } of requests) found.set(key, (found.get(key) ?? 0) + 1);
    told.push(...warnings.filter((warning) => warning.includes('ran out of time')));
    expect(incomplete).toBe(true);
  }

  const { length: sweeps } = told;
  expect(sweeps).toBeGreaterThan(1);
  expect(told[0]).toMatch(
    /^the sweep ran out of time after \d+ of 24 Services; the next one continues with default\/svc-\d\d$/,
  );
  // nobody is looked at again before everybody was looked at
  const [, first = 0] = /after (\d+)/.exec(told[0] ?? '') ?? [];
  expect(Number(first) * sweeps).toBeLessThan(COUNT + Number(first));
  expect([...found.keys()].toSorted()).toEqual(names.map((name) => serviceKey('default', name)));
});
