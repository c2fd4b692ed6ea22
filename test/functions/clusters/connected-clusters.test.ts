/** What becomes of clusters whose entries come, change and go while others, or their own runs, take their time. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ConnectedClusters } from '../../../functions/clusters/connected-clusters.ts';
import type { Connected } from '../../../functions/world.ts';
import type { Entry, EntryReading } from '../../../shared/clusters/entry.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const NO_TOKENS = { auditTokens: [], resyncTokens: [], pageTokens: [] };
const passes = (ms = 10): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

/** Clusters of which `slow` ones end when `lasting` is resolved. */
function world() {
  const readings = new Map<string, EntryReading>();
  /** Which cluster an entry leads to; none: it does not answer. */
  const uids = new Map<string, string>();
  const lasting = Promise.withResolvers<undefined>();
  const slow = new Set<string>();
  /** Entries with which nothing can be begun. */
  const unfit = new Set<string>();
  const begun: string[] = [];
  const told: (readonly string[])[] = [];
  const note = (_message: string, fields?: { readonly problems?: readonly string[] }): void => {
    if (fields?.problems) told.push(fields.problems);
  };
  const registry = { isAway: false };
  const answer = <T>(from: () => T): Promise<T> =>
    registry.isAway ? Promise.reject(new Error('it is away')) : Promise.resolve(from());
  const clusters = new ConnectedClusters<{ readonly name: string; stop(): Promise<void> }>({
    registry: {
      names: () => answer(() => [...readings.keys()].sort()),
      read: (name) => answer(() => readings.get(name)),
    },
    connect: ({ name }) => {
      let id = uids.get(name);
      const cluster = () => {
        id ??= uids.get(name);
        return id === undefined ? Promise.reject(new Error('no answer')) : Promise.resolve({ id, name });
      };
      return Promise.resolve({ cluster, id: () => id } as unknown as Connected);
    },
    begin: ({ name }, connected) => {
      const id = (connected as unknown as { readonly id: () => string }).id();
      if (unfit.has(name)) return Promise.reject(new Error('nothing can be begun'));
      begun.push(`${name} as ${id}`);
      const stop = async (): Promise<void> => {
        if (slow.has(id)) await lasting.promise;
      };
      return Promise.resolve({ name, stop });
    },
    log: { debug: note, info: note, warn: note, error: note },
  });
  /** The entry with other settings than before. `named`: its text `uid`. */
  const put = (name: string, uid?: string, problems: readonly string[] = [], named?: string): void => {
    if (uid === undefined) uids.delete(name);
    else uids.set(name, uid);
    const settings = { flags: {}, env: {}, warnings: [], ...(named !== undefined && { uid: named }) };
    const entry: Entry = { name, settings, tokens: NO_TOKENS };
    readings.set(name, { entry, problems });
  };
  return { clusters, registry, readings, uids, put, slow, unfit, lasting, begun, told };
}

test('of an entry that has just gone the tokens open nothing, and the end of the process waits for the last run of its cluster', async () => {
  const { clusters, readings, put, slow, lasting } = world();
  put('a', 'one');
  slow.add('one');
  await clusters.look();
  expect(clusters.entryOf('a')).toBeDefined();
  readings.delete('a');
  await clusters.look();
  expect(clusters.entryOf('a')).toBeUndefined();
  const stopped = vi.fn<() => void>();
  void clusters.stop().then(stopped);
  await passes();
  expect(stopped).not.toHaveBeenCalled();
  lasting.resolve(undefined);
  await passes();
  expect(stopped).toHaveBeenCalled();
});

const ENDS = ['its entry goes', 'the process ends'];

test.each(ENDS)('nothing begins for a cluster when %s while what served it before ends', async (what) => {
  const { clusters, readings, put, slow, lasting, begun } = world();
  put('a', 'one');
  slow.add('one');
  await clusters.look();
  put('a', 'two');
  void clusters.look();
  await passes(1_000);
  if (what === 'the process ends') void clusters.stop();
  else {
    readings.delete('a');
    await clusters.look();
  }
  await passes();
  lasting.resolve(undefined);
  await passes();
  expect(clusters.get('a')).toBeUndefined();
  expect(begun).toEqual(['a as one']);
});

const sameCluster = (name: string, other: string): string =>
  `${name}: its kube-apiserver says that it is the cluster of the entry ${other}: remove one of the two entries, or give each its uid`;

test('a cluster stays that of the entry that was served first, whatever the other one is called, while that entry is there', async () => {
  const { clusters, readings, put, uids, begun } = world();
  put('b', 'one');
  await clusters.look();
  put('a', 'one');
  await clusters.look();
  expect(clusters.problemsOf('a')).toEqual([sameCluster('a', 'b')]);
  readings.set('b', { problems: ['b: kubeconfig is missing'] }); // nothing is served for it, and its cluster is nobody else’s
  await clusters.look();
  expect(clusters.get('b')).toBeUndefined();
  put('b');
  await clusters.look();
  expect(clusters.get('a')).toBeUndefined();
  uids.set('b', 'two'); // another cluster is its own by now
  await passes(2_000);
  await clusters.look();
  await clusters.look();
  expect(begun).toEqual(['b as one', 'b as two', 'a as one']);
  expect([...clusters.problemsOf('a'), ...clusters.problemsOf('b')]).toEqual([]);
});

test('after a restart a cluster is that of the entry that names its UID, and of none where two do', async () => {
  const { clusters, put, begun, readings } = world();
  put('a', 'one');
  put('b', 'one', [], 'one');
  put('c', 'two', [], 'one');
  put('d', 'three', [], 'three');
  put('e', 'three', [], 'three');
  await clusters.look();
  expect(begun).toEqual([]);
  expect(clusters.problemsOf('c')).toEqual([
    'c: the kube-apiserver has not said which cluster it is: its namespace kube-system has the UID two, and uid of the entry is another one',
  ]);
  for (const name of ['c', 'e']) readings.delete(name);
  await clusters.look();
  await clusters.look();
  expect(begun.sort()).toEqual(['b as one', 'd as three']);
  expect(clusters.problemsOf('a')).toEqual([sameCluster('a', 'b')]);
});

test('what is wrong with an entry is named while the last runs of its cluster take their time', async () => {
  const { clusters, readings, put, slow, told } = world();
  put('a', 'one');
  slow.add('one');
  await clusters.look();
  readings.set('a', { problems: ['a: kubeconfig is missing'] });
  void clusters.look();
  await passes(1_000);
  expect(clusters.idle).toBe(false);
  expect(clusters.problemsOf('a')).toEqual(['a: kubeconfig is missing']);
  expect(told).toEqual([['a: kubeconfig is missing']]);
});

test('what is wrong is told once while a kube-apiserver does not answer, and no more when it was mended', async () => {
  const { clusters, put, readings, told } = world();
  put('a', undefined, ['a: a token is short']);
  const unanswered = 'a: the kube-apiserver has not said which cluster it is: no answer';
  for (let i = 0; i < 3; i += 1) {
    await clusters.look();
    expect(clusters.problemsOf('a')).toEqual(['a: a token is short', unanswered]);
  }
  expect(told).toHaveLength(1);
  const { entry } = readings.get('a') ?? {};
  readings.set('a', { ...(entry && { entry }), problems: [] });
  await clusters.look();
  expect(clusters.problemsOf('a')).toEqual([unanswered]);
});

test('an entry with which nothing was ever begun keeps its cluster from no other one', async () => {
  const { clusters, put, unfit, begun } = world();
  unfit.add('a');
  put('a', 'one');
  await clusters.look();
  expect(clusters.problemsOf('a')).toEqual(['a: nothing can be begun']);
  put('b', 'one');
  await clusters.look();
  await passes(2_000);
  await clusters.look();
  expect(clusters.problemsOf('a')).toEqual([sameCluster('a', 'b')]);
  expect(begun).toEqual(['b as one']);
});

test('a cluster that did not answer is asked again while the registry cannot be read', async () => {
  const { clusters, uids, put, registry } = world();
  put('a');
  put('b', 'two');
  await clusters.look();
  expect(clusters.get('a')).toBeUndefined();
  registry.isAway = true;
  uids.set('a', 'one');
  await passes(2_000);
  await clusters.look();
  expect(clusters.get('a')).toBeDefined();
  expect(clusters.get('b')).toBeDefined();
  for (const name of ['a', 'b']) expect(clusters.problemsOf(name)).toEqual([]);
});
