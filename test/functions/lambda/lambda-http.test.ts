import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { expect, test } from 'vitest';
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

type Headers = Readonly<Record<string, string>>;
/** What API Gateway and load balancers make of a request. */
const ENVELOPES: Readonly<Record<string, (path: string, headers: Headers) => object>> = {
  'an HTTP API of a stage': (path, headers) => ({ ...inStage('prod', path), headers }),
  'one whose stage is named as the path': (path, headers) => ({ ...inStage('audit', path), headers }),
  'a load balancer': (path, headers) => ({ httpMethod: 'POST', path, headers, requestContext: ELB }),
  'a load balancer with several values of a header': (path, headers) => ({
    ...{ httpMethod: 'POST', path, requestContext: ELB },
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
  }),
  'a REST API': (path, headers) => ({
    ...{ resource: '/{proxy+}', httpMethod: 'POST', path, multiValueHeaders: null },
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value])),
    requestContext: { stage: 'prod', path: `/prod${path}`, identity: { sourceIp: '192.0.2.9' } },
  }),
};

test('whatever stands before the function, a batch comes to the queue, and a wrong token to nobody', async () => {
  const world = await deployed();
  const { handler } = await import('../../../functions/lambda/audit.ts');
  for (const [what, envelope] of Object.entries(ENVELOPES)) {
    const text = JSON.stringify(eventList([serviceEvent('create', { auditID: what })]));
    const post = async (token: string): Promise<number | undefined> => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
      const body = { body: Buffer.from(text).toString('base64'), isBase64Encoded: true };
      const event = { ...envelope('/audit/kubernetes', headers), ...body };
      return (await handler(event as never, CONTEXT)).statusCode;
    };
    expect([await post(AUDIT_TOKEN), await post('wrong')], what).toEqual([202, 401]);
    expect(taken(world.aws), what).toMatchObject([{ request: { key: 'service/shop/web' } }]);
  }
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
