import fc from 'fast-check';
import { expect, test } from 'vitest';
import { queueKeyOf, type Key, type Trigger } from '../../../shared/model/request.ts';
import { AGED_MS, ReadyKeys, type Free } from '../../../shared/queue/ready-keys.ts';
import { PRIORITY, type Priority } from '../../../shared/queue/scheduling.ts';

const ALL: Free = { key: () => true, turn: () => true };

interface Added {
  readonly cluster?: string;
  readonly key: Key;
  readonly trigger?: Trigger;
  readonly priority?: Priority;
  readonly sinceMs?: number;
}

function readyWith(...added: readonly Added[]): ReadyKeys {
  const ready = new ReadyKeys();
  for (const { trigger = 'audit', priority = PRIORITY[trigger], sinceMs = 0, ...named } of added)
    ready.put({ request: { ...named, trigger }, priority, sinceMs });
  return ready;
}

/** The keys in the order in which they are taken, with the trigger of each. */
function takeAll(ready: ReadyKeys, nowMs = 0): readonly string[] {
  const taken: string[] = [];
  for (let next = ready.take(ALL, nowMs); next; next = ready.take(ALL, nowMs))
    taken.push(`${next.request.trigger} ${next.request.key}`);
  return taken;
}

test('nearly done, people, events, sweep', () => {
  const ready = readyWith(
    { key: 'service/a/swept', trigger: 'sweep' },
    { key: 'service/a/touched', trigger: 'audit' },
    { key: 'service/a/asked', trigger: 'command' },
    { key: 'service/a/nearly', trigger: 'requeue', priority: 'finishing' },
  );

  expect(takeAll(ready)).toEqual([
    'requeue service/a/nearly',
    'command service/a/asked',
    'audit service/a/touched',
    'sweep service/a/swept',
  ]);
});

test('clusters take turns, however many namespaces they have, and within one namespaces do', () => {
  const ready = readyWith(
    ...['a', 'b', 'c'].map((namespace) => ({ cluster: 'busy', key: `service/${namespace}/1` }) as const),
    { cluster: 'busy', key: 'service/a/2' },
    { cluster: 'calm', key: 'service/a/1' },
    { cluster: 'calm', key: 'service/a/2' },
    { key: 'service/a/1' },
  );
  const taken: string[] = [];
  for (let next = ready.take(ALL, 0); next; next = ready.take(ALL, 0)) taken.push(queueKeyOf(next.request));

  expect(ready.size).toBe(0);
  expect(taken).toEqual([
    'busy:service/a/1',
    'calm:service/a/1',
    'service/a/1',
    'busy:service/b/1',
    'calm:service/a/2',
    'busy:service/c/1',
    'busy:service/a/2',
  ]);
});

test('the keys of one cluster go as those of a deployment that has one, and no cluster waits for more than one key of each other', () => {
  const keys = fc.constantFrom<Key>('service/a/1', 'service/a/2', 'service/b/1', 'node/n', 'routes');
  const added = fc.record({
    cluster: fc.constantFrom('one', 'two', 'three'),
    key: keys,
    trigger: fc.constantFrom<Trigger>('audit', 'sweep', 'command'),
    sinceMs: fc.constantFrom(0, AGED_MS),
  });
  const nowMs = AGED_MS + 1;
  fc.assert(
    fc.property(fc.array(added, { maxLength: 20 }), fc.constantFrom(0, nowMs), (all, at) => {
      const alone = all.map(({ key, trigger, sinceMs }) => ({ key, trigger, sinceMs }));
      const named = alone.map((rest) => ({ ...rest, cluster: 'one' }));
      expect(takeAll(readyWith(...named), at)).toEqual(takeAll(readyWith(...alone), at));

      const alike = all.map(({ cluster, key }) => ({ cluster, key }));
      const ready = readyWith(...alike);
      const left = new Map<string, Set<Key>>();
      for (const { cluster, key } of alike) left.set(cluster, (left.get(cluster) ?? new Set()).add(key));
      const taken = new Map([...left.keys()].map((cluster) => [cluster, 0]));
      for (let next = ready.take(ALL, 0); next; next = ready.take(ALL, 0)) {
        const { cluster = '', key } = next.request;
        taken.set(cluster, (taken.get(cluster) ?? 0) + 1);
        left.get(cluster)?.delete(key);
        const waiting = [...left].filter(([, keys]) => keys.size > 0).map(([name]) => taken.get(name) ?? 0);
        if (waiting.length > 0)
          expect(Math.max(...taken.values()) - Math.min(...waiting)).toBeLessThanOrEqual(1);
      }
      expect(ready.size).toBe(0);
    }),
  );
});

test('namespaces take turns, and within one the order stays', () => {
  const ready = readyWith(
    { key: 'service/a/1' },
    { key: 'service/a/2' },
    { key: 'service/a/3' },
    { key: 'node/worker' },
    { key: 'service/b/1' },
    { key: 'service/b/2' },
  );

  expect(takeAll(ready)).toEqual(
    ['service/a/1', 'node/worker', 'service/b/1', 'service/a/2', 'service/b/2', 'service/a/3'].map(
      (key) => `audit ${key}`,
    ),
  );
});

test('a key that is added again keeps its place and its age, and the request that says most', () => {
  const ready = readyWith(
    { key: 'service/a/nearly', trigger: 'requeue', priority: 'finishing' },
    { key: 'service/a/1' },
    { key: 'service/a/2' },
    { key: 'service/a/1', trigger: 'sweep', sinceMs: 500 },
    { key: 'service/a/nearly', trigger: 'resync', sinceMs: 500 },
  );

  expect([ready.size, ready.oldestSinceMs()]).toEqual([3, 0]);
  expect(takeAll(ready)).toEqual(['resync service/a/nearly', 'audit service/a/1', 'audit service/a/2']);
});

test('what has waited too long gets every other place, in turns of the namespaces', () => {
  const ready = readyWith(
    { key: 'service/a/old-1', trigger: 'sweep' },
    { key: 'service/a/old-2', trigger: 'sweep' },
    { key: 'service/b/old', trigger: 'sweep', sinceMs: 1 },
    { key: 'service/c/new-1', sinceMs: AGED_MS },
    { key: 'service/c/new-2', sinceMs: AGED_MS },
    { key: 'service/c/new-3', sinceMs: AGED_MS },
  );

  expect(takeAll(ready, AGED_MS + 2)).toEqual([
    'sweep service/a/old-1',
    'audit service/c/new-1',
    'sweep service/b/old',
    'audit service/c/new-2',
    'sweep service/a/old-2',
    'audit service/c/new-3',
  ]);
});

test('what may not run now holds up nothing behind it', () => {
  const ready = readyWith({ key: 'service/a/1' }, { key: 'service/a/2' }, { key: 'service/b/1' });

  expect(ready.take({ ...ALL, key: (key) => key !== 'service/a/1' }, 0)?.request.key).toBe('service/a/2');
  expect(ready.take({ ...ALL, turn: (turn) => turn !== 'a' }, 0)?.request.key).toBe('service/b/1');
  expect(ready.take({ ...ALL, turn: () => false }, 0)).toBeUndefined();
  expect(takeAll(ready)).toEqual(['audit service/a/1']);
});
