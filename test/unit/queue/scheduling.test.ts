import fc from 'fast-check';
import { expect, test } from 'vitest';
import { retryAfterMs } from '../../../shared/http.ts';
import { ERRORS, type ErrorCode } from '../../../shared/model/errors.ts';
import { requeueDelayMs } from '../../../shared/queue/scheduling.ts';
import { failed, progressing, SETTLED } from './reports.ts';

const most = (): number => 0.999999;
const least = (): number => 0;

test('a settled or blocked key is not requeued', () => {
  expect(requeueDelayMs(SETTLED, 0, most)).toBeUndefined();
  expect(requeueDelayMs({ status: 'blocked', reason: 'bad annotation' }, 0, most)).toBeUndefined();
});

test('the longest delay doubles with each attempt up to 30 s', () => {
  const longest = [0, 1, 2, 3, 4, 5, 6, 50].map((attempt) => requeueDelayMs(failed(), attempt, most));
  expect(longest).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
});

test('a run that only ended early goes on at once, but not again and again', () => {
  expect([0, 1, 2].map((attempt) => requeueDelayMs(progressing(0), attempt, most))).toEqual([
    0, 2_000, 4_000,
  ]);
});

test('a run that names a delay is never requeued earlier, even when that is longer than 30 s', () => {
  expect(requeueDelayMs(progressing(3_000), 0, least)).toBe(3_000);
  expect(requeueDelayMs(failed(90_000), 4, most)).toBe(90_000);
});

test('a failure that only an operator can mend is requeued with delays of up to five minutes', () => {
  const unauthorized = { ...failed(), code: 'UNAUTHORIZED' } as const;
  const longest = [0, 1, 2, 4, 6, 8, 9, 50].map((attempt) => requeueDelayMs(unauthorized, attempt, most));
  expect(longest).toEqual([1_000, 2_000, 4_000, 16_000, 64_000, 256_000, 300_000, 300_000]);
});

test('whatever anybody asks for, a delay is at most five minutes', () => {
  const asked = fc.oneof(fc.double({ noNaN: true }), fc.integer(), fc.constant(Infinity));
  const codes = fc.constantFrom(...(Object.keys(ERRORS) as ErrorCode[]));
  fc.assert(
    fc.property(
      asked,
      codes,
      fc.nat(100),
      fc.double({ min: 0, max: 0.99, noNaN: true }),
      (ms, code, nth, lot) => {
        const delays = [{ ...failed(ms), code }, progressing(ms)].map((one) =>
          requeueDelayMs(one, nth, () => lot),
        );
        for (const delay of delays) {
          expect(delay).toBeGreaterThanOrEqual(0);
          expect(delay).toBeLessThanOrEqual(300_000);
        }
      },
    ),
  );
});

test('whatever the header Retry-After says, it is no more than five minutes', () => {
  const header = fc.oneof(
    fc.string(),
    fc.bigInt({ min: 0n }).map(String),
    fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
  );
  fc.assert(
    fc.property(header, (text) => {
      const ms = retryAfterMs(text) ?? 0;
      expect(ms).toBeGreaterThanOrEqual(0);
      expect(ms).toBeLessThanOrEqual(300_000);
    }),
  );
  expect(['0', '120', '3600', '99999999999'].map((text) => retryAfterMs(text))).toEqual([
    0, 120_000, 300_000, 300_000,
  ]);
});
