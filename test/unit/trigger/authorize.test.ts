import { expect, test } from 'vitest';
import { authorize, authorizeReader } from '../../../shared/trigger/authorize.ts';

const TOKENS = ['old-token', 'new:token'];
const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

// prettier-ignore
test.each<[who: string, headers: readonly (string | undefined)[], sends: boolean, reads: boolean]>([
  ['with a token', ['Bearer old-token', 'bearer new:token', 'Bearer   old-token '], true, true],
  ['with a token as the password of Basic, colons and all', [basic('x:old-token'), basic('anyone:new:token')], false, true],
  ['without one', [undefined, '', 'Bearer', 'Bearer ', 'old-token', 'Digest bearer old-token'], false, false],
  ['with another one', ['Bearer old-toke', 'Bearer old-token2', 'Bearer old-token new:token', basic('x:wrong')], false, false],
  ['with no password', [basic('old-token'), basic('old-token:'), 'Basic !!!'], false, false],
])('who comes in: %s', (_, headers, sends, reads) => {
  for (const header of headers)
    expect([header, authorize(header, TOKENS), authorizeReader(header, TOKENS)]).toEqual([header, sends, reads]);
});

test('without tokens, or with an empty one, nobody comes in', () => {
  expect(authorize('Bearer x', [])).toBe(false);
  expect(authorize('Bearer ', [''])).toBe(false);
  expect(authorizeReader(basic('x:'), [''])).toBe(false);
});
