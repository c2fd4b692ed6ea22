import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createGot } from '../../shared/http.ts';

const IDLE_MS = 60;

test('a connection is kept from request to request, closed when nobody uses it, and never under a request', async () => {
  const sockets: Socket[] = [];
  const answers: ServerResponse[] = [];
  const server = createServer((request, response) => {
    if (request.url === '/slow') answers.push(response);
    else response.end();
  }).on('connection', (socket) => sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = createGot({ idleMs: IDLE_MS });
  await client(url);
  await client(url);
  expect(sockets).toHaveLength(1);
  await expect.poll(() => sockets[0]?.destroyed).toBe(true);
  const slow = client(`${url}/slow`);
  await expect.poll(() => answers).toHaveLength(1);
  await new Promise((resolve) => setTimeout(resolve, 4 * IDLE_MS));
  answers[0]?.end('late');
  expect((await slow).body).toBe('late');
  expect(sockets).toHaveLength(2);
});
