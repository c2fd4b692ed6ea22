/**
 * Bodies that a caller with a token may send. Deep nesting is a 500 at /resync, and at /audit half a gigabyte of memory for five
 * seconds. Half a million unknown fields are answered, and logged, one by one.
 */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { testServer } from '../../http/test-server.ts';
import { show } from '../show.ts';

const tested = testServer();
const server = http.createServer(tested.app);
await new Promise<void>((resolve) => {
  server.listen(0, '127.0.0.1', resolve);
});
const { port } = server.address() as AddressInfo;
const post = async (path: string, token: string, body: string): Promise<string> => {
  const started = performance.now();
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body,
  });
  const { length } = await answer.text();
  const megabytes = Math.round(process.memoryUsage().rss / 1e6);
  const ms = Math.round(performance.now() - started);
  return `${answer.status}, ${length} bytes, ${ms} ms, process ${megabytes} MB`;
};
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
show('/resync, 100 000 levels', await post('/resync', 'resync-token', `{"objects":${nested(1e5)}}`));
show('/audit, 4 900 000 levels', await post('/audit/kubernetes', 'audit-token', nested(4.9e6)));
const fields = Array.from({ length: 500_000 }, (_, at) => `"k${at}":1`).join(',');
show('/resync, 500 000 unknown fields', await post('/resync', 'resync-token', `{${fields}}`));
show(
  'bytes of log',
  tested.lines.reduce((sum, line) => sum + line.length, 0),
);
server.close();
server.closeAllConnections();
