/** Of the processes of a deployment one writes: whatever stands still, is cut off, is slow, or is killed, by the time of vi's timers. */
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { KubeHttp, KubeAnswer } from '../../../shared/kube/kube-http.ts';
import { LeaderLease, type LeaseClock } from '../../../shared/kube/leader-lease.ts';
import { ReconcileError } from '../../../shared/model/errors.ts';
import { SILENT } from '../../support/sandbox-world.ts';

beforeEach(() => void vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) }));
afterEach(() => void vi.useRealTimers());

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** What may happen to a process, from when until when, in milliseconds since the start. */
interface Trouble {
  readonly what: 'frozen' | 'cut off' | 'answers are lost' | 'slow';
  readonly fromMs: number;
  readonly lastsMs: number;
}

interface Plan {
  readonly troubles: readonly Trouble[];
  /** How far its time of day is off, and its monotonic clock runs. */
  readonly skewMs: number;
  readonly startsMs: number;
  readonly killedMs: number;
}

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

class Process {
  readonly lease: LeaderLease;
  isKilled = false;
  readonly #startMs = Date.now();
  readonly #plan: Plan;

  constructor(name: string, plan: Plan, leases: Leases) {
    this.#plan = plan;
    const clock: LeaseClock = {
      monotonic: () => Date.now() + plan.skewMs / 7,
      wall: () => Date.now() + plan.skewMs,
      pause: async (ms) => {
        await sleep(ms);
        await this.#thaws();
      },
    };
    const http: KubeHttp = async (request) => {
      const slow = this.#is('slow') ? 3_500 : 20;
      await sleep(slow);
      const isCutOff = this.#is('cut off') || this.isKilled;
      const answer = isCutOff ? undefined : leases.ask(request);
      await sleep(slow);
      await this.#thaws();
      if (!answer || this.#is('answers are lost')) {
        await sleep(4_000);
        throw new ReconcileError('KUBE_UNAVAILABLE', 'no answer');
      }
      return answer;
    };
    this.lease = new LeaderLease({
      ...{ http, clock, identity: name, namespace: 'levelset', name: 'levelset', log: SILENT },
      changed: () => undefined,
    });
    setTimeout(() => {
      this.lease.start();
    }, plan.startsMs);
    setTimeout(() => (this.isKilled = true), plan.killedMs);
  }

  /** Whether a write begins now. */
  get writes(): boolean {
    if (this.isKilled || this.#is('frozen')) return false;
    try {
      this.lease.guard();
      return true;
    } catch {
      return false;
    }
  }

  #is(what: Trouble['what']): boolean {
    const atMs = Date.now() - this.#startMs;
    return this.#plan.troubles.some(
      (one) => one.what === what && atMs >= one.fromMs && atMs < one.fromMs + one.lastsMs,
    );
  }

  async #thaws(): Promise<void> {
    while (this.#is('frozen')) await sleep(50);
    if (this.isKilled) await new Promise(() => undefined);
  }
}

const trouble: fc.Arbitrary<Trouble> = fc.record({
  what: fc.constantFrom<Trouble['what'][]>('frozen', 'cut off', 'answers are lost', 'slow'),
  fromMs: fc.nat(120_000),
  lastsMs: fc.integer({ min: 500, max: 40_000 }),
});
const plan: fc.Arbitrary<Plan> = fc.record({
  troubles: fc.array(trouble, { maxLength: 4 }),
  skewMs: fc.constantFrom(0, -3_600_000, 3_600_000, 5_000),
  startsMs: fc.nat(5_000),
  killedMs: fc.oneof(fc.constant(Number.MAX_SAFE_INTEGER % 2_147_483_647), fc.nat(120_000)),
});

const CALM_MS = 170_000;
const LASTS_MS = CALM_MS + 30_000;

test('no two processes begin a write at once, and 20 s after the last trouble one leads, if one is alive', async () => {
  let takeovers = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(plan, { minLength: 2, maxLength: 3 }), async (plans) => {
      const leases = new Leases();
      const processes = plans.map((its, at) => new Process(`p${at}`, its, leases));
      const writers = new Set<number>();
      for (let atMs = 0; atMs < LASTS_MS; atMs += 250) {
        await vi.advanceTimersByTimeAsync(250);
        const now = processes.flatMap(({ writes }, at) => (writes ? at : []));
        expect(now.length).toBeLessThanOrEqual(1);
        for (const at of now) writers.add(at);
      }
      takeovers += writers.size - 1;
      const alive = processes.filter(({ isKilled }) => !isKilled);
      if (alive.length > 0) expect(alive.filter(({ writes }) => writes)).toHaveLength(1);
      vi.clearAllTimers();
    }),
    { numRuns: 60, seed: 20_261_127 },
  );
  expect(takeovers).toBeGreaterThan(10);
});

const CALM: Plan = { troubles: [], skewMs: 0, startsMs: 0, killedMs: 2_000_000_000 };

test('who stops gives the Lease back, and the next one leads at its next look', async () => {
  const leases = new Leases();
  const first = new Process('first', CALM, leases);
  await vi.advanceTimersByTimeAsync(100);
  const second = new Process('second', CALM, leases);
  await vi.advanceTimersByTimeAsync(10_000);
  expect([first.writes, second.writes]).toEqual([true, false]);
  expect(second.lease.holder).toBe('first');
  void first.lease.stop();
  await vi.advanceTimersByTimeAsync(2_500);
  expect([first.writes, second.writes]).toEqual([false, true]);
});

test('a killed leader is replaced after 15 s, and nobody reads while it renews', async () => {
  const leases = new Leases();
  const first = new Process('first', { ...CALM, killedMs: 30_000 }, leases);
  const asked = vi.spyOn(leases, 'ask');
  await vi.advanceTimersByTimeAsync(29_000);
  expect(asked.mock.calls.filter(([{ method }]) => method === 'GET')).toHaveLength(1);
  expect(first.writes).toBe(true);
  const second = new Process('second', { ...CALM, startsMs: 500 }, leases);
  const begins: number[] = [];
  for (let atMs = 0; atMs < 25_000; atMs += 100) {
    await vi.advanceTimersByTimeAsync(100);
    if (second.writes) begins.push(atMs);
  }
  expect(begins[0]).toBeGreaterThan(15_000);
  expect(begins[0]).toBeLessThan(20_000);
});

test('a guard that stood open closes 13 s after the last renewal that was taken was sent, also when the machine slept', async () => {
  const leases = new Leases();
  let asleepMs = 0;
  const clock: LeaseClock = { monotonic: () => Date.now() - asleepMs, wall: () => Date.now(), pause: sleep };
  const http: KubeHttp = (request) => Promise.resolve(leases.ask(request));
  const its = { http, clock, identity: 'first', namespace: 'levelset', name: 'levelset', log: SILENT };
  const lease = new LeaderLease({ ...its, changed: () => undefined });
  lease.start();
  await vi.advanceTimersByTimeAsync(100);
  lease.guard();
  vi.setSystemTime(Date.now() + 14_000);
  asleepMs = 14_000;
  expect(lease.guard).toThrow('does not hold Lease levelset/levelset');
});

test('who leads goes on leading where each answer of the kube-apiserver takes 5 s', async () => {
  const leases = new Leases();
  const clock: LeaseClock = { monotonic: () => Date.now(), wall: () => Date.now(), pause: sleep };
  const http: KubeHttp = async (request) => {
    const { leftMs = () => Infinity } = request;
    await sleep(Math.min(5_000, leftMs()));
    if (leftMs() <= 0) throw new ReconcileError('KUBE_UNAVAILABLE', 'no answer in time');
    return leases.ask(request);
  };
  const changes: boolean[] = [];
  const its = { http, clock, identity: 'first', namespace: 'levelset', name: 'levelset', log: SILENT };
  const lease = new LeaderLease({ ...its, changed: (leads) => changes.push(leads) });
  lease.start();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(changes).toEqual([true]);
  lease.guard();
});
