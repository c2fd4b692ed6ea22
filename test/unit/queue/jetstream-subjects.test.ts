/** The names in NATS: those of a deployment with one cluster never change, and clusters have subjects of their own. */
import { expect, test } from 'vitest';
import type { ReconcileRequest } from '../../../shared/model/request.ts';
import { CONSUMERS, namesOf } from '../../../shared/queue/jetstream/layout.ts';

const names = namesOf('uid');

test.each([
  ['service/shop/web', 'audit', 'service-10.told.c2VydmljZS9zaG9wL3dlYg'],
  ['node/worker-1', 'resync', 'node-10.asked.bm9kZS93b3JrZXItMQ'],
  ['routes', 'sweep', 'routes-0.told.cm91dGVz'],
  ['all', 'sweep', 'sweep-0.told.YWxs'],
] as const)('%s by %s is where older programs look for it', (key, trigger, subject) => {
  const token = subject.split('.').at(-1) ?? '';

  expect(names.workSubject({ key, trigger })).toBe(`levelset.uid.work.${subject}`);
  expect(names.laterSubject({ key })).toBe(`levelset.uid.later.${token}`);
  expect(names.dueSubject({ key })).toBe(`levelset.uid.due.${token}`);
  expect(names.reportSubject({ key })).toBe(`levelset.uid.report.${token}`);
});

test('one key of two clusters has two subjects of each kind, in partitions that are there', () => {
  const of = (cluster?: string): ReconcileRequest => ({
    ...(cluster !== undefined && { cluster }),
    ...({ key: 'service/shop/web', trigger: 'audit' } as const),
  });
  const all = [of(), of('prod-a'), of('prod-b')];
  const subjects = all.flatMap((request) => [
    names.workSubject(request),
    names.laterSubject(request),
    names.dueSubject(request),
    names.reportSubject(request),
  ]);

  expect(new Set(subjects).size).toBe(12);
  for (const request of all) expect(CONSUMERS).toContain(names.workSubject(request).split('.')[3]);
});
