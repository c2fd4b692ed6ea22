import { expect, test } from 'vitest';
import { DryRuns, MOST_WAITING } from '../../../functions/serve/dry-runs.ts';
import type { Report } from '../../../shared/model/outcome.ts';
import type { Key, ReconcileRequest } from '../../../shared/model/request.ts';
import { report } from '../../http/test-server.ts';

interface Harness {
  readonly dryRuns: DryRuns;
  /** The key of each run, in the order they began. */
  readonly started: Key[];
  /** Ends the oldest run that is under way. */
  readonly end: () => Promise<void>;
}

function aHarness(concurrency: number): Harness {
  const started: Key[] = [];
  const ends: (() => void)[] = [];
  const run = (request: ReconcileRequest): Promise<Report> =>
    new Promise((resolve) => {
      started.push(request.key);
      ends.push(() => {
        resolve(report(request, { status: 'settled' }));
      });
    });
  return {
    dryRuns: new DryRuns({ run, concurrency, clock: { now: () => 0 } }),
    started,
    end: async () => {
      ends.shift()?.();
      await new Promise(setImmediate);
    },
  };
}

function of(namespace: string, count: number): readonly ReconcileRequest[] {
  return Array.from({ length: count }, (_, at) => ({
    key: `service/${namespace}/${at}`,
    trigger: 'resync',
    dryRun: true,
  }));
}

test('so many run at once and no more, and namespaces take turns', async () => {
  const { dryRuns, started, end } = aHarness(3);
  void dryRuns.runAll(of('a', 10));
  void dryRuns.runAll(of('b', 2));

  expect(started).toHaveLength(3);
  for (let ended = 0; ended < 3; ended += 1) await end();
  expect(started.slice(3)).toEqual(['service/a/3', 'service/b/0', 'service/a/4']);
});

test('who asks for a key that waits gets the report of the same run, and for one that runs of another one', async () => {
  const { dryRuns, started, end } = aHarness(1);
  const [first, again, late] = [0, 1, 2].map(() => dryRuns.runAll(of('a', 2)));

  for (let ended = 0; ended < 3; ended += 1) await end();

  expect(started).toEqual(['service/a/0', 'service/a/1', 'service/a/0']);
  for (const reports of [first, again, late])
    expect((await reports)?.map(({ request }) => request.key)).toEqual(['service/a/0', 'service/a/1']);
});

test('where too many would wait none of them runs, and it says so with 429', async () => {
  const { dryRuns, started, end } = aHarness(1);
  void dryRuns.runAll(of('a', 1));
  for (const namespace of ['b', 'd']) void dryRuns.runAll(of(namespace, MOST_WAITING / 2));

  await expect(dryRuns.runAll(of('c', 1))).rejects.toMatchObject({
    status: 429,
    message: '200 dry runs wait, and at most 200 may: ask again later, or for fewer objects',
    more: { headers: { 'Retry-After': '10' } },
  });
  await end();
  expect(started).toEqual(['service/a/0', 'service/b/0']);
  void dryRuns.runAll(of('c', 1));
  for (let ended = 0; ended < 3; ended += 1) await end();
  expect(started.slice(2)).toEqual(['service/d/0', 'service/b/1', 'service/c/0']);
});

test('one namespace takes half of the places, and all Nodes and the routes together another half', async () => {
  const { dryRuns, started, end } = aHarness(1);
  const nodes = Array.from({ length: 99 }, (_, at): ReconcileRequest => ({
    key: `node/${at}`,
    trigger: 'resync',
  }));
  void dryRuns.runAll(of('a', 1));
  void dryRuns.runAll(of('a', 100));
  void dryRuns.runAll(of('a', 100));

  await expect(dryRuns.runAll([...of('b', 1), ...of('a', 101)])).rejects.toMatchObject({
    status: 429,
    message: '100 dry runs of namespace a wait, and at most 100 may: ask again later, or for fewer objects',
  });
  void dryRuns.runAll([...nodes, { key: 'routes', trigger: 'resync' }]);
  await end();
  await expect(dryRuns.runAll([{ key: 'node/100', trigger: 'resync' }])).rejects.toThrow(
    '100 dry runs of Nodes and routes wait',
  );
  void dryRuns.runAll([...of('a', 1)]);
  await end();
  expect(started).toEqual(['service/a/0', 'service/a/1', 'node/0']);
});
