/** What those who have no token learn at the doors of a deployment with several clusters. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createClustersServer } from '../../../functions/clusters/clusters-server.ts';
import type { ObjectView } from '../../../shared/report/page/object-view.ts';
import type { ClusterEndpoints } from '../../../functions/serve/served-cluster.ts';

const NONE = { auditTokens: [], resyncTokens: [], pageTokens: [] };
const nothing = (): void => undefined;
const never = (): Promise<never> => Promise.reject(new Error('not asked for'));

test('the page of an object wants the token of its cluster, and without one tells nothing of the names', async () => {
  const tokens = { ...NONE, pageTokens: ['a-token-of-twenty-characters'] };
  const view: ObjectView = {
    ...{ cluster: 'a', generatedAt: '2026-11-21T03:00:00Z', runs: [], events: [] },
    row: { object: 'service/shop/web', state: 'unknown', reason: 'no run yet', planSteps: 0 },
  };
  const endpoints: ClusterEndpoints = {
    ...{ clusters: ['a'], self: [], enqueue: never, dryRun: never, status: never },
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

test('an OIDC token that is not verified has one answer, whether there is such a cluster or not', async () => {
  const told: string[] = [];
  const endpoints: ClusterEndpoints = {
    ...{ clusters: ['a'], self: [], enqueue: never, dryRun: never, status: never, object: never },
    verifySender: () => Promise.resolve('its audience is another one'),
  };
  const app = createClustersServer({
    ...{ tokens: NONE, open: false, status: never, metrics: never, ready: () => Promise.resolve([]) },
    find: (name) => (name === 'a' ? { tokens: NONE, endpoints } : undefined),
    log: { debug: nothing, info: (message) => void told.push(message), warn: nothing, error: nothing },
  });
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const ask = async (name: string): Promise<readonly unknown[]> => {
    const answer = await fetch(`http://127.0.0.1:${port}/events/${name}`, {
      method: 'POST',
      headers: { Authorization: 'Bearer aaaa.bbbb.cccc' },
    });
    return [answer.status, answer.headers.get('www-authenticate'), await answer.text()];
  };
  expect(await ask('a')).toEqual(await ask('none'));
  expect(told).toContain('the OIDC token is not valid: its audience is another one');
});
