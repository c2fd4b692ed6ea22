/** The places of a process, which clusters share. */
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Key } from '../../../shared/model/request.ts';
import { MemoryQueue } from '../../../shared/queue/memory-queue.ts';
import { SharedPlaces } from '../../../shared/queue/places.ts';
import { SEED } from '../../laws/seed.ts';
import { aReport } from '../queue/reports.ts';

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

const FOREVER_MS = 1e9;
const LASTS_MS = 20_000;

interface Arrival {
  readonly cluster: number;
  readonly kind: 'service' | 'node';
  readonly atMs: number;
  readonly tookMs: number;
}

const arrival: fc.Arbitrary<Arrival> = fc.record({
  cluster: fc.nat(5),
  kind: fc.constantFrom('service', 'service', 'node'),
  atMs: fc.constantFrom(0, 0, 1, 5, 50, 400),
  tookMs: fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom(1, 10, 11, 25, 100, 1_000) },
    fc.constant(FOREVER_MS),
  ),
});
/** Below five no place of a cluster is kept for namespaces. */
const limits = fc.record({ most: fc.integer({ min: 1, max: 12 }), own: fc.integer({ min: 1, max: 4 }) });

/** What one cluster has at one moment. */
class Cluster {
  readonly ready = { service: 0, node: 0 };
  readonly runs = { service: 0, node: 0 };
  /** How often others have had a turn since this one began to wait. */
  readonly turns = new Map<Cluster, number>();
  readonly own: number;

  constructor(own: number) {
    this.own = own;
  }

  get running(): number {
    return this.runs.service + this.runs.node;
  }

  /** Whether it would begin a run if it had a place. */
  get waits(): boolean {
    return (['service', 'node'] as const).some((kind) => this.ready[kind] > 0 && this.runs[kind] < this.own);
  }
}

test('never more than the limit; a fifth is for clusters without a run; those that wait take turns', async () => {
  let longestQueue = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(arrival, { minLength: 10, maxLength: 120 }),
      limits,
      async (arrivals, { most, own }) => {
        const broken = new Set<string>();
        const holds = (what: string, is: boolean): void => {
          if (!is) broken.add(what);
        };
        const places = new SharedPlaces(most);
        const kept = Math.floor(most / 5);
        const clusters = Array.from({ length: 6 }, () => new Cluster(own));
        const running = (): number => clusters.reduce((sum, cluster) => sum + cluster.running, 0);
        const waiting = (): readonly Cluster[] => clusters.filter(({ waits }) => waits);
        const queues = clusters.map(
          (cluster, at) =>
            new MemoryQueue({
              cluster: `c${at}`,
              concurrency: own,
              shared: places,
              clock: { now: () => Date.now() },
              run: async (request) => {
                const kind = request.key.startsWith('node/') ? 'node' : 'service';
                for (const other of clusters) {
                  const turns = (other.turns.get(cluster) ?? 0) + 1;
                  if (other === cluster || !other.waits) continue;
                  other.turns.set(cluster, turns);
                  if (other.running === 0 || cluster.running > 0) holds('turns', turns <= 1);
                }
                cluster.turns.clear();
                cluster.ready[kind] -= 1;
                cluster.runs[kind] += 1;
                holds('the limit of the cluster', cluster.runs[kind] <= own);
                holds('the limit of the process', running() <= most);
                holds('what is kept', cluster.running === 1 || running() <= most - kept);
                await new Promise((resolve) => setTimeout(resolve, Number(request.cause)));
                cluster.runs[kind] -= 1;
                if (cluster.runs[kind] === own - 1) cluster.turns.clear();
                return aReport(request);
              },
            }),
        );
        for (const [i, { cluster: at, kind, atMs, tookMs }] of arrivals.entries())
          setTimeout(() => {
            const cluster = clusters[at];
            if (!cluster) return;
            if (!cluster.waits) cluster.turns.clear();
            cluster.ready[kind] += 1;
            const before = cluster.running;
            const isSure = before === 0 && running() < most;
            const key: Key = kind === 'node' ? `node/n${i}` : `service/ns-${i % 3}/s${i}`;
            queues[at]?.add({ key, cluster: `c${at}`, trigger: 'resync', cause: String(tookMs) });
            holds('a place at once', !isSure || cluster.running > before);
            longestQueue = Math.max(longestQueue, waiting().length);
          }, atMs);
        await vi.advanceTimersByTimeAsync(LASTS_MS);
        // nobody waits for a place that is free
        for (const cluster of waiting())
          holds('no place stays free', running() >= (cluster.running === 0 ? most : most - kept));
        vi.clearAllTimers();
        expect([...broken]).toEqual([]);
      },
    ),
    { numRuns: 200, seed: SEED },
  );
  expect(longestQueue).toBeGreaterThan(3);
});

test('Services that fill the places of a process hold up no Node of their cluster', async () => {
  const begun: Key[] = [];
  const queue = new MemoryQueue({
    cluster: 'a',
    concurrency: 4,
    shared: new SharedPlaces(1),
    clock: { now: () => Date.now() },
    run: async (request) => {
      begun.push(request.key);
      await new Promise((resolve) => setTimeout(resolve, 10));
      return aReport(request);
    },
  });
  const keys = ['service/a/1', 'service/a/2', 'service/a/3', 'node/n', 'routes'] as const;
  for (const key of keys) queue.add({ key, cluster: 'a', trigger: 'resync' });
  await vi.advanceTimersByTimeAsync(100);
  expect(begun.slice(0, 4).sort()).toEqual(['node/n', 'routes', 'service/a/1', 'service/a/2']);
  expect(begun).toHaveLength(keys.length);
});
