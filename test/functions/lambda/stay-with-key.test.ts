/** For how long the worker stays with a key, and how it is left, in virtual time. */
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { stayWithKey, type Left } from '../../../functions/lambda/stay-with-key.ts';
import type { Outcome } from '../../../shared/model/outcome.ts';
import type { ReconcileRequest } from '../../../shared/model/request.ts';
import { aReport, failed, progressing, SETTLED } from '../../unit/queue/reports.ts';

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

const WEB: ReconcileRequest = { key: 'service/shop/web', trigger: 'audit' };
const BLOCKED: Outcome = { status: 'blocked', reason: 'no' };
const BUSY: Outcome = { status: 'progressing', reason: '', retryAfterMs: 1_000, waitingFor: 'lb-1' };
const LOCKED = progressing(1_000);
const THROWN = 'thrown';

/** The times of the runs, and how the key was left after so many milliseconds. */
async function stay(answers: readonly (Outcome | typeof THROWN)[], timeMs = 60_000) {
  const at: number[] = [];
  const began = Date.now();
  let left: Left | undefined;
  void stayWithKey(WEB, 0, {
    time: { remainingMs: () => Math.max(0, began + timeMs - Date.now()) },
    random: () => 0.999_999,
    run: (request) => {
      at.push(Date.now() - began);
      const answer = answers[at.length - 1] ?? answers.at(-1) ?? SETTLED;
      return answer === THROWN
        ? Promise.reject(new Error(THROWN))
        : Promise.resolve(aReport(request, answer));
    },
  }).then((end) => (left = end));
  await vi.advanceTimersByTimeAsync(timeMs);
  return { at, left };
}

test.each<[string, readonly (Outcome | typeof THROWN)[], Left, number]>([
  ['settled', [SETTLED], 'done', 1],
  ['blocked', [LOCKED, BLOCKED], 'done', 2],
  ['failed three times', [failed()], 'failed', 3],
  ['rejected three times', [THROWN], 'failed', 3],
  [
    'failed twice, went on, and failed twice more',
    [failed(), failed(), LOCKED, THROWN, failed(), SETTLED],
    'done',
    6,
  ],
])('a key that is %s is left at once', async (_what, answers, left, runs) => {
  const stayed = await stay(answers);
  expect([stayed.left, stayed.at.length]).toEqual([left, runs]);
});

test('a failure is tried after 1 and 2 s', async () => {
  expect((await stay([failed()])).at).toEqual([0, 1_000, 3_000]);
});

test.each([
  ['busy', BUSY],
  ['waiting', LOCKED],
] as const)(
  'a key that is %s when the time ends is left so, and no run begins in its last 8 s',
  async (left, answer) => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 60_000 }), async (timeMs) => {
        const stayed = await stay([answer], timeMs);
        expect(stayed.at.slice(1).every((at) => at <= timeMs - 8_000 + 250)).toBe(true);
        expect([undefined, left]).toContain(stayed.left);
        if (timeMs > 1_000) expect(stayed.left).toBe(left);
      }),
      { numRuns: 30 },
    );
  },
);
