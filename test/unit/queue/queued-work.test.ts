import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  bodyOf,
  deduplicationId,
  groupId,
  readBody,
  type QueuedWork,
} from '../../../shared/queue/queued-work.ts';

const WORK: QueuedWork = {
  request: { key: 'service/shop/web', trigger: 'audit', cause: 'audit-1' },
  attempt: 3,
  waitingFor: 'lb-1',
  sinceMs: 1_700_000_000_000,
  operation: 'create',
};

test('what is written is read again', () => {
  expect(readBody(bodyOf(WORK))).toEqual(WORK);
  expect(readBody('{"request":{"key":"all","trigger":"resync"}}')).toEqual({
    request: { key: 'all', trigger: 'resync' },
    attempt: 0,
  });
});

const OF_A_CLUSTER: QueuedWork = { ...WORK, request: { ...WORK.request, cluster: 'prod-a' } };

test('a message of a cluster without a name is as it was before clusters had names', () => {
  expect(bodyOf(WORK)).toBe(
    '{"version":1,"request":{"key":"service/shop/web","trigger":"audit","cause":"audit-1"},' +
      '"attempt":3,"waitingFor":"lb-1","sinceMs":1700000000000,"operation":"create"}',
  );
});

test('a message has the name of its cluster, and an older program puts it aside', () => {
  expect(readBody(bodyOf(OF_A_CLUSTER))).toEqual(OF_A_CLUSTER);
  expect(JSON.parse(bodyOf(OF_A_CLUSTER))).toMatchObject({ version: 2, request: { cluster: 'prod-a' } });
});

test('one key of two clusters is in two groups, and one event about both is two', () => {
  const sibling: QueuedWork = { ...WORK, request: { ...WORK.request, cluster: 'prod-b' } };
  const all = [WORK, OF_A_CLUSTER, sibling];

  expect(all.map(groupId)).toEqual([
    'service/shop/web',
    'prod-a:service/shop/web',
    'prod-b:service/shop/web',
  ]);
  expect(new Set(all.map(deduplicationId)).size).toBe(3);
});

test('a field that this program does not know is ignored, a version that it does not know is not', () => {
  const { request } = WORK;

  expect(readBody(JSON.stringify({ version: 1, ...WORK, colour: 'red' }))).toEqual(WORK);
  expect(readBody(JSON.stringify({ version: 3, request, attempt: 3 }))).toEqual({
    unreadable: 'it is of version 3, this program reads up to 2',
  });
  expect(readBody(JSON.stringify({ version: 'next', request }))).toHaveProperty('unreadable');
});

test.each([
  ['no JSON', 'service/shop/web'],
  ['null', 'null'],
  ['no request', '{"attempt":1}'],
  ['a key that is none', '{"request":{"key":"pod/shop/web","trigger":"audit"}}'],
  ['a cluster that is none', '{"version":2,"request":{"key":"all","cluster":"a:b","trigger":"audit"}}'],
  ['a cluster that is no text', '{"version":2,"request":{"key":"all","cluster":7,"trigger":"audit"}}'],
  ['a trigger that is none', '{"request":{"key":"all","trigger":"toString"}}'],
])('%s is not work', (_name, body) => {
  expect(readBody(body)).toEqual({ unreadable: expect.any(String) as string });
});

test('no text makes the reader throw', () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => void readBody(text)));
});

test('a group id is the key, or a hash where SQS allows no more than 128 characters', () => {
  const long: QueuedWork = {
    request: { key: `service/${'n'.repeat(63)}/${'s'.repeat(63)}`, trigger: 'audit' },
    attempt: 0,
  };

  expect(groupId(WORK)).toBe('service/shop/web');
  expect(groupId(long)).toMatch(/^[0-9a-f]{64}$/);
});

test('the same event is the same for SQS, another event or another key is not, and no cause is always new', () => {
  const other: QueuedWork = { ...WORK, request: { ...WORK.request, cause: 'audit-2' } };
  const sibling: QueuedWork = { ...WORK, request: { ...WORK.request, key: 'service/shop/api' } };
  const nameless: QueuedWork = { request: { key: 'all', trigger: 'sweep' }, attempt: 0 };

  expect(deduplicationId({ ...WORK, attempt: 0 })).toBe(deduplicationId(WORK));
  const ids = [WORK, other, sibling, nameless, nameless].map(deduplicationId);
  expect(new Set(ids).size).toBe(5);
});
