/** What those who have no token learn at the doors of a deployment with several clusters. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createClustersServer } from '../../../functions/clusters/clusters-server.ts';
import { KubernetesCallers } from '../../../functions/http/kubernetes-callers.ts';
import type { ObjectView } from '../../../shared/report/page/object-view.ts';
import type { ClusterEndpoints } from '../../../functions/serve/served-cluster.ts';

const NONE = { auditTokens: [], resyncTokens: [], pageTokens: [] };
const nothing = (): void => undefined;
const never = (): Promise<never> => Promise.reject(new Error('not asked for'));

test('a wrong OIDC token gets the answer that it gets where no cluster is, and a right one is let in', async () => {
  const endpoints: ClusterEndpoints = {
    ...{ clusters: ['a'], self: [], enqueue: () => Promise.resolve(), reconcile: never, status: never },
    verifySender: (token) => Promise.resolve(token === 'x.y.right' ? undefined : 'it has ended'),
  };
  const lines: string[] = [];
  const app = createClustersServer({
    tokens: NONE,
    byCertificate: false,
    open: false,
    find: (name) => (name === 'a' ? { tokens: NONE, endpoints } : undefined),
    status: never,
    metrics: never,
    ready: () => Promise.resolve([]),
    refusedAfterMs: 50,
    log: {
      debug: nothing,
      info: (...line) => void lines.push(JSON.stringify(line)),
      warn: nothing,
      error: nothing,
    },
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const ask = async (name: string, token: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}/events/${name}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/cloudevents-batch+json' },
      body: '[]',
    });
    return [answer.status, answer.headers.get('www-authenticate'), await answer.text()];
  };
  expect(await ask('a', 'x.y.wrong')).toEqual(await ask('none', 'x.y.wrong'));
  expect(lines.join()).toContain('it has ended');
  expect((await ask('a', 'x.y.right'))[0]).toBe(202);
  expect((await ask('none', 'x.y.right'))[0]).toBe(401);
});

test('a token that no kube-apiserver knows is refused after one time, whatever the cluster and its kube-apiserver', async () => {
  const AFTER_MS = 400;
  const answering = (answer: () => Promise<undefined>): ClusterEndpoints => ({
    ...{ clusters: [], self: [], enqueue: never, reconcile: never, status: never },
    callers: new KubernetesCallers({
      callerOf: async (token) =>
        token === 'owner' ? Promise.resolve({ username: 'owner', groups: [] }) : answer(),
      mayPatch: () => Promise.resolve(false),
    }),
  });
  const clusters: Readonly<Record<string, ClusterEndpoints | undefined>> = {
    quick: answering(() => Promise.resolve(undefined)),
    slow: answering(() => sleep(100, undefined)),
    broken: answering(() => Promise.reject(new Error('no answer'))),
    unserved: undefined,
  };
  const app = createClustersServer({
    ...{ tokens: NONE, byCertificate: false, open: false, status: never, metrics: never },
    find: (name) => (name in clusters ? { tokens: NONE, endpoints: clusters[name] } : undefined),
    ready: () => Promise.resolve([]),
    refusedAfterMs: AFTER_MS,
    log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const ask = async (name: string, token: string) => {
    const began = performance.now();
    const answer = await fetch(`http://127.0.0.1:${port}/resync/${name}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: '{"objects":["routes"]}',
    });
    const told = [answer.status, answer.headers.get('www-authenticate'), await answer.text()];
    return { told, tookMs: performance.now() - began };
  };
  expect((await ask('quick', 'owner')).told[0]).toBe(403);

  const names = ['none', ...Object.keys(clusters)];
  const answers = await Promise.all(names.map((name) => ask(name, 'guess')));

  expect(answers[0]?.told[0]).toBe(401);
  expect(new Set(answers.map(({ told }) => JSON.stringify(told))).size).toBe(1);
  for (const { tookMs } of answers) expect(tookMs).toBeGreaterThan(AFTER_MS - 2);
  expect((await ask('quick', 'owner')).tookMs).toBeLessThan(AFTER_MS);
});

test('at /events a token that was never verified is refused after one time, and who was is told to send it again', async () => {
  const AFTER_MS = 400;
  const verifying = (verifySender?: ClusterEndpoints['verifySender']): ClusterEndpoints => ({
    ...{ clusters: ['hangs'], self: [], enqueue: () => Promise.resolve(), reconcile: never, status: never },
    ...(verifySender && { verifySender }),
  });
  let isSilent = false;
  const clusters: Readonly<Record<string, ClusterEndpoints | undefined>> = {
    hangs: verifying(async (token) => {
      await sleep(50);
      if (isSilent) throw new Error('no answer');
      return token === 'x.y.sender' ? undefined : 'it has ended';
    }),
    quick: verifying(() => Promise.resolve('it has ended')),
    without: verifying(),
    unserved: undefined,
  };
  const app = createClustersServer({
    ...{ tokens: NONE, byCertificate: false, open: false, status: never, metrics: never },
    find: (name) => (name in clusters ? { tokens: NONE, endpoints: clusters[name] } : undefined),
    ready: () => Promise.resolve([]),
    refusedAfterMs: AFTER_MS,
    log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const ask = async (name: string, token: string) => {
    const began = performance.now();
    const answer = await fetch(`http://127.0.0.1:${port}/events/${name}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/cloudevents-batch+json' },
      body: '[]',
    });
    const told = [answer.status, answer.headers.get('www-authenticate'), await answer.text()];
    return { told, tookMs: performance.now() - began };
  };
  expect((await ask('hangs', 'x.y.sender')).told[0]).toBe(202);
  isSilent = true;

  const names = ['none', ...Object.keys(clusters)];
  const answers = await Promise.all(names.map((name) => ask(name, 'x.y.guess')));

  expect(answers[0]?.told[0]).toBe(401);
  expect(new Set(answers.map(({ told }) => JSON.stringify(told))).size).toBe(1);
  for (const { tookMs } of answers) expect(tookMs).toBeGreaterThan(AFTER_MS - 2);
  const sender = await ask('hangs', 'x.y.sender');
  expect(sender.told[0]).toBe(503);
  expect(sender.tookMs).toBeLessThan(AFTER_MS);
});

test('the page of an object wants the token of its cluster, and without one tells nothing of the names', async () => {
  const tokens = { ...NONE, pageTokens: ['a-token-of-twenty-characters'] };
  const view: ObjectView = {
    ...{ cluster: 'a', generatedAt: '2026-11-21T03:00:00Z', runs: [], events: [] },
    row: { object: 'service/shop/web', state: 'unknown', reason: 'no run yet', planSteps: 0 },
  };
  const endpoints: ClusterEndpoints = {
    ...{ clusters: ['a'], self: [], enqueue: never, reconcile: never, status: never },
    object: (key) => Promise.resolve({ ...view, row: { ...view.row, reason: `asked for ${key}` } }),
  };
  const app = createClustersServer({
    ...{ tokens: NONE, open: false, status: never, metrics: never, ready: () => Promise.resolve([]) },
    find: (name) =>
      name === 'none' ? undefined : { tokens, endpoints: name === 'a' ? endpoints : undefined },
    log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const ask = async (name: string, token: string): Promise<readonly unknown[]> => {
    const answer = await fetch(`http://127.0.0.1:${port}/clusters/${name}/objects/service/shop/web`, {
      headers: { Authorization: `Bearer ${token}`, Accept: 'text/html' },
    });
    return [answer.status, await answer.text()];
  };
  expect(await ask('a', 'wrong')).toEqual(await ask('none', 'wrong'));
  expect(await ask('unserved', 'wrong')).toEqual(await ask('none', 'wrong'));
  const [status, text] = await ask('a', 'a-token-of-twenty-characters');
  expect(status).toBe(200);
  expect(text).toContain('asked for service/shop/web');
  expect(text).toContain('<a href="/clusters/a">');
  expect((await ask('unserved', 'a-token-of-twenty-characters'))[0]).toBe(503);
});
