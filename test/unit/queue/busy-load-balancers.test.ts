import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Report } from '../../../shared/model/outcome.ts';
import type { WireResource } from '../../../shared/model/resources.ts';
import { BusyLoadBalancers } from '../../../shared/queue/busy-load-balancers.ts';
import { aReport, aRequest, nameOf, progressing } from './reports.ts';

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

function setUp() {
  const octavia = {
    /** Status by id; what is not there is gone. */
    status: new Map<string, string>(),
    /** The same of load balancers without the cluster's tag. */
    untagged: new Map<string, string>(),
    /** What each list call asks for. */
    lists: [] as unknown[],
    /** `TIME ID` of each read by id. */
    gets: [] as string[],
    answer: (): Promise<unknown> => Promise.resolve(),
  };
  const ready: string[] = [];
  const warnings: string[] = [];
  const busyOnes = new BusyLoadBalancers({
    cloud: {
      list: async (kind, query): Promise<readonly WireResource[]> => {
        octavia.lists.push([kind, query]);
        await octavia.answer();
        return [...octavia.status].map(([id, provisioning_status]) => ({ id, provisioning_status }));
      },
      get: (_kind, id): Promise<WireResource | undefined> => {
        octavia.gets.push(`${Date.now()} ${id}`);
        const provisioning_status = octavia.untagged.get(id);
        return Promise.resolve(provisioning_status === undefined ? undefined : { id, provisioning_status });
      },
    },
    cluster: () => Promise.resolve({ id: 'uid', name: 'kubernetes' }),
    clock: { now: () => Date.now() },
    log: { warn: (message) => void warnings.push(message) },
  });
  const wait = (report: Report, leastMs = 0): void => {
    const { key } = report.request;
    busyOnes.wait(report, leastMs, () => void ready.push(`${Date.now()} ${nameOf(key)}`));
  };
  return { busyOnes, wait, octavia, ready, warnings };
}

const busy = (name: string, hintMs: number, loadBalancer = `lb-${name}`): Report =>
  aReport(aRequest(name, 'requeue'), progressing(hintMs, loadBalancer));

const CREATED = { verb: 'create', kind: 'loadbalancer', address: 'lb', attributes: {} } as const;

test('all that wait are judged by one list of our own load balancers', async () => {
  const { wait, octavia, ready } = setUp();
  for (const name of ['a', 'b', 'c', 'd']) {
    octavia.status.set(`lb-${name}`, 'PENDING_UPDATE');
    wait(busy(name, 1_000));
  }
  octavia.status.set('lb-a', 'ACTIVE').set('lb-b', 'ERROR').delete('lb-c');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(ready).toEqual(['1000 a', '1000 b', '1000 c']);
  expect(octavia.gets).toEqual(['1000 lb-c']);
  expect(octavia.lists).toEqual([
    ['loadbalancer', { tags: 'levelset-cluster=uid', fields: ['id', 'provisioning_status'] }],
  ]);
});

test('a load balancer that no list of ours shows is read by its id, and others do not wait for it', async () => {
  const { wait, octavia, ready } = setUp();
  octavia.untagged.set('lb-theirs', 'PENDING_UPDATE').set('lb-hidden', 'PENDING_UPDATE');
  wait(busy('theirs', 1_000));
  wait(busy('hidden', 1_000));
  wait(busy('gone', 1_000));
  await vi.advanceTimersByTimeAsync(300_000);
  expect(ready).toEqual(['1000 gone']);
  octavia.untagged.set('lb-theirs', 'ACTIVE').set('lb-hidden', 'ACTIVE');
  await vi.advanceTimersByTimeAsync(31_000);
  expect(ready.map((line) => line.split(' ')[1]).sort()).toEqual(['gone', 'hidden', 'theirs']);
});

test('one that is being deleted is gone when it is in no list any more, and is not asked for by its id', async () => {
  const { wait, octavia, ready } = setUp();
  const report = busy('a', 700);
  const applied = [{ verb: 'delete', kind: 'loadbalancer', address: 'lb', id: 'lb-a', because: '' }] as const;
  octavia.status.set('lb-a', 'PENDING_DELETE');
  wait({ ...report, applied });
  await vi.advanceTimersByTimeAsync(3_000);
  expect(ready).toEqual([]);
  octavia.status.delete('lb-a');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(ready).toEqual(['3700 a']);
  expect(octavia.gets).toEqual([]);
});

test('of the keys that wait for one load balancer one is requeued at a time, and none while that one writes', async () => {
  const { wait, octavia, ready } = setUp();
  for (const name of ['a', 'b', 'c']) wait(busy(name, 1_000, 'lb-shared'));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(ready).toEqual(['1000 a']);
  octavia.status.set('lb-shared', 'PENDING_UPDATE');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(ready).toEqual(['1000 a']);
  octavia.status.set('lb-shared', 'ACTIVE');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(ready.map((line) => line.split(' ')[1])).toEqual(['a', 'b', 'c']);
});

test('however long it takes, and whatever the last one took, it is seen within 5 % or 2 s', async () => {
  const tookMs = fc.oneof(fc.nat(5_000), fc.nat(60_000), fc.nat(600_000));
  const allMs = fc.array(tookMs, { minLength: 2, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(allMs, fc.constantFrom(0, 50, 600), async (durations, answerMs) => {
      const { busyOnes, wait, octavia, ready } = setUp();
      octavia.answer = () => new Promise((resolve) => setTimeout(resolve, answerMs));
      for (const durationMs of durations) {
        octavia.status.set('lb-a', 'PENDING_CREATE');
        const startedMs = Date.now();
        wait({ ...busy('a', 2_000), applied: [CREATED] });
        setTimeout(() => octavia.status.set('lb-a', 'ACTIVE'), durationMs);
        await vi.advanceTimersByTimeAsync(durationMs * 1.05 + 2_000 + answerMs + 1);
        const seenMs = Number(ready.pop()?.split(' ')[0]) - startedMs;
        expect(seenMs).toBeLessThanOrEqual(Math.max(durationMs * 1.05, durationMs + 2_000) + answerMs);
      }
      busyOnes.stop();
    }),
  );
});

test('a key that somebody changed is no longer waited for', async () => {
  const { busyOnes, wait, octavia, ready } = setUp();
  wait(busy('a', 1_000));
  busyOnes.forget('service/shop/a');
  await vi.advanceTimersByTimeAsync(60_000);
  expect([octavia.lists, ready]).toEqual([[], []]);
});

test('a key that waits anew while the list is under way is not judged by it', async () => {
  const { wait, octavia, ready } = setUp();
  octavia.answer = () => new Promise((resolve) => setTimeout(resolve, 300));
  wait(busy('a', 500));
  await vi.advanceTimersByTimeAsync(600);
  wait(busy('a', 5_000));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(ready).toEqual([]);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(ready).toHaveLength(1);
});

test('a list that fails is logged and tried again later; after the second failure the keys look for themselves', async () => {
  const { wait, octavia, ready, warnings } = setUp();
  octavia.answer = () => Promise.reject(new Error('503'));
  wait(busy('a', 500));
  wait(busy('later', 500), 60_000);
  await vi.advanceTimersByTimeAsync(500);
  expect(ready).toEqual([]);
  await vi.advanceTimersByTimeAsync(59_000);
  expect(ready.map((line) => line.split(' ')[1])).toEqual(['a']);
  expect(octavia.lists).toHaveLength(2);
  expect(warnings).toHaveLength(2);
  octavia.answer = () => Promise.resolve();
  await vi.advanceTimersByTimeAsync(31_000);
  expect(ready).toHaveLength(2);
});
