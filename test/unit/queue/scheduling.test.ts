import { expect, test } from 'vitest';
import type { Outcome } from '../../../shared/model/outcome.ts';
import { requeueDelayMs } from '../../../shared/queue/scheduling.ts';
import { failed, progressing, SETTLED } from './reports.ts';

const UNAUTHORIZED = { ...failed(), code: 'UNAUTHORIZED' } as const;
const delaysOf = (outcome: Outcome, attempts: readonly number[], random = () => 0.999999) =>
  attempts.map((attempt) => requeueDelayMs(outcome, attempt, random));

// prettier-ignore
test.each<[string, (number | undefined)[], (number | undefined)[]]>([
  ['a settled or blocked key is not requeued', [...delaysOf(SETTLED, [0]), ...delaysOf({ status: 'blocked', reason: '' }, [0])], [undefined, undefined]],
  ['the longest delay doubles with each attempt up to 30 s', delaysOf(failed(), [0, 1, 2, 3, 4, 5, 50]), [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]],
  ['a run that only ended early goes on at once, but not again and again', delaysOf(progressing(0), [0, 1, 2]), [0, 2_000, 4_000]],
  ['a run that names a delay is never requeued earlier', delaysOf(progressing(3_000), [0], () => 0), [3_000]],
  ['a run that names a longer delay than 30 s is requeued then', delaysOf(failed(90_000), [4]), [90_000]],
  ['whatever anybody asks for, a delay is at most five minutes', [...delaysOf(failed(Infinity), [0]), ...delaysOf(progressing(1e12), [50])], [300_000, 300_000]],
  ['a failure that only an operator can mend is requeued after up to five minutes', delaysOf(UNAUTHORIZED, [0, 2, 8, 9, 50]), [1_000, 4_000, 256_000, 300_000, 300_000]],
])('%s', (_what, delays, expected) => {
  expect(delays).toEqual(expected);
});
