import { describe, expect, test } from 'vitest';
import { authorize, authorizeReader } from '../../../shared/trigger/authorize.ts';

const TOKENS = ['old-token', 'new:token'];

function basic(text: string): string {
  return `Basic ${Buffer.from(text).toString('base64')}`;
}

describe('authorize', () => {
  test.each(['Bearer old-token', 'bearer new:token', 'Bearer   old-token '])('lets %j in', (header) => {
    expect(authorize(header, TOKENS)).toBe(true);
  });

  test.each([
    undefined,
    '',
    'Bearer',
    'Bearer ',
    'Bearer old-toke',
    'Bearer old-token2',
    'Bearer old-token new:token',
    'old-token',
    'Digest bearer old-token',
    basic('x:old-token'),
  ])('refuses %j', (header) => {
    expect(authorize(header, TOKENS)).toBe(false);
  });

  test('without tokens, or with an empty one, nobody comes in', () => {
    expect(authorize('Bearer x', [])).toBe(false);
    expect(authorize('Bearer ', [''])).toBe(false);
    expect(authorizeReader(basic('x:'), [''])).toBe(false);
  });
});

describe('authorizeReader', () => {
  test('takes a token as the password of Basic, colons and all, or as Bearer', () => {
    expect(authorizeReader(basic('anyone:new:token'), TOKENS)).toBe(true);
    expect(authorizeReader('Bearer new:token', TOKENS)).toBe(true);
  });

  test.each([undefined, basic('old-token'), basic('old-token:'), basic('x:wrong'), 'Basic !!!'])(
    'refuses %j',
    (header) => {
      expect(authorizeReader(header, TOKENS)).toBe(false);
    },
  );
});
