import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createWatch } from '../../../shared/kube/watch-http.ts';

test('an apiserver that refuses a watch is heard: when to come again, and under which id its log has it', async () => {
  const status = { kind: 'Status', message: 'too many requests, please try again later' };
  const server = http.createServer((_request, response) => {
    response.writeHead(429, { 'retry-after': '7', 'audit-id': 'audit-7' }).end(JSON.stringify(status));
  });
  onTestFinished(() => void server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const credential = () => Promise.resolve({});
  const watch = createWatch({ source: 'test', server: `http://127.0.0.1:${port}`, tls: {}, credential });
  const events = watch(
    { path: '/api/v1/nodes', resourceVersion: '1', doing: 'watch Nodes' },
    new AbortController().signal,
  );
  await expect(events[Symbol.asyncIterator]().next()).rejects.toMatchObject({
    code: 'KUBE_UNAVAILABLE',
    message: `cannot watch Nodes: 429 ${status.message}`,
    context: { status: 429, retryAfterMs: 7_000, requestId: 'audit-7' },
  });
});
