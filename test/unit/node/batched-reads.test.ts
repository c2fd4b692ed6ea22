import { expect, test } from 'vitest';
import { newBatch } from '../../../shared/memory/memory.ts';
import { readTogether } from '../../../shared/node/observe/servers.ts';
import { NO_RUN } from '../../../shared/deadline.ts';

const KEPT_MS = 5_000;

/** A store of these, what it was asked, and a clock. */
function reading(...there: readonly string[]) {
  const asked: string[] = [];
  const time = { now: 1_000 };
  const valueOf = (id: string): string => `value of ${id}`;
  const reads = {
    one: (id: string) => {
      asked.push(`one ${id}`);
      return Promise.resolve(there.includes(id) ? valueOf(id) : undefined);
    },
    many: (ids: readonly string[]) => {
      asked.push(`many ${ids.join(' ')}`);
      return Promise.resolve(new Map(there.map((id) => [id, valueOf(id)])));
    },
  };
  const batch = newBatch<string>();
  const clock = { now: () => time.now };
  const readAll = (when: 'now' | 'lately', ...ids: readonly string[]) =>
    Promise.all(ids.map((id) => readTogether(id, when, { ...reads, batch, world: { clock } })));
  return { asked, time, reads, readAll };
}

test('what a list does not show is asked for by itself, and only that answer says that it is not there', async () => {
  const { asked, readAll } = reading('a', 'b');
  expect(await readAll('now', 'a', 'b', 'gone')).toEqual(['value of a', 'value of b', undefined]);
  expect(asked).toEqual(['many a b gone', 'one gone']);
});

test.each([
  ['lately', KEPT_MS - 1, []],
  ['lately', KEPT_MS, ['one d']],
  ['now', 0, ['one d']],
] as const)('%s, %d ms after a list: asked %j', async (when, later, then) => {
  const { asked, time, readAll } = reading('a', 'b', 'c', 'd');
  await readAll('lately', 'a', 'b', 'c');
  asked.length = 0;
  time.now += later;
  expect(await readAll(when, 'd')).toEqual(['value of d']);
  expect(asked).toEqual(then);
});

test('that it is not there is never taken from a list that was made before', async () => {
  const { asked, readAll } = reading('a', 'b', 'c');
  await readAll('lately', 'a', 'b', 'c');
  asked.length = 0;
  expect(await readAll('lately', 'new')).toEqual([undefined]);
  expect(asked).toEqual(['many new a b c', 'one new']);
});

test('a list that fails fails for all who wait for it, and is not kept', async () => {
  const { asked, reads, readAll } = reading('a', 'b', 'c');
  const { many } = reads;
  reads.many = () => Promise.reject(new Error('no answer'));
  await expect(readAll('lately', 'a', 'b', 'c')).rejects.toThrow('no answer');
  reads.many = many;
  expect(await readAll('lately', 'a')).toEqual(['value of a']);
  expect(asked).toEqual(['many a b c']);
});

test('a list that ended with the time of the run that began it is no answer for the others, which read by themselves', async () => {
  const { asked, reads } = reading('a', 'b', 'c');
  const batch = newBatch<string>();
  const run = { ...NO_RUN, remainingMs: () => 0 };
  const many = () => Promise.reject(new Error('cut by the end of the run'));
  const read = (id: string, world: object) =>
    readTogether(id, 'now', { ...reads, many, batch, world: { clock: { now: () => 0 }, ...world } });
  const found = await Promise.all([read('a', { run }), read('b', {}), read('c', {})]);
  expect([found, asked]).toEqual([
    ['value of a', 'value of b', 'value of c'],
    ['one a', 'one b', 'one c'],
  ]);
});
