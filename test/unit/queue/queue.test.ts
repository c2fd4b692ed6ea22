import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Outcome, Report } from '../../../shared/model/outcome.ts';
import type { ReconcileRequest, Trigger } from '../../../shared/model/request.ts';
import { Queue, SPACING_MS, type QueueOptions } from '../../../shared/queue/queue.ts';
import { aReport, aRequest, failed, nameOf, progressing, SETTLED } from './reports.ts';

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

function aQueue(
  outcomeOf: (request: ReconcileRequest, run: number) => Outcome | Promise<Outcome>,
  concurrency = 1,
  busy?: QueueOptions['busy'],
) {
  /** `trigger name` of each run, in the order they began. */
  const runs: string[] = [];
  const queue = new Queue({
    run: async (request): Promise<Report> => {
      runs.push(`${request.trigger} ${nameOf(request.key)}`);
      return aReport(request, await outcomeOf(request, runs.length));
    },
    concurrency,
    clock: { now: () => Date.now() },
    random: () => 0.999999,
    ...(busy && { busy }),
  });
  return { queue, runs };
}

const after = (ms: number) => new Promise<Outcome>((resolve) => setTimeout(resolve, ms, SETTLED));

type Add = readonly [atMs: number, name: string, trigger: Trigger];
const LATER = progressing(20_000);
// prettier-ignore
test.each<[string, tookMs: number, first: Outcome, adds: readonly Add[], runs: readonly string[]]>([
  ['what a sweep found while its key ran is run once more: the run may have read before the sweep', 10, SETTLED, [[0, 'web', 'audit'], [5, 'web', 'sweep'], [5, 'web', 'sweep']], ['0 audit web', `${SPACING_MS} sweep web`]],
  ['but is left to the requeue if there is one', 10, LATER, [[0, 'web', 'audit'], [5, 'web', 'sweep']], ['0 audit web', '20010 requeue web']],
  ['what a sweep found leaves a requeue as it is', 0, LATER, [[0, 'web', 'audit'], [1_000, 'web', 'sweep']], ['0 audit web', '20000 requeue web']],
  ['a change goes before the delayed requeue of its key, and replaces it', 0, LATER, [[0, 'web', 'audit'], [1_000, 'web', 'audit']], ['0 audit web', '1000 audit web']],
  ['a person’s request waits for no rest of half a second between runs', 0, SETTLED, [[0, 'web', 'audit'], [5, 'web', 'resync']], ['0 audit web', '5 resync web']],
  ['who asks goes before what somebody changed, and that before what a sweep found', 10, SETTLED,
    [[0, 'busy', 'sweep'], [0, 'a', 'sweep'], [0, 'b', 'sweep'], [0, 'c', 'events'], [0, 'b', 'audit'], [0, 'd', 'resync']], ['0 sweep busy', '10 resync d', '20 events c', '30 audit b', '40 sweep a']],
])('%s', async (_what, tookMs, first, adds, expected) => {
  const times: number[] = [];
  const { queue, runs } = aQueue(async (_request, run) => {
    times.push(Date.now());
    if (tookMs > 0) await after(tookMs);
    return run === 1 ? first : SETTLED;
  });
  for (const [atMs, name, trigger] of adds) setTimeout(() => { queue.add(aRequest(name, trigger)); }, atMs);
  await vi.runAllTimersAsync();
  expect(runs.map((run, at) => `${times[at]} ${run}`)).toEqual(expected);
});

test('Services that hang hold up no Node, and Nodes that hang do not hold up the routes', () => {
  const started: string[] = [];
  const run = ({ key }: ReconcileRequest): Promise<never> => {
    started.push(key);
    return new Promise(() => undefined);
  };
  const { queue } = aQueue(run, 15);
  for (let at = 0; at < 20; at += 1) queue.add({ key: `service/n${at}/web`, trigger: 'audit' });
  for (let at = 0; at < 20; at += 1) queue.add({ key: `node/n${at}`, trigger: 'sweep' });
  queue.add({ key: 'routes', trigger: 'sweep' });
  const count = (kind: string): number => started.filter((key) => key.startsWith(kind)).length;
  expect(['service', 'node', 'routes'].map(count)).toEqual([15, 15, 1]);
});

test('events run a key that fails, and leave its delay as long as it was', async () => {
  const times: number[] = [];
  const { queue } = aQueue(() => {
    times.push(Date.now());
    return failed();
  });
  queue.add(aRequest('web'));
  await vi.advanceTimersByTimeAsync(7_000);
  expect(times).toEqual([0, 1_000, 3_000, 7_000]);
  queue.add(aRequest('web'));
  await vi.advanceTimersByTimeAsync(20_000);
  expect(times.slice(4)).toEqual([7_500, 23_500]);
});

test('a key whose load balancer is busy waits elsewhere until somebody changes it', async () => {
  const waiting: string[] = [];
  const { queue } = aQueue(() => progressing(1_000, 'lb-1'), 1, {
    wait: ({ request: { key } }) => void waiting.push(`${nameOf(key)} waits`),
    forget: (key) => void waiting.push(`${nameOf(key)} is forgotten`),
  });
  queue.add(aRequest('web'));
  await vi.runAllTimersAsync();
  expect(waiting).toEqual(['web waits']);
  queue.add(aRequest('web'));
  expect(waiting.at(-1)).toBe('web is forgotten');
  expect(queue.depth).toBe(1);
});

describe('keys that share load balancers', () => {
  /** Services with a name that begins with `s` share. */
  const needsGroup = ({ key, inGroup }: ReconcileRequest): boolean => nameOf(key).startsWith('s') && !inGroup;

  test('are worked on one at a time, and all others beside them', async () => {
    const atWork = { shared: 0, most: 0 };
    const { queue, runs } = aQueue(async (request) => {
      if (needsGroup(request)) return { ...progressing(0), needsGroup: true };
      if (!request.inGroup) return after(10);
      atWork.most = Math.max(atWork.most, (atWork.shared += 1));
      await after(50);
      atWork.shared -= 1;
      return SETTLED;
    }, 20);
    for (const name of ['s1', 's2', 's3', 'web', 'api']) queue.add(aRequest(name, 'resync'));
    await vi.advanceTimersByTimeAsync(20);
    expect([queue.running, queue.depth]).toEqual([1, 2]);
    await vi.runAllTimersAsync();
    expect(atWork.most).toBe(1);
    expect(runs.filter((run) => run.startsWith('resync s'))).toHaveLength(6);
  });

  test('are among all others again once they are settled, and stay in the group until then', async () => {
    const groups: boolean[] = [];
    const { queue } = aQueue((request, run) => {
      groups.push(request.inGroup === true);
      if (run === 1) return { ...progressing(0), needsGroup: true };
      return run === 2 ? progressing(100) : SETTLED;
    });
    queue.add(aRequest('web'));
    await vi.runAllTimersAsync();
    queue.add(aRequest('web'));
    await vi.runAllTimersAsync();
    expect(groups).toEqual([false, true, true, false]);
  });
});
