import { describe, expect, it } from 'vitest';
import { NotAllowed, parseGoDuration, refusalOf, serviceAccount } from '../../../shared/config/read-value.ts';

it.each([
  ['0', 0],
  ['5s', 5_000],
  ['+5s', 5_000],
  ['1h2m3s4ms', 3_723_004],
  ['1.5h', 5_400_000],
  ['.5m', 30_000],
  ['1.s', 1_000],
  ['2000us', 2],
  ['2000µs', 2],
  ['', undefined],
  ['5', undefined],
  ['s', undefined],
  ['-5s', undefined],
  ['5 s', undefined],
  ['5s ', undefined],
  ['1d', undefined],
  ['.s', undefined],
])('parseGoDuration %j', (text, expected) => {
  expect(parseGoDuration(text)).toBe(expected);
});

describe('serviceAccount', () => {
  it.each(['levelset/levelset', 'a/b.c-d'])('%j', (text) => {
    expect(serviceAccount(text)).toBe(text);
  });

  it.each(['levelset', '/levelset', 'a/', 'a/b/c', 'A/b', 'system:serviceaccount:a:b', ''])(
    '%j is refused',
    (text) => {
      expect(serviceAccount(text)).toMatchObject({
        allowed: expect.stringContaining('NAMESPACE/NAME') as string,
      });
    },
  );
});

it('a refusal shows nothing of the value, and of a list where the wrong items stand', () => {
  const value = 'https://me:secret@one, two ftp://me:se:cret@two';
  const refuse = (...items: string[]) => refusalOf('--urls', value, new NotAllowed('URLs', items));
  expect(refuse()).toBe('--urls has a value that is not allowed: give URLs');
  expect(refuse('two', 'ftp://me:se:cret@two')).toBe(
    '--urls has a value that is not allowed (items 2, 3): give URLs',
  );
  expect(refusalOf('--urls', undefined, new NotAllowed('URLs'))).toBe('--urls has no value: give URLs');
});
