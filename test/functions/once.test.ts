import { expect, test } from 'vitest';
import { once } from '../../functions/lambda/once.ts';

test('it is built once for all who ask, also at the same time', async () => {
  let built = 0;
  const get = once(() => Promise.resolve((built += 1)));

  expect(await Promise.all([get(), get()])).toEqual([1, 1]);
  expect(await get()).toBe(1);
});

test('what failed to build is built anew by the next who asks', async () => {
  let built = 0;
  const get = once(() => {
    built += 1;
    return built === 1 ? Promise.reject(new Error('not yet')) : Promise.resolve(built);
  });

  await expect(get()).rejects.toThrow('not yet');
  expect(await get()).toBe(2);
});
