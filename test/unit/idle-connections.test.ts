import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { createGot } from '../../shared/http.ts';
import { listening } from '../support/for-one-test.ts';

const IDLE_MS = 60;

test('a connection is kept from request to request, closed when nobody uses it, and never under a request', async () => {
  const sockets = new Set<IncomingMessage['socket']>();
  const answers: ServerResponse[] = [];
  const url = await listening((request, response) => {
    sockets.add(request.socket);
    if (request.url === '/slow') answers.push(response);
    else response.end();
  });
  const client = createGot({ idleMs: IDLE_MS });
  await client(url);
  await client(url);
  expect(sockets.size).toBe(1);
  await expect.poll(() => [...sockets][0]?.destroyed).toBe(true);
  const slow = client(`${url}/slow`);
  await expect.poll(() => answers).toHaveLength(1);
  await new Promise((resolve) => setTimeout(resolve, 4 * IDLE_MS));
  answers[0]?.end('late');
  expect((await slow).body).toBe('late');
  expect(sockets.size).toBe(2);
});
