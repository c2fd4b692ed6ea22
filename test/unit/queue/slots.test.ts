import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { MemorySlots, type Claimant } from '../../../shared/queue/slots.ts';

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

const CLOCK = { now: () => Date.now() };

/** Those that wait, with their flows, and who has been let in, in this order. */
function waiting(slots: MemorySlots, ...flows: readonly string[]) {
  const begun: number[] = [];
  const all = flows.map((flow, at) => ({ flow, begin: () => void begun.push(at) }));
  for (const claimant of all) if (!slots.take(claimant)) slots.wait(claimant);
  const claimant = (at: number): Claimant => all[at] ?? expect.fail(`nobody is the ${at}.`);
  return { claimant, begun };
}

test('a place that is free goes to the flow with the fewest, and within a flow to who waited longest', () => {
  const slots = new MemorySlots(2, CLOCK);
  const { claimant, begun } = waiting(slots, 'a', 'a', 'a', 'b', 'a', 'c');
  for (const at of [0, 3, 1, 5, 2]) slots.leave(claimant(at));
  expect(begun).toEqual([3, 5, 2, 4]);
});

test('one that is stuck holds up others for three minutes', async () => {
  const slots = new MemorySlots(1, CLOCK);
  const { begun } = waiting(slots, 'stuck', 'waits');
  await vi.advanceTimersByTimeAsync(179_000);
  expect(begun).toEqual([]);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(begun).toEqual([1]);
});
