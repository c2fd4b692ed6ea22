import { expect, test } from 'vitest';
import fc from 'fast-check';
import { linearPattern } from '../../../shared/model/text/linear-pattern.ts';

function matches(pattern: string, text: string): boolean | string {
  const read = linearPattern(pattern);
  return 'allowed' in read ? read.allowed : read.matches(text);
}

test.each([
  ['^public$', 'public', true],
  ['public-\\d+', 'public-12', true],
  ['x(-\\d+)?', 'x', true],
  ['a?b??', 'ab', true],
  ['[^x-z]\\.v[46]', 'a.v4', true],
  ['\\-\\_\\\\', '-_\\', true],
  ['(?i)Public', 'pUBLIC', true],
  ['größe.', 'größe😀', true],
  ['a.', 'a\n', false],
  ['a\\s', 'a\t', true],
  ['a\\s', 'a\u00a0', false],
  ['a[\\s-]', 'a\u00a0', false],
  ['a\\S', 'a\u00a0', true],
  ['a[^\\S]', 'a\u00a0', false],
])('the whole text matches or not, as in Go: %j on %j: %s', (pattern, text, expected) => {
  expect(matches(pattern, text)).toBe(expected);
});

const TOO_LARGE = ['a{999}', 'a'.repeat(257), '(a|b)'.repeat(50)];
const NESTED = '('.repeat(40) + '(a|b)'.repeat(20) + ')(a|b|c|d)'.repeat(9);

// prettier-ignore
test.each(['(', ')', 'a)', '[a', '[]', '*', 'a**', 'a{3,2}', '\\1', '(?=a)', '\\b', 'a^b', '(?P<n>a)', '[b-a]', '(ab)*', '(a+)+b', ...TOO_LARGE, NESTED])('%j is refused in words', (pattern) => {
  expect(matches(pattern, 'a')).toContain('a regular expression');
});

test('agrees with JavaScript on small patterns', () => {
  // prettier-ignore
  const part = fc.constantFrom(
    ...['a', 'b', '.', '[ab]', '[^ab]', '[a-b]', '(a|b)', '(?:a|b)', '(ab)?', 'a*', 'b+', 'a?', 'b??', '(a|)', '(|b)'],
    ...['a{1,2}', 'a{2}', 'b{1,}', '|', ''],
  );
  // six groups of two alternatives are 64 of them, which are refused as too large
  const isSmall = (parts: readonly string[]): boolean =>
    parts.filter((one) => one.startsWith('(')).length < 6;
  const pattern = fc
    .array(part, { maxLength: 6 })
    .filter(isSmall)
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(pattern, fc.stringMatching(/^[abc]{0,6}$/), (source, text) => {
      expect(matches(source, text)).toBe(new RegExp(`^(?:${source})$`, 'su').test(text));
    }),
  );
});

const SLOW = ['a*'.repeat(100) + 'b', 'a?'.repeat(30) + 'a'.repeat(30) + 'b', '.*a'.repeat(20) + 'b'];

test.each(SLOW)('what would hold JavaScript up for hours takes a moment: %j', (pattern) => {
  const start = performance.now();
  expect(matches(pattern, 'a'.repeat(255))).toBe(false);
  expect(performance.now() - start).toBeLessThan(500);
});
