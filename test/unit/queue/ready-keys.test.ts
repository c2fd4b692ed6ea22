import { expect, test } from 'vitest';
import type { Key, Trigger } from '../../../shared/model/request.ts';
import { AGED_MS, ReadyKeys, type Free } from '../../../shared/queue/ready-keys.ts';
import { PRIORITY, type Priority } from '../../../shared/queue/scheduling.ts';

const ALL: Free = { key: () => true, turn: () => true };

interface Added {
  readonly key: Key;
  readonly trigger?: Trigger;
  readonly priority?: Priority;
  readonly sinceMs?: number;
}

function readyWith(...added: readonly Added[]): ReadyKeys {
  const ready = new ReadyKeys();
  for (const { key, trigger = 'audit', priority = PRIORITY[trigger], sinceMs = 0 } of added)
    ready.put({ request: { key, trigger }, priority, sinceMs });
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
