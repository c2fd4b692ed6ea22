import { expect, test } from 'vitest';
import { UnsettledObjects } from '../../../functions/metrics.ts';
import type { Outcome } from '../../../shared/model/outcome.ts';
import type { Key } from '../../../shared/model/request.ts';
import { PLAN, report } from '../../http/test-server.ts';

const PROGRESSING: Outcome = { status: 'progressing', reason: '', retryAfterMs: 0 };
const FAILED: Outcome = { status: 'failed', code: 'CLOUD_UNAVAILABLE', message: '', retryAfterMs: 0 };
const BLOCKED: Outcome = { status: 'blocked', reason: '' };
const SETTLED: Outcome = { status: 'settled' };

/** Runs that take no time, by their moment in milliseconds. */
function runs(key: Key = 'service/shop/web') {
  let nowMs = 0;
  const objects = new UnsettledObjects(() => nowMs);
  const ends = (atMs: number, outcome: Outcome, address?: string): number | undefined => {
    nowMs = atMs;
    const { plan: _, ...rest } = report({ key, trigger: 'audit' }, outcome);
    return objects.note({ ...rest, plan: PLAN, durationMs: 0, ...(address !== undefined && { address }) });
  };
  const failsEarly = (atMs: number): number | undefined => {
    nowMs = atMs;
    const { plan: _, ...rest } = report({ key, trigger: 'audit' }, FAILED);
    return objects.note({ ...rest, durationMs: 0 });
  };
  return { objects, ends, failsEarly };
}

test('a Service waits for its address from its first run on, failures included', () => {
  const { ends, failsEarly } = runs();
  expect(failsEarly(1_000)).toBeUndefined();
  expect(ends(5_000, PROGRESSING)).toBeUndefined();
  expect(ends(31_000, SETTLED, '192.0.2.1')).toBe(30_000);
  expect(ends(40_000, SETTLED, '192.0.2.1')).toBeUndefined();
});

test('one that had its address before an outage waits for none', () => {
  const { ends, failsEarly } = runs();
  failsEarly(0);
  expect(ends(60_000, PROGRESSING, '192.0.2.1')).toBeUndefined();
  expect(ends(61_000, SETTLED, '192.0.2.1')).toBeUndefined();
});

test('the time in which its owner has to act does not count', () => {
  const { ends } = runs();
  ends(0, BLOCKED);
  ends(100_000, PROGRESSING);
  expect(ends(120_000, SETTLED, '192.0.2.1')).toBe(20_000);
});

test('one that is deleted, a Node and a dry run wait for no address', () => {
  const deleted = runs();
  deleted.ends(0, PROGRESSING);
  expect(deleted.ends(1_000, SETTLED)).toBeUndefined();
  const node = runs('node/node-1');
  node.ends(0, PROGRESSING);
  expect(node.ends(1_000, SETTLED, '192.0.2.1')).toBeUndefined();
  const { objects } = runs();
  objects.note(report({ key: 'service/shop/web', trigger: 'resync', dryRun: true }, PROGRESSING));
  expect(objects.view().count.progressing).toBe(0);
});

test('an object is as old as its first run that was not settled, in whatever state, and blocked begins anew', () => {
  const { objects, ends } = runs('node/node-1');
  ends(0, PROGRESSING);
  ends(60_000, FAILED);
  expect(objects.view().oldestMs).toEqual({ progressing: 0, failed: 60_000, blocked: 0 });
  ends(70_000, BLOCKED);
  ends(80_000, BLOCKED);
  expect(objects.view()).toEqual({
    count: { progressing: 0, failed: 0, blocked: 1 },
    oldestMs: { progressing: 0, failed: 0, blocked: 10_000 },
  });
  ends(90_000, SETTLED);
  expect(objects.view().count).toEqual({ progressing: 0, failed: 0, blocked: 0 });
});
