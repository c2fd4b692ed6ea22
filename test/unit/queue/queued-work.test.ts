import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  bodyOf,
  deduplicationId,
  groupId,
  readMessage,
  type QueuedWork,
} from '../../../shared/queue/queued-work.ts';

const WORK: QueuedWork = {
  request: { key: 'service/shop/web', trigger: 'audit', cause: 'audit-1' },
  busySinceMs: 1_700_000_000_000,
};

test('what is written is read again', () => {
  expect(readMessage(bodyOf(WORK))).toEqual(WORK);
  expect(readMessage('{"request":{"key":"all","trigger":"resync"}}')).toEqual({
    request: { key: 'all', trigger: 'resync' },
  });
});

const OF_A_CLUSTER: QueuedWork = { ...WORK, request: { ...WORK.request, cluster: 'prod-a' } };

test('a message has its version and the name of its cluster', () => {
  expect(bodyOf(WORK)).toBe(
    '{"version":3,"request":{"key":"service/shop/web","trigger":"audit","cause":"audit-1"},"busySinceMs":1700000000000}',
  );
  expect(readMessage(bodyOf(OF_A_CLUSTER))).toEqual(OF_A_CLUSTER);
});

test('one key of two clusters is in two groups, and one event about both is two', () => {
  const sibling: QueuedWork = { ...WORK, request: { ...WORK.request, cluster: 'prod-b' } };
  const all = [WORK, OF_A_CLUSTER, sibling];
  expect(all.map(groupId)).toEqual([
    'service/shop/web',
    'prod-a:service/shop/web',
    'prod-b:service/shop/web',
  ]);
  const inGroup = all.map((work) => ({ ...work, request: { ...work.request, inGroup: true } }));
  expect(inGroup.map(groupId)).toEqual(['sharing', 'prod-a:sharing', 'prod-b:sharing']);
  expect(readMessage(bodyOf(inGroup[1] ?? WORK))).toEqual(inGroup[1]);
  expect(new Set(all.map(deduplicationId)).size).toBe(3);
});

test('a field that this program does not know is ignored, a version that it does not know is not', () => {
  const { request } = WORK;
  expect(readMessage(JSON.stringify({ version: 1, ...WORK, colour: 'red' }))).toEqual(WORK);
  expect(readMessage(JSON.stringify({ version: 4, request }))).toEqual({
    unreadable: 'it is of version 4, this program reads up to 3',
  });
  expect(readMessage(JSON.stringify({ version: 'next', request }))).toHaveProperty('unreadable');
});

test.each([
  ['no JSON', 'service/shop/web'],
  ['null', 'null'],
  ['no request', '{"version":3}'],
  ['a key that is none', '{"request":{"key":"pod/shop/web","trigger":"audit"}}'],
  ['a cluster that is none', '{"version":2,"request":{"key":"all","cluster":"a:b","trigger":"audit"}}'],
  ['a cluster that is no text', '{"version":2,"request":{"key":"all","cluster":7,"trigger":"audit"}}'],
  ['a trigger that is none', '{"request":{"key":"all","trigger":"toString"}}'],
])('%s is not work', (_name, body) => {
  expect(readMessage(body)).toEqual({ unreadable: expect.any(String) as string });
});

test('no text makes the reader throw', () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => void readMessage(text)));
});

test('a group id is the key, or a hash where SQS allows no more than 128 characters', () => {
  const long: QueuedWork = {
    request: { key: `service/${'n'.repeat(63)}/${'s'.repeat(63)}`, trigger: 'audit' },
  };
  expect(groupId(WORK)).toBe('service/shop/web');
  expect(groupId(long)).toMatch(/^[0-9a-f]{64}$/);
});

test('the same event is the same for SQS, another event or another key is not, and no cause is always new', () => {
  const other: QueuedWork = { ...WORK, request: { ...WORK.request, cause: 'audit-2' } };
  const sibling: QueuedWork = { ...WORK, request: { ...WORK.request, key: 'service/shop/api' } };
  const nameless: QueuedWork = { request: { key: 'all', trigger: 'sweep' } };
  expect(deduplicationId({ request: WORK.request })).toBe(deduplicationId(WORK));
  const ids = [WORK, other, sibling, nameless, nameless].map(deduplicationId);
  expect(new Set(ids).size).toBe(5);
});
