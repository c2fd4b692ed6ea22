/** What a function writes: lines of its log that name the invocation, and metrics in CloudWatch's embedded metric format. */
import { expect, test, vi } from 'vitest';
import { FunctionMetrics } from '../../../functions/lambda/function-metrics.ts';
import { aService } from '../sandbox-world.ts';
import { asked, contextOf, deliver, deployed, logged, record, tick } from './deployed.ts';

type Line = Readonly<Record<string, unknown>>;

/** The lines that have a field of this name. */
const linesWith = (name: string): readonly Line[] =>
  logged()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line)
    .filter((line) => name in line);

test('an invocation writes lines that name it, and ends with its figures, by few dimensions and without any name of an object', async () => {
  const { sandbox } = await deployed();
  sandbox.kube.apply(aService('web'));
  vi.stubEnv('LEVELSET_CLUSTER_NAME', 'kubernetes');
  await deliver([record(asked())], contextOf(30_000, { awsRequestId: 'first', functionVersion: '7' }));
  const first = { function_request_id: 'first', function_version: '7', cold_start: true };
  for (const line of linesWith('message')) expect(line).toMatchObject(first);

  expect(linesWith('levelset_reconcile_total')).toMatchObject([
    { outcome: 'progressing', levelset_reconcile_total: 1 },
    { cluster: 'kubernetes', object: 'service', outcome: 'settled', levelset_reconcile_total: 1 },
  ]);
  expect(linesWith('levelset_reconcile_duration_seconds')).toMatchObject([
    { _aws: { CloudWatchMetrics: [{ Namespace: 'levelset', Dimensions: [['cluster', 'object']] }] } },
  ]);
  const counted = linesWith('levelset_openstack_requests_total');
  const sum = counted.reduce((all, line) => all + Number(line['levelset_openstack_requests_total']), 0);
  expect(new Set(counted.map(({ service }) => service)).size).toBeGreaterThan(2);
  expect(sum).toBe(sandbox.requests.filter(({ side }) => side === 'openstack').length);
  expect(JSON.stringify(linesWith('_aws'))).not.toMatch(/default|web|node-1/);

  await tick(contextOf(30_000, { awsRequestId: 'second' }));
  expect(linesWith('message').at(-1)).toMatchObject({ function_request_id: 'second', cold_start: false });
  expect(linesWith('levelset_sweeps_total')).toMatchObject([{ result: 'found', levelset_sweeps_total: 1 }]);
});

test('what no line has room for comes in a second one with the same dimensions', async () => {
  await deployed();
  const figures = new FunctionMetrics();
  const name = 'levelset_openstack_request_duration_seconds';
  const all = Array.from({ length: 150 }, (_, at) => at);
  for (const at of all) figures.observe(name, { service: 'compute', method: 'GET' }, at);
  figures.add('levelset_kube_requests_total', { method: 'GET', status: 200 }, 2);
  figures.add('levelset_kube_requests_total', { method: 'PUT', status: 200 }, 3);
  figures.add('levelset_kube_requests_total', { method: 'PUT', status: 500 }, 0);

  figures.publish('kubernetes');

  const [first, second, third] = linesWith('_aws').map(({ _aws, ...fields }) => fields);
  expect([first, second].flatMap((line) => line?.[name])).toEqual(all);
  for (const line of [first, second])
    expect(line).toMatchObject({ cluster: 'kubernetes', service: 'compute' });
  expect(third).toEqual({ cluster: 'kubernetes', status: '200', levelset_kube_requests_total: 5 });
  expect(linesWith('_aws')).toHaveLength(3);
});
