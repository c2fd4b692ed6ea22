/** Whose requests go first, from the run's trigger to the endpoint's line. */
import type { Credentials } from '../../../shared/config/config.ts';
import { expect, test } from 'vitest';
import { countedLots } from '../../../infra/sandbox/lots.ts';
import { VirtualClock } from '../../../infra/sandbox/sandbox-clock.ts';
import { createSandbox } from '../../../infra/sandbox/sandbox.ts';
import { withoutDeadline } from '../../../shared/deadline.ts';
import { Answers } from '../../../shared/memory/answers.ts';
import type { Trigger } from '../../../shared/model/request.ts';
import { connectCloud } from '../../../shared/openstack/connect-cloud.ts';
import { EndpointSemaphores } from '../../../shared/openstack/endpoint-semaphore.ts';
import { gatherLists } from '../../../shared/openstack/gathered-lists.ts';
import { createHttp, type HttpAnswer, type Transport } from '../../../shared/openstack/openstack-http.ts';
import { withPermit } from '../../../shared/permit.ts';
import { reconcile } from '../../../shared/reconcile.ts';
import { sweep } from '../../../shared/sweep.ts';
import { urgency, urgencyOf, type Urgency } from '../../../shared/urgency.ts';
import { aConfig } from '../../support/config.ts';
import { AUTH_URL, cloudTransport, inProcessWorld } from '../../support/in-process.ts';
import { SILENT } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';

test('all requests of a run are as urgent as what caused it, and those of a sweep come last', async () => {
  const inside = createSandbox({ nodes: 2, pendingMs: 1 }, new VirtualClock(), countedLots());
  const ranks = new Set<number>();
  const plain = cloudTransport(inside);
  const transport: Transport = {
    ...plain,
    send: (request, limitMs) => {
      ranks.add(urgency().rank);
      return plain.send(request, limitMs);
    },
  };
  const ranksOf = async (run: () => Promise<unknown>): Promise<number[]> => {
    ranks.clear();
    await run();
    return [...ranks];
  };
  inside.kube.apply(aService({ name: 'web' }));
  const by = (trigger: Trigger) =>
    ranksOf(() => {
      const world = inProcessWorld(inside, aConfig(AUTH_URL), SILENT, transport);
      return reconcile({ key: 'service/default/web', trigger }, world, { remainingMs: () => 60_000 });
    });
  expect(await by('command')).toEqual([0]);
  expect(await by('audit')).toEqual([1]);
  expect(await by('requeue')).toEqual([2]);
  expect(await by('sweep')).toEqual([3]);
  const world = inProcessWorld(inside, aConfig(AUTH_URL), SILENT, transport);
  expect(await ranksOf(() => sweep(world))).toEqual([3]);
});

test('an answer that several wait for is as urgent as the most urgent of them', async () => {
  const answers = new Answers(1);
  const { promise, resolve } = Promise.withResolvers<string>();
  let its: Urgency | undefined;
  const lifetime = { keepMs: 0, clock: { now: () => 0 } };
  const ask = (): Promise<string> => {
    its = urgency();
    return promise;
  };
  const all = [urgencyOf('sweep').run(() => answers.read('quota', lifetime, ask))];
  expect(its?.rank).toBe(3);
  all.push(urgencyOf('audit').run(() => answers.read('quota', lifetime, ask)));
  expect(its?.rank).toBe(1);
  resolve('an answer');
  await Promise.all(all);
});

test('a list of a sweep is as urgent as the run that waits for it, or for the next one', async () => {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const its: Urgency[] = [];
  const list = gatherLists(
    async () => {
      its.push(urgency());
      await promise;
      return [];
    },
    { pause: () => Promise.resolve(), now: () => 0 },
  );
  const ask = (port: string, trigger: Trigger) =>
    urgencyOf(trigger).run(() => list('floatingip', { port_id: port }));
  const all = [ask('a', 'sweep'), ask('b', 'sweep')];
  expect(its.map(({ rank }) => rank)).toEqual([3]);
  all.push(ask('c', 'audit'));
  expect(its.map(({ rank }) => rank)).toEqual([1]);
  resolve(undefined);
  await Promise.all(all);
  expect(its.map(({ rank }) => rank)).toEqual([1, 1]);
});

/** A service that is held for three seconds by its first answer. */
function heldService() {
  const clock = new VirtualClock(0);
  const sent: string[] = [];
  const transport: Transport = {
    pause: (ms, signal) => clock.pause(ms, signal),
    now: () => clock.millis(),
    send: ({ method, url }) => {
      sent.push(`${method} ${new URL(url).pathname} ${clock.millis()}`);
      const isFirst = sent.length === 1;
      const headers = isFirst ? { 'retry-after': '3' } : {};
      return Promise.resolve({ status: isFirst ? 429 : 200, headers, text: '{}' });
    },
  };
  return { transport, sent };
}

test('a write that has waited for its turn asks again whether it may be sent', async () => {
  const { transport, sent } = heldService();
  const http = createHttp(aConfig(AUTH_URL).openstack, () => undefined, transport);
  const url = 'http://octavia.invalid/v2.0/lbaas/pools';
  await http({ service: 'load-balancer', method: 'POST', url, body: {} });
  const late = withPermit(
    () => Promise.reject(new Error('the lease is lost')),
    () => http({ service: 'load-balancer', method: 'PUT', url, body: {} }),
  );
  await expect(late).rejects.toThrow('the lease is lost');
  await withoutDeadline(() => http({ service: 'load-balancer', method: 'GET', url }));
  expect(sent).toEqual(['POST /v2.0/lbaas/pools 0', 'GET /v2.0/lbaas/pools 3000']);
});

test('connections that share the semaphores of their process heed what the endpoint told one of them', async () => {
  const { transport, sent } = heldService();
  const semaphores = new EndpointSemaphores<HttpAnswer>(transport);
  const { openstack } = aConfig('http://keystone.invalid/v3');
  const [one, two] = [1, 2].map(() => connectCloud(openstack, { transport, semaphores }));
  await expect(one?.cloud.projectId()).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  await expect(two?.cloud.projectId()).rejects.toMatchObject({ code: 'UNEXPECTED_RESPONSE' });
  expect(sent).toEqual(['POST /v3/auth/tokens 0', 'POST /v3/auth/tokens 3000']);
});

const APPLICATION = { type: 'application-credential', id: 'f00', secret: 's' } as const;
test.each([
  ['another account', () => APPLICATION],
  ['who knows no more than its name', (own: Credentials) => ({ ...own, password: 'a guess' }) as Credentials],
])('what the endpoint told one account does not hold back %s', async (_who, credentialsOf) => {
  const { transport, sent } = heldService();
  const semaphores = new EndpointSemaphores<HttpAnswer>(transport);
  const { openstack } = aConfig('http://keystone.invalid/v3');
  const other = { ...openstack, credentials: credentialsOf(openstack.credentials) };
  const [one, two] = [openstack, other].map((config) => connectCloud(config, { transport, semaphores }));
  await expect(one?.cloud.projectId()).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  await expect(two?.cloud.projectId()).rejects.toMatchObject({ code: 'UNEXPECTED_RESPONSE' });
  expect(sent).toEqual(['POST /v3/auth/tokens 0', 'POST /v3/auth/tokens 0']);
});
