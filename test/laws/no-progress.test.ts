import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Outcome, Report } from '../../shared/model/outcome.ts';
import type { ReconcileRequest } from '../../shared/model/request.ts';
import type { WireResource } from '../../shared/model/resources.ts';
import { Queue } from '../../shared/queue/queue.ts';
import { BusyLoadBalancers } from '../../shared/queue/busy-load-balancers.ts';
import { aReport, failed, progressing } from '../unit/queue/reports.ts';
import './seed.ts';

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

const MINUTE_MS = 60_000;
/** By then every delay has grown to its longest, 30 s. */
const GROWN_MS = 10 * MINUTE_MS;
const LASTS_MS = 30 * MINUTE_MS;
/** Of one key: every 30 s, and with the most jitter every 15 s. */
const MOST_A_MINUTE = 4;

/** What never changes, for one Service. */
interface Stuck {
  readonly outcome: Outcome;
  /** What each run writes, with no effect. */
  readonly writes: readonly string[];
  /** The load balancer, where the key waits for one: by the list of the cluster, by its id alone, or not at all. */
  readonly status: string;
  readonly isTagged: boolean;
}

const delays = fc.constantFrom(0, 700, 2_000, 5_000);
const stuck: fc.Arbitrary<Stuck> = fc.record({
  outcome: fc.oneof(
    delays.map((delayMs) => progressing(delayMs)),
    delays.map((delayMs) => progressing(delayMs, 'lb')),
    delays.map((delayMs) => failed(delayMs)),
  ),
  writes: fc.constantFrom([], ['lb'], ['listener/tcp/80', 'pool/tcp/80'], ['member/tcp/80/10.0.0.1:30080']),
  status: fc.constantFrom(
    'ACTIVE',
    'ERROR',
    'PENDING_UPDATE',
    'PENDING_CREATE',
    'PENDING_DELETE',
    'gone',
    'FORBIDDEN',
  ),
  isTagged: fc.boolean(),
});

test('where nothing ever changes, runs and calls fall to a few a minute, for each kind of wait', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(stuck, { minLength: 1, maxLength: 6 }),
      fc.constantFrom(0, 0.5, 0.999),
      async (world, chance) => {
        const random = (): number => chance;
        const lastRuns = new Map<string, number>();
        const calls = { lists: 0, gets: 0 };
        const startedMs = Date.now();
        const isLate = (): boolean => Date.now() - startedMs >= GROWN_MS;
        const statusOf = ({ status }: Stuck, id: string): WireResource => ({
          id,
          provisioning_status: status,
        });
        const there = world
          .map((one, at) => [`lb-${at}`, one] as const)
          .filter(([, one]) => one.status !== 'gone');
        const busy = new BusyLoadBalancers({
          cloud: {
            list: () => {
              if (isLate()) calls.lists += 1;
              return Promise.resolve(
                there.filter(([, { isTagged }]) => isTagged).map(([id, one]) => statusOf(one, id)),
              );
            },
            get: (_kind, id) => {
              if (isLate()) calls.gets += 1;
              const one = there.find(([known]) => known === id)?.[1];
              if (one?.status === 'FORBIDDEN') return Promise.reject(new Error('403'));
              return Promise.resolve(one && statusOf(one, id));
            },
          },
          cluster: () => Promise.resolve({ id: 'uid', name: 'kubernetes' }),
          clock: { now: () => Date.now() },
          log: { warn: () => undefined },
        });
        const run = (request: ReconcileRequest): Promise<Report> => {
          const at = Number(request.key.split('-')[1]);
          if (isLate()) lastRuns.set(request.key, (lastRuns.get(request.key) ?? 0) + 1);
          const { outcome, writes } = world[at] ?? { outcome: failed(), writes: [] };
          const mine =
            outcome.status === 'progressing' && outcome.waitingFor ? { waitingFor: `lb-${at}` } : {};
          const applied = writes.map((address) => ({
            verb: 'update',
            kind: 'listener',
            address,
            id: '',
            changes: [],
          }));
          return Promise.resolve(
            aReport(request, { ...outcome, ...mine }, { applied: applied as unknown as Report['applied'] }),
          );
        };
        const queue = new Queue({
          run,
          concurrency: 5,
          clock: { now: () => Date.now() },
          busy,
          random,
        });
        world.forEach((_, at) => {
          queue.add({ key: `service/shop/web-${at}`, trigger: 'audit' });
        });

        await vi.advanceTimersByTimeAsync(LASTS_MS);

        // one more at the end of the time
        const most = (MOST_A_MINUTE * (LASTS_MS - GROWN_MS)) / MINUTE_MS + 1;
        for (const runs of lastRuns.values()) expect(runs).toBeLessThanOrEqual(most);
        expect(calls.lists).toBeLessThanOrEqual(most * world.length);
        expect(calls.gets).toBeLessThanOrEqual(most * world.length);
        await queue.stop();
        busy.stop();
        vi.clearAllTimers();
      },
    ),
  );
});
