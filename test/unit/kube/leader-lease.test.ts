/** When a process leads and when it does not any more; test/laws/schedules has what two of them may do, test/functions/serve how one follows. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { KubeHttp } from '../../../shared/kube/kube-http.ts';
import { LeaderLease, type LeaseClock } from '../../../shared/kube/leader-lease.ts';
import { ReconcileError } from '../../../shared/model/errors.ts';
import { SILENT } from '../../support/sandbox-world.ts';

beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) }));
afterEach(() => void vi.useRealTimers());

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A process that leads at an apiserver whose answers take so long. */
function leading(answerMs: number, monotonic = () => Date.now()) {
  let stored: object | undefined;
  const http: KubeHttp = async ({ method, body, leftMs = () => Infinity }) => {
    await sleep(Math.min(answerMs, leftMs()));
    if (leftMs() <= 0) throw new ReconcileError('KUBE_UNAVAILABLE', 'no answer in time');
    if (method === 'GET') return { status: stored ? 200 : 404, body: stored };
    stored = { ...(body as object), metadata: { name: 'levelset', uid: 'u', resourceVersion: '1' } };
    return { status: 200, body: stored };
  };
  const clock: LeaseClock = { monotonic, wall: () => Date.now(), pause: sleep };
  const changes: boolean[] = [];
  const lease = new LeaderLease({
    ...{ http, clock, identity: 'first', log: SILENT, namespace: 'levelset', name: 'levelset' },
    changed: (leads) => void changes.push(leads),
  });
  lease.start();
  return { lease, changes, stored: () => stored };
}

test('a guard that stood open closes 13 s after the last renewal that was taken was sent, also when the machine slept', async () => {
  let asleepMs = 0;
  const { lease } = leading(0, () => Date.now() - asleepMs);
  await vi.advanceTimersByTimeAsync(100);
  lease.guard();
  vi.setSystemTime(Date.now() + 14_000);
  asleepMs = 14_000;
  expect(lease.guard).toThrow('does not hold Lease levelset/levelset');
});

test('who leads goes on leading where each answer of the kube-apiserver takes 5 s', async () => {
  const { lease, changes } = leading(5_000);
  await vi.advanceTimersByTimeAsync(120_000);
  expect(changes).toEqual([true]);
  lease.guard();
});

test('who stops gives the Lease back, so that the next one leads at its next look', async () => {
  const { lease, stored } = leading(0);
  await vi.advanceTimersByTimeAsync(100);
  expect(stored()).toMatchObject({ spec: { holderIdentity: 'first' } });
  void lease.stop();
  await vi.advanceTimersByTimeAsync(2_500);
  expect(stored()).toMatchObject({ spec: { holderIdentity: '' } });
});
