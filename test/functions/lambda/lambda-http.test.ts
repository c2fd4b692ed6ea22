import { gzipSync } from 'node:zlib';
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { expect, test, vi } from 'vitest';
import { eventList, serviceEvent } from '../../unit/trigger/audit-events.ts';
import { call, CONTEXT, deployed, taken } from './deployed.ts';
import { aService } from '../sandbox-world.ts';
import { AUDIT_TOKEN, RESYNC_TOKEN, PAGE_TOKEN } from '../../http/tokens.ts';

test('an audit event becomes a message of its key, and the same batch again becomes none', async () => {
  const world = await deployed();
  const batch = eventList([serviceEvent('create', { auditID: 'audit-1' })]);
  const post = (token: string, cluster = 'kubernetes'): Promise<APIGatewayProxyStructuredResultV2> =>
    call('audit', {
      method: 'POST',
      rawPath: `/audit/${cluster}`,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(batch),
    });

  expect((await post('wrong')).statusCode).toBe(401);
  expect((await post(AUDIT_TOKEN, 'c1c1c1c1-0000-4000-8000-000000000000')).statusCode).toBe(404);
  expect((await post(AUDIT_TOKEN)).statusCode).toBe(202);
  expect((await post(AUDIT_TOKEN)).statusCode).toBe(202);

  expect(taken(world.aws)).toMatchObject([
    { queue: 'keys.fifo', request: { key: 'service/shop/web', cause: 'audit-1' } },
  ]);
  expect(world.aws.calls.filter((name) => name === 'GetParameters')).toHaveLength(1);
});

const ELB = {
  elb: { targetGroupArn: 'arn:aws:elasticloadbalancing:eu-central-1:123456789012:targetgroup/levelset/1' },
};

test.each<[what: string, envelope: (path: string, headers: Readonly<Record<string, string>>) => object]>([
  ['an HTTP API of a stage', (path, headers) => ({ ...inStage('prod', path), headers })],
  [
    'an HTTP API of a stage that is named as the path',
    (path, headers) => ({ ...inStage('audit', path), headers }),
  ],
  ['a load balancer', (path, headers) => ({ httpMethod: 'POST', path, headers, requestContext: ELB })],
  [
    'a load balancer with several values of a header',
    (path, headers) => ({
      ...{ httpMethod: 'POST', path, requestContext: ELB },
      multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    }),
  ],
  [
    'a REST API',
    (path, headers) => ({
      ...{ resource: '/{proxy+}', httpMethod: 'POST', path, multiValueHeaders: null },
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
      ),
      requestContext: { stage: 'prod', path: `/prod${path}`, identity: { sourceIp: '192.0.2.9' } },
    }),
  ],
])('%s brings a batch to the queue, and a wrong token to nobody', async (_what, envelope) => {
  const world = await deployed();
  const { handler } = await import('../../../functions/lambda/audit.ts');
  const text = JSON.stringify(eventList([serviceEvent('create')]));
  const post = async (token: string): Promise<number | undefined> => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
    const body = { body: Buffer.from(text).toString('base64'), isBase64Encoded: true };
    return (await handler({ ...envelope('/audit/kubernetes', headers), ...body } as never, CONTEXT))
      .statusCode;
  };
  expect([await post(AUDIT_TOKEN), await post('wrong')]).toEqual([202, 401]);
  expect(taken(world.aws)).toMatchObject([{ request: { key: 'service/shop/web' } }]);
});

function inStage(stage: string, path: string): object {
  const http = { method: 'POST', path, sourceIp: '192.0.2.1' };
  return { version: '2.0', rawPath: `/${stage}${path}`, rawQueryString: '', requestContext: { stage, http } };
}

const askFor = (body: object): Promise<APIGatewayProxyStructuredResultV2> =>
  call('resync', {
    method: 'POST',
    rawPath: '/resync',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${RESYNC_TOKEN}` },
    body: JSON.stringify(body),
  });

test('a resync queues its objects, or everything, and says where to look', async () => {
  const world = await deployed();
  const objects = ['service/default/web', 'node/node-1'];

  for (const [order, queued] of [
    [{ objects }, objects],
    [{ all: true }, ['all']],
  ] as const) {
    const answer = await askFor(order);
    expect([answer.statusCode, JSON.parse(answer.body ?? '')]).toEqual([202, { queued, page: '/' }]);
    expect(taken(world.aws)).toMatchObject(queued.map((key) => ({ request: { key, trigger: 'resync' } })));
  }
  expect(world.sandbox.requests).toEqual([]);
});

test('a dry run is answered at once with the plan, and queues nothing', async () => {
  const world = await deployed();
  world.sandbox.kube.apply(aService('web'));

  const answer = await askFor({ objects: ['service/default/web'], dryRun: true });

  const steps = [{ verb: 'create', kind: 'loadbalancer' }];
  expect([answer.statusCode, JSON.parse(answer.body ?? '')]).toMatchObject([
    200,
    {
      steps: expect.arrayContaining(steps.map((step) => expect.objectContaining(step) as unknown)) as unknown,
    },
  ]);
  expect(world.aws.sent).toEqual([]);
  expect(world.sandbox.cloud.loadbalancers).toEqual([]);
});

test('the page is for who has its token, and tells what Services and Nodes say', async () => {
  const world = await deployed();
  world.sandbox.kube.apply(aService('web'));
  world.sandbox.kube.registerNode('worker-1');
  const get = (headers: Record<string, string>): Promise<APIGatewayProxyStructuredResultV2> =>
    call('status', { method: 'GET', headers: { accept: 'application/json', ...headers } });

  expect((await get({})).statusCode).toBe(401);
  const page = await get({ authorization: `Bearer ${PAGE_TOKEN}` });

  expect(JSON.parse(page.body ?? '')).toMatchObject({
    rows: [
      { object: 'service/default/web', state: 'unknown' },
      { object: 'node/worker-1', state: 'progressing' },
    ],
  });
});

test('a parameter that is missing is named', async () => {
  const world = await deployed();
  world.aws.parameters.delete('/levelset/test/AUDIT_TOKENS');
  vi.stubEnv('LEVELSET_CLOUD_CONFIG_TEXT_PARAMETER', '');

  await expect(call('audit', { method: 'POST' })).rejects.toThrow(
    'SSM has no parameter /levelset/test/AUDIT_TOKENS',
  );
});

test('a body that is nested too deep is refused, and large ones pass one after the other', async () => {
  const world = await deployed();
  const send = async (text: string): Promise<APIGatewayProxyStructuredResultV2> =>
    call('audit', {
      method: 'POST',
      rawPath: '/audit/kubernetes',
      headers: {
        'content-type': 'application/json',
        'content-encoding': 'gzip',
        authorization: `Bearer ${AUDIT_TOKEN}`,
      },
      body: gzipSync(text).toString('base64'),
      isBase64Encoded: true,
    });
  const batch = JSON.stringify(eventList([serviceEvent('create')]));

  const answers = await Promise.all([send(batch), send('['.repeat(4_900_000)), send(batch)]);

  expect(answers.map(({ statusCode }) => statusCode)).toEqual([202, 422, 202]);
  expect(taken(world.aws)).toHaveLength(1);
});
