/** What must not throttle an endpoint that bears everything. */
import { expect, test } from 'vitest';
import { VirtualClock } from '../../../infra/sandbox/sandbox-clock.ts';
import { EndpointLimit } from '../../../shared/openstack/endpoint-limit.ts';

const SERVICE = 'load-balancer';
const LISTENERS = 'http://octavia.invalid/v2.0/lbaas/listeners';
const urlOf = (n: number): string => `${LISTENERS}/${String(n).padStart(32, '0')}`;

interface Way {
  readonly ms: number;
  readonly status?: number;
  readonly method?: string;
  readonly url?: string;
}

/** Thirty workers, one request after the other for half a minute. Returns the limit as it was each second of the last half. */
async function limitsOf(way: (worker: number, atMs: number) => Way): Promise<readonly number[]> {
  const clock = new VirtualClock(0);
  const limit = new EndpointLimit({
    pause: (ms, signal) => clock.pause(ms, signal),
    now: () => clock.millis(),
  });
  let n = 100;
  const work = async (_: unknown, worker: number): Promise<void> => {
    while (clock.millis() < 30_000) {
      const { ms, status = 200, method = 'GET', url = urlOf((n += 1)) } = way(worker, clock.millis());
      await limit.pass({ service: SERVICE, method, url }, async () => {
        await clock.pause(ms);
        return { status };
      });
    }
  };
  const workers = Array.from({ length: 30 }, work);
  await clock.pause(15_000);
  const limits: number[] = [];
  while (limits.length < 15) {
    limits.push(limit.limit);
    await clock.pause(990);
  }
  await Promise.all(workers);
  return limits;
}

test('a request in fifty that is quick does not make the others of its kind slow', async () => {
  let n = 0;
  const limits = await limitsOf(() => ({ ms: (n += 1) % 50 === 0 ? 20 : 300 }));
  expect(Math.min(...limits)).toBeGreaterThanOrEqual(10);
});

test('refusals for a token that is over, which come at once, do not make the answers slow', async () => {
  const limits = await limitsOf((_, atMs) =>
    atMs > 14_000 && atMs < 14_300 ? { ms: 5, status: 401 } : { ms: 300 },
  );
  expect(Math.min(...limits)).toBeGreaterThanOrEqual(10);
});

test.each([
  ['two objects', (worker: number) => ({ ms: 100, status: 503, url: urlOf(worker) })],
  ['a collection', () => ({ ms: 100, status: 429, method: 'POST', url: LISTENERS })],
])('the refusals of %s hold back no others that are answered', async (_, refused) => {
  const limits = await limitsOf((worker) => (worker < 2 ? refused(worker) : { ms: 100 }));
  expect(Math.min(...limits)).toBeGreaterThanOrEqual(10);
});

test('refusals of all, without an answer, lower the limit to the least', async () => {
  const limits = await limitsOf((worker) => ({ ms: 100, status: 503, url: urlOf(worker) }));
  expect(Math.max(...limits)).toBe(2);
});
