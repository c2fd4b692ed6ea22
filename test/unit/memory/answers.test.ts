import { describe, expect, test } from 'vitest';
import { Answers } from '../../../shared/memory/answers.ts';

/** A read that counts how often it was made, and a clock. */
function reading(most = 10) {
  const answers = new Answers(most);
  const time = { now: 0 };
  let made = 0;
  const ask = (): Promise<number> => Promise.resolve((made += 1));
  const read = (keepMs: number, key = 'subnet'): Promise<number> =>
    answers.read(key, { keepMs, clock: { now: () => time.now } }, ask);
  return { answers, time, read };
}

describe('an answer', () => {
  test('counts for its lifetime, and then no more', async () => {
    const { read, time } = reading();
    await read(1_000);
    time.now = 999;
    expect(await read(1_000)).toBe(1);
    time.now = 1_000;
    expect(await read(1_000)).toBe(2);
  });

  test('counts for as long as who asks says, whoever asked first', async () => {
    const { read, time } = reading();
    await read(300_000);
    time.now = 60_000;
    expect(await read(60_000)).toBe(2);
    time.now = 180_000;
    expect(await read(300_000)).toBe(2);
  });

  test('goes when too many others came after it', async () => {
    const { read } = reading(2);
    for (const key of ['a', 'b', 'c']) await read(1_000, key);
    expect([await read(1_000, 'c'), await read(1_000, 'a')]).toEqual([3, 4]);
  });
});

test('a failure of a read that was forgotten meanwhile leaves the newer answer alone', async () => {
  const answers = new Answers(10);
  const lifetime = { keepMs: 1_000, clock: { now: () => 0 } };
  let fail: (error: Error) => void = () => undefined;
  const old = answers.read('subnet', lifetime, () => new Promise((_, reject) => (fail = reject)));
  answers.forget('subnet');
  await answers.read('subnet', lifetime, () => Promise.resolve('newer'));
  fail(new Error('no answer'));
  await expect(old).rejects.toThrow('no answer');
  expect(await answers.read('subnet', lifetime, () => Promise.resolve('newest'))).toBe('newer');
});
