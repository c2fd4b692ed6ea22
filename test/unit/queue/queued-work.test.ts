import { expect, test } from 'vitest';
import {
  bodyOf,
  deduplicationId,
  groupId,
  readMessage,
  type QueuedWork,
} from '../../../shared/queue/queued-work.ts';

const { request } = { request: { key: 'service/shop/web', trigger: 'audit', cause: 'audit-1' } } as const;
const WORK: QueuedWork = { request, busySinceMs: 1_700_000_000_000 };
const SHARED = { request: { ...request, cluster: 'prod-a', inGroup: true } };
const LONG = { request: { key: `service/${'n'.repeat(63)}/${'s'.repeat(63)}`, trigger: 'audit' } } as const;

test('a message has its version, and is read as it was written', () => {
  expect(bodyOf(WORK)).toBe(
    '{"version":3,"request":{"key":"service/shop/web","trigger":"audit","cause":"audit-1"},"busySinceMs":1700000000000}',
  );
  for (const work of [WORK, SHARED]) expect(readMessage(bodyOf(work))).toEqual(work);
});

test.each([
  ['no JSON', 'service/shop/web'],
  ['null', 'null'],
  ['no request', '{"version":3}'],
  ['a key that is none', '{"request":{"key":"pod/shop/web","trigger":"audit"}}'],
  ['a cluster that is none', '{"version":2,"request":{"key":"all","cluster":"a:b","trigger":"audit"}}'],
  ['a cluster that is no text', '{"version":2,"request":{"key":"all","cluster":7,"trigger":"audit"}}'],
  ['a trigger that is none', '{"request":{"key":"all","trigger":"toString"}}'],
  ['a version that is none', JSON.stringify({ version: 'next', request })],
  ['a version of a later program', JSON.stringify({ version: 4, request })],
])('%s is not work; a field that this program does not know is ignored', (_name, body) => {
  expect(readMessage(body)).toEqual({ unreadable: expect.any(String) as string });
  expect(readMessage(JSON.stringify({ version: 1, ...WORK, colour: 'red' }))).toEqual(WORK);
});

test.each<[QueuedWork, string]>([
  [WORK, 'service/shop/web'],
  [{ request: { ...request, cluster: 'prod-b' } }, 'prod-b:service/shop/web'],
  [{ request: { ...request, inGroup: true } }, 'sharing'],
  [SHARED, 'prod-a:sharing'],
  [LONG, expect.stringMatching(/^[0-9a-f]{64}$/) as string], // SQS allows no more than 128 characters
])('the group of %j is %s', (work, group) => {
  expect(groupId(work)).toEqual(group);
});

test('the same event is the same for SQS; another event, key or cluster is not, and no cause is always new', () => {
  const others = [
    { cause: 'audit-2' },
    { key: 'service/shop/api' },
    { cluster: 'prod-a' },
    { cluster: 'prod-b' },
  ];
  const nameless: QueuedWork = { request: { key: 'all', trigger: 'sweep' } };
  const different = [...others.map((more) => ({ request: { ...request, ...more } })), nameless, nameless];
  expect(deduplicationId({ request })).toBe(deduplicationId(WORK));
  const ids = [WORK, ...different].map((work) => deduplicationId(work as QueuedWork));
  expect(new Set(ids).size).toBe(7);
});
