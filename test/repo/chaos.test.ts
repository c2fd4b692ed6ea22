/** What chaos on the lab rests on: a script that its seed gives, and a comparison that sees, and knows nothing of the program. */
import { expect, test } from 'vitest';
import { comparePictures } from '../e2e/chaos/picture.ts';
import { scriptOf } from '../e2e/chaos/script.ts';
import { filesOf, textOf } from './files.ts';

test('the same seed gives the same script, another one another, and more minutes more of it', () => {
  expect(scriptOf(1, 5)).toEqual(scriptOf(1, 5));
  expect(scriptOf(1, 5)).not.toEqual(scriptOf(2, 5));
  const [short, long] = [5, 30].map((minutes) => scriptOf(1, minutes));
  expect(long?.users.length).toBe(6 * (short?.users.length ?? 0));
  for (const { at } of short?.operators ?? []) expect(at).toBeLessThanOrEqual(300_000);
});

test('a comparison tells what is missing, what differs, and what nobody asked for', () => {
  const asked = new Map([
    ['pool tcp/80', { lb_algorithm: 'ROUND_ROBIN', members: ['a'] }],
    ['floating IP', { status: 'ACTIVE' }],
  ]);
  const found = new Map([
    ['pool tcp/80', { lb_algorithm: 'SOURCE_IP', members: ['a'], more: 'of the server' }],
    ['listener tcp/81', {}],
  ]);
  expect(comparePictures('web', asked, asked)).toEqual({ attributes: 3, differences: [] });
  expect(comparePictures('web', asked, found).differences).toEqual([
    'web: pool tcp/80 lb_algorithm is "SOURCE_IP", not "ROUND_ROBIN"',
    'web: floating IP is missing',
    'web: listener tcp/81 is there, and nothing asks for it',
  ]);
});

test('what says what has to be there takes nothing but types from the program', () => {
  const files = filesOf('test/e2e/chaos/*.ts');
  expect(files.length).toBeGreaterThan(8);
  const taken = files.flatMap((path) => [
    ...textOf(path).matchAll(/^import (?!type )[^;]*from '[./]*\/(?:shared|functions)\/[^;]*;$/gm),
  ]);
  expect(taken.map(([line]) => line)).toEqual([]);
});
