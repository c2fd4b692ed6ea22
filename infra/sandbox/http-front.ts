import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Answer } from './exchange.ts';
import { answerRequest, type Front } from './front.ts';
import { headersOf, textOf } from './reply.ts';
import type { KeyAndCertificate } from './tls/loopback-certificate.ts';

export interface HttpFront {
  readonly url: string;
  close(): Promise<void>;
}

export type Loopback = '127.0.0.1' | '::1';

export interface Listening {
  readonly port?: number | undefined;
  readonly host?: Loopback | undefined;
  /** Over TLS with these, else without. */
  readonly tls?: KeyAndCertificate | undefined;
}

/** The HTTP side of a simulator: reads requests, writes answers. */
export async function openFront(
  front: Front,
  { port = 0, host = '127.0.0.1', tls }: Listening = {},
): Promise<HttpFront> {
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    serve(front, request, response).catch(() => response.destroy());
  };
  const server = tls ? createTlsServer(tls, answer) : createServer(answer);
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const { port: taken } = server.address() as AddressInfo;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => {
        resolve();
      });
      server.closeAllConnections();
    });
  return { url: `${tls ? 'https' : 'http'}://${host === '::1' ? '[::1]' : host}:${taken}`, close };
}

async function serve(front: Front, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, search } = new URL(request.url ?? '/', 'http://127.0.0.1');
  const { method = 'GET', headers } = request;
  const asked = { method, target: pathname + search, headers, body: await readBody(request) };
  const answer = await answerRequest(front, asked, () => request.socket.destroyed);
  if (answer === 'hang') return;
  if (answer === 'reset') request.socket.destroy();
  else send(response, answer, front);
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  try {
    return text === '' ? undefined : (JSON.parse(text) as unknown);
  } catch {
    return text;
  }
}

function send(response: ServerResponse, answer: Answer, { clock }: Front): void {
  for (const [name, value] of Object.entries(headersOf(answer, clock))) response.setHeader(name, value);
  if (answer.stream) {
    response.writeHead(answer.status, { 'Content-Type': 'application/json' }).flushHeaders();
    const stop = answer.stream(
      (part) => response.write(part),
      () => response.end(),
    );
    response.once('close', stop);
    return;
  }
  response.writeHead(answer.status).end(Buffer.isBuffer(answer.body) ? answer.body : textOf(answer));
}
