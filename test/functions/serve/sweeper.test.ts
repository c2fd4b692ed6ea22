import { expect, onTestFinished, test, vi } from 'vitest';
import { LONGEST_SWEEP_MS, Sweeper } from '../../../functions/serve/sweeper.ts';
import { ReconcileError } from '../../../shared/model/errors.ts';
import type { Sweep } from '../../../shared/sweep.ts';
import { aConfig } from '../../support/config.ts';
import { AUTH_URL, cloudTransport, inProcessWorld, replaced } from '../../support/in-process.ts';
import { SILENT } from '../../support/sandbox-world.ts';
import { aProcess, inVirtualTime } from '../../support/virtual-time.ts';

/** What a sweeper found at start, and the time that was left to it when it asked OpenStack for something. */
async function sweepOnce(onRequest: (sweeper: Sweeper) => void): Promise<{ found: Sweep[]; left: number[] }> {
  const inside = inVirtualTime({ nodes: 1 });
  const through = cloudTransport(inside);
  const left: number[] = [];
  const found: Sweep[] = [];
  const send: typeof through.send = (request, limitMs) => {
    // a login serves whoever comes next, too: it has no end
    if (request.method === 'GET') {
      left.push(limitMs);
      onRequest(sweeper);
    }
    return through.send(request, limitMs);
  };
  const { openstack, ...others } = aConfig(AUTH_URL);
  const config = { ...others, openstack: { ...openstack, requestTimeoutMs: Infinity } };
  const world = inProcessWorld(inside, config, SILENT, { ...through, send });
  const sweeper = new Sweeper({ world, intervalMs: 3_600_000, swept: (sweep) => found.push(sweep) });
  sweeper.start();
  while (sweeper.busy) await new Promise(setImmediate);
  await sweeper.stop();
  return { found, left };
}

test('a sweep has a time of its own, and asks nothing more when the process is told to stop', async () => {
  const whole = await sweepOnce(() => undefined);
  expect(whole.found.map(({ failed }) => failed)).toEqual([undefined]);
  expect(Math.min(...whole.left)).toBeGreaterThan(0);
  expect(Math.max(...whole.left)).toBeLessThanOrEqual(LONGEST_SWEEP_MS);
  const cut = await sweepOnce((sweeper) => void sweeper.stop());
  expect(cut.left.length).toBeLessThan(whole.left.length);
  expect(cut.found).toEqual([]);
});

test('sweeps rest for half a second, however many are asked for by events, and for a person not at all', async () => {
  const world = aProcess(inVirtualTime({ nodes: 1 }));
  const ended: number[] = [];
  const swept = (): number => ended.push(performance.now());
  const sweeper = new Sweeper({ world, intervalMs: 3_600_000, swept });
  onTestFinished(() => sweeper.stop());
  const until = async (count: number): Promise<void> => {
    while (ended.length < count) {
      sweeper.request({ servicesOnly: true });
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  sweeper.start();
  await until(2);
  const [first = 0, second = 0] = ended;
  expect(second - first).toBeGreaterThanOrEqual(500);

  const began = performance.now();
  sweeper.request({}, { isDue: true });
  await until(3);
  expect((ended[2] ?? 0) - began).toBeLessThan(400);
  expect(sweeper.busy).toBe(true); // one more was asked for by events
});

test.each([
  [200_000, 200_000, 200_000],
  [3_600_000, 300_000, 300_000],
  [undefined, 500, 1_000],
])('a sweep that failed is repeated when the answer allows it: %s ms', async (asked, least, most) => {
  const plain = aProcess(inVirtualTime({ nodes: 1 }));
  const context = asked === undefined ? {} : { retryAfterMs: asked };
  const away = () => Promise.reject(new ReconcileError('KUBE_UNAVAILABLE', 'away', context));
  const world = { ...plain, kube: replaced(plain.kube, () => ({ listServices: away })) };
  const sweeper = new Sweeper({ world, intervalMs: 3_600_000, swept: () => undefined });
  const timers = vi.spyOn(globalThis, 'setTimeout');
  onTestFinished(() => void vi.restoreAllMocks());

  sweeper.start();
  while (sweeper.busy) await new Promise(setImmediate);
  await sweeper.stop();

  const delays = timers.mock.calls.map(([, ms = 0]) => ms);
  const [delay = 0] = delays.slice(-1);
  expect(delay).toBeGreaterThanOrEqual(least);
  expect(delay).toBeLessThanOrEqual(most);
});
