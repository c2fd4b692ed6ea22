import { describe, expect, test } from 'vitest';
import { Answers, once } from '../../../shared/memory/answers.ts';

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
  test('on its way is the answer for all who ask meanwhile, even if nobody keeps it', async () => {
    const { read } = reading();
    expect(await Promise.all([read(0), read(0)])).toEqual([1, 1]);
    expect(await read(0)).toBe(2);
  });

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

  test('that was forgotten is read again', async () => {
    const { answers, read } = reading();
    await read(1_000);
    answers.forget('subnet');
    expect(await read(1_000)).toBe(2);
  });

  test('goes when too many others came after it', async () => {
    const { read } = reading(2);
    for (const key of ['a', 'b', 'c']) await read(1_000, key);
    expect([await read(1_000, 'c'), await read(1_000, 'a')]).toEqual([3, 4]);
  });
});

describe('a failure', () => {
  test('reaches all who wait for it, and is not kept', async () => {
    const answers = new Answers(10);
    const lifetime = { keepMs: 1_000, clock: { now: () => 0 } };
    const fail = (): Promise<number> => Promise.reject(new Error('no answer'));
    const failed = await Promise.allSettled([
      answers.read('subnet', lifetime, fail),
      answers.read('subnet', lifetime, fail),
    ]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await answers.read('subnet', lifetime, () => Promise.resolve(2))).toBe(2);
  });

  test('of a read that was forgotten meanwhile leaves the newer answer alone', async () => {
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
});

describe('once', () => {
  test('builds one thing for all who ask, also at the same time', async () => {
    let built = 0;
    const get = once(() => Promise.resolve((built += 1)));
    expect(await Promise.all([get(), get()])).toEqual([1, 1]);
    expect(await get()).toBe(1);
  });

  test('builds anew what failed, for the next who asks', async () => {
    let built = 0;
    const get = once(() => {
      built += 1;
      return built === 1 ? Promise.reject(new Error('not yet')) : Promise.resolve(built);
    });
    await expect(get()).rejects.toThrow('not yet');
    expect(await get()).toBe(2);
  });
});
