/** When a process leads and when it does not any more, by the time of vi's timers; test/laws/schedules has all that may go wrong. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { KubeHttp, KubeAnswer } from '../../../shared/kube/kube-http.ts';
import { LeaderLease, type LeaseClock } from '../../../shared/kube/leader-lease.ts';
import { ReconcileError } from '../../../shared/model/errors.ts';
import { SILENT } from '../../support/sandbox-world.ts';

beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) }));
afterEach(() => void vi.useRealTimers());

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const CLOCK: LeaseClock = { monotonic: () => Date.now(), wall: () => Date.now(), pause: sleep };

/** An apiserver with one Lease. */
class Leases {
  record: { metadata: { resourceVersion: string }; spec: { holderIdentity: string } } | undefined;
  #version = 0;

  ask({ method, body }: Parameters<KubeHttp>[0]): KubeAnswer {
    const sent = body as { metadata: { resourceVersion?: string }; spec: { holderIdentity: string } };
    const answer = (status: number, it: unknown = { kind: 'Status', message: '' }): KubeAnswer => ({
      status,
      body: it,
    });
    if (method === 'GET') return this.record ? answer(200, this.record) : answer(404);
    if (method === 'POST' && this.record) return answer(409);
    if (method === 'PUT' && this.record?.metadata.resourceVersion !== sent.metadata.resourceVersion)
      return answer(409);
    this.#version += 1;
    const made = { name: 'levelset', uid: 'u', resourceVersion: String(this.#version) };
    this.record = { ...sent, metadata: { ...sent.metadata, ...made } };
    return answer(200, this.record);
  }
}

function leaseOf(
  identity: string,
  http: KubeHttp,
  clock = CLOCK,
  changed: (leads: boolean) => void = () => undefined,
) {
  const lease = new LeaderLease({
    ...{ http, clock, identity, changed, log: SILENT },
    namespace: 'levelset',
    name: 'levelset',
  });
  lease.start();
  return lease;
}

test('who stops gives the Lease back, and the next one leads at its next look', async () => {
  const leases = new Leases();
  const http: KubeHttp = (request) => Promise.resolve(leases.ask(request));
  const first = leaseOf('first', http);
  await vi.advanceTimersByTimeAsync(100);
  const second = leaseOf('second', http);
  await vi.advanceTimersByTimeAsync(10_000);
  expect([first.leads, second.leads, second.holder]).toEqual([true, false, 'first']);
  void first.stop();
  await vi.advanceTimersByTimeAsync(2_500);
  expect([first.leads, second.leads]).toEqual([false, true]);
});

test('a guard that stood open closes 13 s after the last renewal that was taken was sent, also when the machine slept', async () => {
  const leases = new Leases();
  let asleepMs = 0;
  const clock = { ...CLOCK, monotonic: () => Date.now() - asleepMs };
  const lease = leaseOf('first', (request) => Promise.resolve(leases.ask(request)), clock);
  await vi.advanceTimersByTimeAsync(100);
  lease.guard();
  vi.setSystemTime(Date.now() + 14_000);
  asleepMs = 14_000;
  expect(lease.guard).toThrow('does not hold Lease levelset/levelset');
});

test('who leads goes on leading where each answer of the kube-apiserver takes 5 s', async () => {
  const leases = new Leases();
  const http: KubeHttp = async (request) => {
    const { leftMs = () => Infinity } = request;
    await sleep(Math.min(5_000, leftMs()));
    if (leftMs() <= 0) throw new ReconcileError('KUBE_UNAVAILABLE', 'no answer in time');
    return leases.ask(request);
  };
  const changes: boolean[] = [];
  const lease = leaseOf('first', http, CLOCK, (leads) => void changes.push(leads));
  await vi.advanceTimersByTimeAsync(120_000);
  expect(changes).toEqual([true]);
  lease.guard();
});
