/** What a function writes: lines of its log that name the invocation, and metrics in CloudWatch's embedded metric format. */
import { expect, test, vi } from 'vitest';
import { FunctionMetrics } from '../../../functions/lambda/function-metrics.ts';
import { aService } from '../sandbox-world.ts';
import { contextOf, deliver, deployed, logged, request } from './deployed.ts';
import { sqsRecord } from './sqs-record.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Metered extends Fields {
  readonly _aws: {
    readonly CloudWatchMetrics: readonly {
      readonly Namespace: string;
      readonly Dimensions: readonly (readonly string[])[];
      readonly Metrics: readonly { readonly Name: string; readonly ServiceObject: string }[];
    }[];
  };
}

const lines = (): readonly Fields[] =>
  logged()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Fields);
const ofLog = (): readonly Fields[] => lines().filter((line) => 'message' in line);
const ofMetrics = (): readonly Metered[] => lines().filter((line): line is Metered => '_aws' in line);

const deliverWeb = (invocation: string): Promise<readonly string[]> =>
  deliver(
    [sqsRecord('0', { request: request('web') })],
    contextOf(30_000, { awsRequestId: invocation, functionVersion: '7' }),
  );

test('every line names its invocation, the version of the function, and whether the start was cold', async () => {
  const world = await deployed();
  world.sandbox.kube.apply(aService('web'));
  await deliverWeb('first');
  await deliverWeb('second');

  const seen = new Set(
    ofLog().map((line) =>
      [line['function_request_id'], line['function_version'], line['cold_start']].join(' '),
    ),
  );
  expect(seen).toEqual(new Set(['first 7 true', 'second 7 false']));
});

test('an invocation ends with its figures, by few dimensions and without any name of an object', async () => {
  const world = await deployed();
  world.sandbox.kube.apply(aService('web'));
  vi.stubEnv('LEVELSET_CLUSTER_NAME', 'kubernetes');
  await deliverWeb('first');
  const found = ofMetrics();

  const of = (name: string): readonly Metered[] => found.filter((line) => name in line);
  expect(of('levelset_reconcile_total')).toMatchObject([
    { outcome: 'progressing', levelset_reconcile_total: 1 },
    { cluster: 'kubernetes', object: 'service', outcome: 'settled', levelset_reconcile_total: 1 },
  ]);
  expect(of('levelset_reconcile_duration_seconds')).toMatchObject([
    { _aws: { CloudWatchMetrics: [{ Namespace: 'levelset', Dimensions: [['cluster', 'object']] }] } },
  ]);
  const asked = world.sandbox.requests.filter(({ side }) => side === 'openstack').length;
  const counted = of('levelset_openstack_requests_total');
  const sum = counted.reduce((all, line) => all + Number(line['levelset_openstack_requests_total']), 0);
  expect(new Set(counted.map(({ service }) => service)).size).toBeGreaterThan(2);
  expect(sum).toBe(asked);
  expect(JSON.stringify(found)).not.toMatch(/default|web|node-1/);

  const { handler } = await import('../../../functions/lambda/sweep.ts');
  await handler({}, contextOf(30_000));
  expect(of('levelset_sweeps_total')).toEqual([]);
  expect(ofMetrics().filter((line) => 'levelset_sweeps_total' in line)).toMatchObject([
    { result: 'found', levelset_sweeps_total: 1 },
  ]);
});

test('keys that failed three times, and messages that cannot be read, are counted', async () => {
  const world = await deployed();
  world.sandbox.fault({ match: { side: 'kube' }, times: 999, kind: 'fail-before' });
  const records = ['what?', 'what else?'].map((body) => ({
    ...sqsRecord('0', { request: request('web') }),
    body,
  }));
  await deliver([...records, sqsRecord('1', { request: request('web') })]);

  const counted = ofMetrics().filter((line) => 'levelset_messages_total' in line);
  expect(counted.map((line) => [line['result'], line['levelset_messages_total']])).toEqual([
    ['unreadable', 1],
    ['unreadable', 1],
    ['failed', 1],
  ]);
});

test('what no line has room for comes in a second one with the same dimensions', async () => {
  await deployed();
  const figures = new FunctionMetrics();
  for (let at = 0; at < 150; at += 1)
    figures.observe('levelset_openstack_request_duration_seconds', { service: 'compute', method: 'GET' }, at);
  figures.add('levelset_kube_requests_total', { method: 'GET', status: 200 }, 2);
  figures.add('levelset_kube_requests_total', { method: 'PUT', status: 200 }, 3);
  figures.add('levelset_kube_requests_total', { method: 'PUT', status: 500 }, 0);

  figures.publish('kubernetes');

  const found = ofMetrics().map(({ _aws, ...fields }) => fields);
  const values = found.slice(0, 2).flatMap((line) => line['levelset_openstack_request_duration_seconds']);
  expect(values).toEqual(Array.from({ length: 150 }, (_, at) => at));
  expect(found.map(({ cluster, service, status }) => [cluster, service, status])).toEqual([
    ['kubernetes', 'compute', undefined],
    ['kubernetes', 'compute', undefined],
    ['kubernetes', undefined, '200'],
  ]);
  expect(found[2]).toEqual({ cluster: 'kubernetes', status: '200', levelset_kube_requests_total: 5 });
});
