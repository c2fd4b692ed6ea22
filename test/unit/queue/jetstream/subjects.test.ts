/** The names in NATS: those of a deployment with one cluster never change, and clusters have subjects of their own. */
import { expect, test } from 'vitest';
import type { Key, ReconcileRequest } from '../../../../shared/model/request.ts';
import { clusterOwner, deploymentOwner, namesOf } from '../../../../shared/queue/jetstream/layout.ts';

const names = namesOf(clusterOwner('uid'));

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

test('a deployment with several clusters has as many streams and consumers as one, whatever clusters it has', () => {
  const its = namesOf(deploymentOwner('fleet'));

  expect([its.work, its.later, its.dead]).toEqual([
    'levelset-work-fleet',
    'levelset-later-fleet',
    'levelset-dead-fleet',
  ]);
  const count = (kind: string): number => its.consumers.filter((name) => name.startsWith(`${kind}-`)).length;
  expect(['service', 'node', 'routes', 'sweep'].map(count)).toEqual([32, 16, 8, 8]);
  expect(names.consumers).toHaveLength(34);
});

test('all sweeps of a cluster have one partition, those of many clusters have eight', () => {
  const its = namesOf(deploymentOwner('fleet'));
  const partition = (cluster: string, key: Key): string =>
    its.workSubject({ cluster, key, trigger: 'sweep' }).split('.')[3] ?? '';
  const clusters = Array.from({ length: 100 }, (_, at) => `prod-${at}`);
  for (const cluster of clusters)
    expect(
      new Set(['all', 'nodeset', 'namespace/shop'].map((key) => partition(cluster, key as Key))).size,
    ).toBe(1);
  expect(new Set(clusters.map((cluster) => partition(cluster, 'all'))).size).toBe(8);
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
  for (const request of all) expect(names.consumers).toContain(names.workSubject(request).split('.')[3]);
});
