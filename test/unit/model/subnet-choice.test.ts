import { expect, test } from 'vitest';
import { chooseByName, chooseByTags, type Choice } from '../../../shared/model/text/subnet-choice.ts';

function chosen<T>(choice: Choice<T>, among: readonly T[]): readonly T[] | string {
  return 'allowed' in choice ? choice.allowed : among.filter(choice.matches);
}

const NAMES = ['public', 'public-1', 'public-2', 'private', 'a.b', 'axb', 'a,b}', 'a'];
const OTHERS = ['private', 'a.b', 'axb', 'a,b}', 'a'];
const inWords = (words: string) => expect.stringContaining(words) as string;

test.each<[string, readonly string[] | string]>([
  ['public', ['public']],
  ['public-*', ['public-1', 'public-2']],
  ['public-[12]', ['public-1', 'public-2']],
  ['public-[!1]', ['public-2']],
  ['{public,private}', ['public', 'private']],
  ['p*?c', ['public']],
  ['a?b', ['a.b', 'axb']],
  // a dot, a comma or a bracket in a glob is itself
  ['a.b', ['a.b']],
  ['a,b}', ['a,b}']],
  ['!public*', OTHERS],
  ['~public(-\\d)?', ['public', 'public-1', 'public-2']],
  ['~ub', []],
  ['!~public.*', OTHERS],
  ...['', '!', '~', '!~', '{a', '~(', '~a(?=b)'].map((text): [string, string] => [text, inWords('regular')]),
])('by name %j chooses %j', (text, names) => {
  expect(chosen(chooseByName(text), NAMES)).toEqual(names);
});

test.each<[string, readonly (readonly string[])[] | string]>([
  ['a', [['a'], ['a', 'b']]],
  ['b, c', [['a', 'b'], ['c']]],
  ['&a,b', [['a', 'b']]],
  ['!a,c', [[]]],
  ['!&a,b', [[], ['a'], ['c']]],
  ...['', '!', '&', 'a,,b', '!&'].map((text): [string, string] => [text, inWords('tags with commas')]),
])('by tags %j chooses %j', (text, subnets) => {
  expect(chosen(chooseByTags(text), [[], ['a'], ['a', 'b'], ['c']])).toEqual(subnets);
});
