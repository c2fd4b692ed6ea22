import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DrainingTimers } from '../../../functions/serve/draining-timers.ts';
import type { Key } from '../../../shared/model/request.ts';

const WEB = 'service/default/web';
let ready: Key[];
let timers: DrainingTimers;
beforeEach(() => {
  vi.useFakeTimers();
  ready = [];
  timers = new DrainingTimers((key) => ready.push(key));
});
afterEach(() => {
  vi.useRealTimers();
});

test('a key is requeued once, at the time that was named last', () => {
  timers.set(WEB, 1_000);
  timers.set(WEB, 5_000);
  vi.advanceTimersByTime(4_999);
  expect(ready).toEqual([]);
  vi.advanceTimersByTime(10_000);
  expect(ready).toEqual([WEB]);
});

test('it does not when nothing drains any more, nor after the end', () => {
  timers.set(WEB, 1_000);
  timers.set(WEB, undefined);
  timers.set('service/default/other', 1_000);
  timers.stop();
  vi.advanceTimersByTime(10_000);
  expect(ready).toEqual([]);
});
