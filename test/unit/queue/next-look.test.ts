import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextLookMs } from '../../../shared/queue/next-look.ts';

/** How often one looks at what takes so long, each look `slackMs` late, and when its end is seen. */
function looks(tookMs: number, expectedMs?: number, slackMs = 0): { count: number; seenMs: number } {
  let [atMs, count] = [0, 0];
  do {
    // SQS knows whole seconds
    atMs += Math.ceil(nextLookMs(atMs, expectedMs) / 1_000) * 1_000 + slackMs;
    count += 1;
  } while (atMs < tookMs);
  return { count, seenMs: atMs };
}

const durations = fc.integer({ min: 1, max: 600_000 });

test('in whole seconds, too, an end is seen within 5 % or 2 s, whether or not the duration is known', () => {
  fc.assert(
    fc.property(durations, fc.boolean(), (tookMs, isKnown) => {
      const { seenMs } = looks(tookMs, isKnown ? tookMs : undefined);
      expect(seenMs).toBeLessThanOrEqual(Math.max(tookMs * 1.05, tookMs + 2_000));
    }),
  );
});

test('what takes longer than lately is seen as soon, and what takes less within a third', () => {
  fc.assert(
    fc.property(durations, durations, (tookMs, expectedMs) => {
      const share = tookMs < expectedMs ? 1.34 : 1.05;
      expect(looks(tookMs, expectedMs).seenMs).toBeLessThanOrEqual(Math.max(tookMs * share, tookMs + 2_000));
    }),
  );
});

test('a create of 40 s takes 40 looks where nothing is known, and 17 where the last one took as long', () => {
  expect(looks(40_000)).toEqual({ count: 40, seenMs: 40_000 });
  expect(looks(40_000, 40_000)).toEqual({ count: 17, seenMs: 40_000 });
  expect(looks(90_000, 90_000, 300).seenMs).toBeLessThan(94_000);
});
