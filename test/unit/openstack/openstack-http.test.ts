import type { ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { createOpenStackHttp, NoAnswer, type Call } from '../../../shared/openstack/openstack-http.ts';
import { NO_RUN } from '../../../shared/deadline.ts';
import { startFake, type Answer } from './fake-openstack.ts';

async function start(answer: Answer, requestTimeoutMs = 2_000) {
  const { config, url } = await startFake(answer);
  const calls: Call[] = [];
  const http = createOpenStackHttp({ ...config, requestTimeoutMs }, (call) => calls.push(call));
  return { http, calls, url: `${url}/x` };
}

async function run(method: 'GET' | 'POST', answer: Answer) {
  const { http, calls, url } = await start(answer, 300);
  const result: unknown = await http({ service: 'network', method, url }).catch((error: unknown) => error);
  return { result, calls };
}

const status =
  (code: number, headers: Readonly<Record<string, string>> = {}) =>
  (response: ServerResponse) => {
    response.writeHead(code, headers).end('{}');
  };
const then =
  (...steps: readonly ((response: ServerResponse) => void)[]): Answer =>
  (_seen, response, count) =>
    steps[Math.min(count, steps.length) - 1]?.(response);
const hangUp = (response: ServerResponse): void => {
  response.destroy();
};

it.each([
  ['a GET again on 503', 'GET', then(status(503), status(200)), 200, 2],
  ['a GET again on a lost connection', 'GET', then(hangUp, status(200)), 200, 2],
  ['a GET three times at most', 'GET', then(status(502)), 502, 3],
  ['no GET again on 409', 'GET', then(status(409), status(200)), 409, 1],
  ['no write again on 503', 'POST', then(status(503), status(200)), 503, 1],
  ['no write again on 429', 'POST', then(status(429, { 'retry-after': '0' }), status(200)), 429, 1],
  ['no GET again after a long rest', 'GET', then(status(429, { 'retry-after': '120' }), status(200)), 429, 1],
  ['no redirect followed', 'GET', then(status(302, { location: '/y' }), status(200)), 302, 1],
] as const)('tries %s', async (_what, method, answer, expected, attempts) => {
  const { result, calls } = await run(method, answer);
  expect(result).toMatchObject({ status: expected });
  expect(calls).toHaveLength(attempts);
});

it('makes nothing whose answer the run may not see, and sends all else', async () => {
  const { http, calls, url } = await start(then(status(200)));
  const almostOver = { ...NO_RUN, remainingMs: () => 4_999 };
  const late = http({ service: 'load-balancer', method: 'POST', url }, almostOver);
  await expect(late).rejects.toMatchObject({ code: 'BUDGET_SPENT' });
  await http({ service: 'load-balancer', method: 'PUT', url }, almostOver);
  await http({ service: 'identity', method: 'POST', url }, almostOver);
  const made = calls.map(({ service, method }) => `${service} ${method}`);
  expect(made).toEqual(['load-balancer PUT', 'identity POST']);
});

it('does not wait for a second timeout', async () => {
  const { result, calls } = await run('GET', () => undefined);
  expect(result).toBeInstanceOf(NoAnswer);
  expect(result).toMatchObject({ timedOut: true });
  expect(calls).toMatchObject([{ status: 0, method: 'GET', service: 'network' }]);
});

it('has nothing of the request in its errors', async () => {
  const { http, url } = await start(then(hangUp));
  const headers = { 'x-auth-token': 'secret-token' };
  const asked = http({ service: 'network', method: 'POST', url, headers });
  const error: unknown = await asked.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(NoAnswer);
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('secret-token');
});

it('has no body for JSON that is cut', async () => {
  const { result } = await run('GET', (_seen, response) => {
    response.writeHead(200).end('{"ports": [{"id":');
  });
  expect(result).toEqual({ status: 200, body: undefined, serverTimeMs: expect.any(Number) as number });
});

it.each(['/load-balancer/v2.0/lbaas/pools', ''])('has no answer of the URL %j', async (url) => {
  const { http } = await start(then(status(200)));
  await expect(http({ service: 'load-balancer', method: 'POST', url })).rejects.toBeInstanceOf(NoAnswer);
});
