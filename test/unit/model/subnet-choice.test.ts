import { describe, expect, test } from 'vitest';
import { chooseByName, chooseByTags, type Choice } from '../../../shared/model/text/subnet-choice.ts';

function chosen<T>(choice: Choice<T>, among: readonly T[]): readonly T[] | string {
  return 'allowed' in choice ? choice.allowed : among.filter(choice.matches);
}

describe('by name', () => {
  const NAMES = ['public', 'public-1', 'public-2', 'private', 'a.b'];
  test.each([
    ['public', ['public']],
    ['public-*', ['public-1', 'public-2']],
    ['public-[12]', ['public-1', 'public-2']],
    ['public-[!1]', ['public-2']],
    ['{public,private}', ['public', 'private']],
    ['p*?c', ['public']],
    ['a?b', ['a.b']],
    ['a.b', ['a.b']],
    ['!public*', ['private', 'a.b']],
    ['~public(-\\d)?', ['public', 'public-1', 'public-2']],
    ['~ub', []],
    ['!~public.*', ['private', 'a.b']],
  ])('%j', (text, names) => {
    expect(chosen(chooseByName(text), NAMES)).toEqual(names);
  });

  test('a dot, a comma or a bracket in a glob is itself', () => {
    expect(chosen(chooseByName('a.b'), ['axb'])).toEqual([]);
    expect(chosen(chooseByName('a,b}'), ['a,b}', 'a'])).toEqual(['a,b}']);
  });

  test.each(['', '!', '~', '!~', '{a', '~(', '~a(?=b)'])('%j is refused in words', (text) => {
    expect(chosen(chooseByName(text), ['a'])).toMatch(/regular expression/);
  });
});

describe('by tags', () => {
  const SUBNETS = [[], ['a'], ['a', 'b'], ['c']];
  test.each([
    ['a', [['a'], ['a', 'b']]],
    ['b, c', [['a', 'b'], ['c']]],
    ['&a,b', [['a', 'b']]],
    ['!a,c', [[]]],
    ['!&a,b', [[], ['a'], ['c']]],
  ])('%j', (text, subnets) => {
    expect(chosen(chooseByTags(text), SUBNETS)).toEqual(subnets);
  });

  test.each(['', '!', '&', 'a,,b', '!&'])('%j is refused in words', (text) => {
    expect(chosen(chooseByTags(text), SUBNETS)).toContain('tags with commas');
  });
});
