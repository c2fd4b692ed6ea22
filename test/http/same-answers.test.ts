/** Whoever calls gets the same answer from `serve`, on a port, and from the functions on AWS. */
import { once } from 'node:events';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { auditWebhook } from '../../functions/audit-webhook.ts';
import { events } from '../../functions/events.ts';
import type { RefusalReason } from '../../functions/http/admit.ts';
import { expressFunction } from '../../functions/lambda/express-function.ts';
import { httpFunction, type HttpFunction } from '../../functions/lambda/http-function.ts';
import { resync } from '../../functions/resync.ts';
import { createServer } from '../../functions/server.ts';
import { status } from '../../functions/status.ts';
import type { ReconcileRequest } from '../../shared/model/request.ts';
import { listening } from '../support/for-one-test.ts';
import { eventList, nodeEvent, serviceEvent } from '../unit/trigger/audit-events.ts';
import { AUDIT, PAGE, RESYNC, testServer } from './test-server.ts';
import { PAGE_TOKEN } from './tokens.ts';

interface Call {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** A world of its own for each side. The queue does not take what names the Service `full`. */
function aSide() {
  const queued: ReconcileRequest[] = [];
  const refused: RefusalReason[] = [];
  const { options } = testServer({
    clusters: ['kubernetes'],
    enqueue: (requests) => {
      if (requests.some(({ key }) => key.endsWith('/full'))) return Promise.reject(new Error('full'));
      queued.push(...requests);
      return Promise.resolve();
    },
    ready: () => Promise.resolve(['kubernetes: it is away']),
    observeRefusal: (reason) => refused.push(reason),
  });
  return { queued, refused, options };
}

type Side = ReturnType<typeof aSide>;

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** A kube-apiserver adds it to the path of its webhook. */
const queryOf = (path: string): string => (path.startsWith('/audit') ? '?timeout=30s' : '');

/** What a caller acts on. The id of a resync is another each time. */
function seen({ status, headers, body }: Answer): Answer {
  const names = ['content-type', 'allow', 'www-authenticate', 'retry-after', 'content-security-policy'];
  const uuid = /[0-9a-f]{8}-[0-9a-f-]{27}/g;
  return {
    status,
    headers: Object.fromEntries(names.map((name) => [name, headers[name]])),
    body: body.replace(uuid, 'ID'),
  };
}

async function onPort(side: Side): Promise<(call: Call) => Promise<Answer>> {
  const url = await listening(createServer(side.options));
  const agent = new http.Agent({ keepAlive: true });
  onTestFinished(() => {
    agent.destroy();
  });
  return async ({ method, path, headers, body }) => {
    const { hostname: host, port } = new URL(url);
    const sent = http.request({ host, port, agent, method, path: path + queryOf(path), headers });
    sent.end(body);
    const [answer] = (await once(sent, 'response')) as [http.IncomingMessage];
    return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
  };
}

const httpApi = ({ method, path, headers }: Call, stage = '$default', rawPath = path): object => {
  const requestContext = { stage, http: { method, path, sourceIp: '192.0.2.1' } };
  return { version: '2.0', rawPath, headers, requestContext };
};
const older = ({ method: httpMethod, path }: Call, more: object): object => ({ httpMethod, path, ...more });
const each = ({ headers }: Call, change: (header: [string, string]) => [string, unknown]): object =>
  Object.fromEntries(Object.entries(headers).map(change));

/** What an HTTP API makes of a request, one of a stage, one whose stage is named as the path, load balancers, and a REST API. */
const ENVELOPES: readonly ((call: Call) => object)[] = [
  (call) => httpApi(call),
  (call) => httpApi(call, 'prod', `/prod${call.path}`),
  (call) => httpApi(call, 'audit', `/audit${call.path}`),
  (call) => older(call, { headers: call.headers }),
  (call) => older(call, { multiValueHeaders: each(call, ([name, value]) => [name, [value]]) }),
  (call) =>
    older(call, { multiValueHeaders: null, headers: each(call, ([name, its]) => [name.toUpperCase(), its]) }),
];
const WRAPPED = fc.constantFrom(...ENVELOPES);

/** The functions, each behind its routes, which are all paths below the first part here. Those of people are behind an HTTP API. */
function onLambda({ options }: Side): (call: Call, wrap: (call: Call) => object) => Promise<Answer> {
  const always =
    <T>(value: T) =>
    () =>
      Promise.resolve(value);
  const functions: Readonly<Record<string, HttpFunction>> = {
    audit: httpFunction(always(auditWebhook(options))),
    events: httpFunction(always(events(options))),
    resync: expressFunction(always(resync(options))),
  };
  const page = expressFunction(always(status(options)));
  return async (call, wrap) => {
    const { method, path, headers, body } = call;
    const name = path.split('/')[1] ?? '';
    const handler = functions[name] ?? page;
    const isText = headers['content-encoding'] === undefined;
    const event = {
      ...(name === 'audit' || name === 'events' ? wrap(call) : httpApi(call)),
      rawQueryString: queryOf(path).slice(1),
      body: body.toString(isText ? 'utf8' : 'base64'),
      isBase64Encoded: !isText,
    };
    const answer = await handler(event as unknown as APIGatewayProxyEventV2, {} as Context);
    const named = Object.entries(answer.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
    const sent = method === 'HEAD' ? '' : (answer.body ?? '');
    return { status: answer.statusCode, headers: Object.fromEntries(named) as Answer['headers'], body: sent };
  };
}

const JSON_TYPE = 'application/json';
const PACKINGS = {
  gzip: gzipSync,
  'x-gzip': gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  GZIP: gzipSync,
  zstd: (body: Buffer) => body,
  'gzip, gzip': (body: Buffer) => body,
};
const cloudEvent = {
  specversion: '1.0',
  type: 'dev.knative.apiserver.resource.update',
  id: 'e-1',
  source: 'https://10.96.0.1:443',
  data: { kind: 'Service', apiVersion: 'v1', namespace: 'shop', name: 'web' },
};
const full = serviceEvent('update', { objectRef: { resource: 'services', namespace: 'a', name: 'full' } });
const texts = fc.constantFrom(
  JSON.stringify(eventList([serviceEvent('create'), nodeEvent('create'), { verb: 'get' }])),
  JSON.stringify(eventList([full])),
  JSON.stringify(cloudEvent),
  JSON.stringify([cloudEvent, { specversion: '0.3' }]),
  JSON.stringify(cloudEvent.data),
  '{"objects":["service/shop/web","node/a"]}',
  '{"objects":["shop/web"],"no":1}',
  '{"all":true}',
  '{"objects":["routes"],"dryRun":true}',
  '',
  '{',
  'null',
  '{"kind":"Status"}',
  '['.repeat(300),
);
const likely = <T>(value: T, other: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(value) }, other);
const header = (name: string, value: fc.Arbitrary<string | undefined>) =>
  value.map((given): Record<string, string> => (given === undefined ? {} : { [name]: given }));

const calls: fc.Arbitrary<Call> = fc
  .record({
    method: likely('POST', fc.constantFrom('GET', 'PUT', 'HEAD', 'OPTIONS', 'DELETE')),
    path: fc.oneof(
      fc.constantFrom('/audit/kubernetes', '/events/kubernetes', '/resync', '/', '/readyz'),
      fc.constantFrom('/audit/kubernetes', '/events/kubernetes'),
      fc.constantFrom('/audit', '/audit/', '/audit/other', '/audit/kubernetes/', '/audit/kubernetes/x'),
      fc.constantFrom('/audit/kuber%6eetes', '/audit/%zz', '/events/%2e', '/nothing', '/healthz'),
    ),
    token: header(
      'authorization',
      fc.oneof(
        fc.constantFrom(AUDIT, RESYNC, PAGE),
        fc.constantFrom(AUDIT, RESYNC, PAGE),
        fc.constantFrom(undefined, 'Bearer wrong', 'Bearer', `Basic ${btoa(`a:${PAGE_TOKEN}`)}`, ''),
      ),
    ),
    type: header(
      'content-type',
      likely(
        JSON_TYPE,
        fc.constantFrom(
          'application/cloudevents+json',
          'Application/CloudEvents-Batch+JSON; charset=utf-8',
          'text/plain',
          `${JSON_TYPE};charset=latin1`,
          undefined,
        ),
      ),
    ),
    ce: header('ce-specversion', fc.constantFrom(undefined, '1.0')),
    accept: header('accept', fc.constantFrom(undefined, 'text/plain', JSON_TYPE, 'text/html')),
    packing: likely(undefined, fc.constantFrom(...(Object.keys(PACKINGS) as (keyof typeof PACKINGS)[]))),
    cut: fc.constantFrom(0, 0, 0, 3),
    body: texts,
  })
  .map(({ method, path, token, type, ce, accept, packing, cut, body }) => {
    const plain = Buffer.from(body);
    const packed = packing === undefined ? plain : PACKINGS[packing](plain);
    const sent = packed.subarray(0, Math.max(0, packed.length - cut));
    const encoding: Record<string, string> = packing === undefined ? {} : { 'content-encoding': packing };
    const length = { 'content-length': String(sent.length) };
    const headers = { ...token, ...type, ...ce, ...accept, ...encoding, ...length };
    return { method, path, headers, body: sent };
  });

const batch = (
  change: Readonly<Record<string, string>>,
  body: Buffer | string,
  path = '/audit/kubernetes',
): Call => {
  const sent = Buffer.from(body);
  const length = { 'content-length': String(sent.length) };
  return { method: 'POST', path, headers: { 'content-type': JSON_TYPE, ...length, ...change }, body: sent };
};
const long = Buffer.alloc(10 * 2 ** 20 + 1, ' ');
/** One call for each status. */
const EXAMPLES: readonly Call[] = [
  batch({ authorization: RESYNC }, '{"objects":["routes"],"dryRun":true}', '/resync'),
  batch({ authorization: AUDIT }, JSON.stringify(eventList([serviceEvent('create')]))),
  batch({ authorization: AUDIT, 'content-encoding': 'gzip' }, gzipSync('{}').subarray(0, 15)),
  batch({ authorization: 'Bearer wrong' }, long),
  batch({ authorization: AUDIT }, '{}', '/audit/other'),
  { ...batch({ authorization: AUDIT }, ''), method: 'PUT' },
  batch({ authorization: AUDIT }, long),
  batch({ authorization: AUDIT, 'content-encoding': 'gzip' }, gzipSync(long)),
  batch({ authorization: AUDIT, 'content-encoding': 'zstd' }, '{}'),
  batch({ authorization: AUDIT }, '{}'),
  batch({ authorization: AUDIT }, JSON.stringify(eventList([full]))),
];

test('the answer to a request, what it queues and why it is refused are the same', async () => {
  for (const stream of ['stdout', 'stderr'] as const)
    vi.spyOn(process[stream], 'write').mockReturnValue(true);
  onTestFinished(() => void vi.restoreAllMocks());
  const [port, lambda] = [aSide(), aSide()];
  const [callPort, callLambda] = [await onPort(port), onLambda(lambda)];
  const statuses = new Set<unknown>();
  await fc.assert(
    fc.asyncProperty(calls, WRAPPED, async (call, wrap) => {
      const answers = [await callPort(call), await callLambda(call, wrap)].map(seen);
      statuses.add(answers[0]?.status);
      expect(answers[1]).toEqual(answers[0]);
      const [onOne, onOther] = [port, lambda].map(({ queued, refused }) => ({
        queued: queued.splice(0).map(({ key, trigger }) => [trigger, key]),
        refused: refused.splice(0),
      }));
      expect(onOther).toEqual(onOne);
    }),
    { numRuns: 200, examples: EXAMPLES.map((call) => [call, ENVELOPES[1]]) },
  );
  expect([...statuses].sort()).toEqual([200, 202, 400, 401, 404, 405, 413, 415, 422, 503]);
});
