/** What those who have no token learn at the doors of a deployment with several clusters. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createClustersServer } from '../../../functions/clusters/clusters-server.ts';
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
