import type { SQSRecord } from 'aws-lambda';
import { expect, test } from 'vitest';
import { groupRecords, type Group } from '../../../functions/lambda/groups.ts';
import type { QueuedWork } from '../../../shared/queue/queued-work.ts';
import { sqsRecord } from './sqs-record.ts';

const record = (id: string, name: string, more: Partial<QueuedWork> = {}): SQSRecord =>
  sqsRecord(id, {
    request: { key: `service/shop/${name}`, trigger: 'audit', cause: id },
    attempt: 0,
    ...more,
  });

const idsOf = ({ records }: Group): readonly string[] => records.map(({ messageId }) => messageId);

test('messages of one key are one run, and the newest says why', () => {
  const { groups } = groupRecords([record('1', 'a'), record('2', 'b'), record('3', 'a')]);

  expect(groups.map((group) => [group.work.request.key, group.work.request.cause, idsOf(group)])).toEqual([
    ['service/shop/a', '3', ['1', '3']],
    ['service/shop/b', '2', ['2']],
  ]);
});

test('one key of two clusters is two runs', () => {
  const of = (id: string, cluster: string): SQSRecord =>
    record(id, 'a', { request: { key: 'service/shop/a', cluster, trigger: 'audit' } });

  const { groups } = groupRecords([
    record('1', 'a'),
    of('2', 'prod-a'),
    of('3', 'prod-b'),
    of('4', 'prod-a'),
  ]);

  expect(groups.map((group) => [group.work.request.cluster, idsOf(group)])).toEqual([
    [undefined, ['1']],
    ['prod-a', ['2', '4']],
    ['prod-b', ['3']],
  ]);
});

test('a message that cannot be read holds up no other, not even of its own group', () => {
  const bad = { ...record('2', 'a'), body: 'what?' };

  const { groups, poison } = groupRecords([record('1', 'a'), bad, record('3', 'a'), record('4', 'b')]);

  expect(poison).toEqual([{ record: bad, reason: 'it names no object that this program knows' }]);
  expect(groups.map(idsOf)).toEqual([['1', '3'], ['4']]);
});

test('a change next to a requeued key is worked on at once', () => {
  const waiting = { attempt: 4, waitingFor: 'lb-1' };

  const [both] = groupRecords([record('1', 'a', waiting), record('2', 'a')]).groups;
  const [twice] = groupRecords([
    record('1', 'a', waiting),
    record('2', 'a', { ...waiting, attempt: 6 }),
  ]).groups;

  expect(both?.work).toEqual({
    request: { key: 'service/shop/a', trigger: 'audit', cause: '2' },
    attempt: 0,
  });
  expect(twice?.work).toMatchObject(waiting);
});

test('news begins anew, and what a sweep found replaces no requeue', () => {
  const by = (id: string, trigger: 'audit' | 'requeue' | 'sweep', attempt: number): SQSRecord =>
    record(id, 'a', { request: { key: 'service/shop/a', trigger }, attempt });
  const kept = (...records: readonly SQSRecord[]): readonly unknown[] =>
    groupRecords(records).groups.map(({ work }) => [work.request.trigger, work.attempt]);

  expect(kept(by('1', 'audit', 0), by('2', 'requeue', 0))).toEqual([['audit', 0]]);
  expect(kept(by('1', 'requeue', 3), by('2', 'sweep', 0))).toEqual([['requeue', 3]]);
  expect(kept(by('1', 'requeue', 3), by('2', 'requeue', 2), by('3', 'requeue', 2))).toEqual([['requeue', 2]]);
});

test('a requeued key that waits gives way to one that need not', () => {
  const [group] = groupRecords([
    record('1', 'a', { attempt: 2, waitingFor: 'lb-1' }),
    record('2', 'a', { attempt: 5 }),
  ]).groups;

  expect(group?.work).toMatchObject({ attempt: 2 });
  expect(group?.work).not.toHaveProperty('waitingFor');
});
