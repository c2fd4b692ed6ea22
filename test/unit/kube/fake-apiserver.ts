import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Connection } from '../../../shared/kube/connection/connection.ts';
import type { Log } from '../../../shared/ports.ts';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** `reset` closes the connection without an answer, `hang` leaves it open. */
export type Told = { status: number; body?: unknown; headers?: Record<string, string> } | 'reset' | 'hang';

export interface FakeApiserver {
  readonly url: string;
  readonly asked: readonly Asked[];
  /** Sockets that were opened. */
  readonly sockets: number;
  readonly connection: Connection;
  close(): Promise<void>;
}

/** A server with the answers of a test, for what the simulator never does. */
export async function fakeApiserver(answer: (asked: Asked, nth: number) => Told): Promise<FakeApiserver> {
  const asked: Asked[] = [];
  let sockets = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const url = new URL(request.url ?? '/', 'http://fake');
      const one: Asked = {
        method: request.method ?? '',
        path: url.pathname,
        query: url.searchParams,
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      };
      asked.push(one);
      const told = answer(one, asked.length);
      if (told === 'hang') return undefined;
      if (told === 'reset') return request.socket.destroy();
      const text = typeof told.body === 'string' ? told.body : JSON.stringify(told.body ?? {});
      const type = typeof told.body === 'string' ? 'text/plain' : 'application/json';
      return response.writeHead(told.status, { 'content-type': type, ...told.headers }).end(text);
    });
  });
  server.on('connection', () => (sockets += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    asked,
    get sockets() {
      return sockets;
    },
    connection: { source: 'test', server: url, tls: {}, credential: () => Promise.resolve({}) },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

export function failure(status: number, message: string, reason?: string): { status: number; body: unknown } {
  const body = { kind: 'Status', apiVersion: 'v1', status: 'Failure', message, reason, code: status };
  return { status, body };
}

/** A log that keeps its warnings. */
export function keptLog(): Log & { readonly warnings: { message: string; fields: unknown }[] } {
  const warnings: { message: string; fields: unknown }[] = [];
  const ignore = (): void => undefined;
  const warn = (message: string, fields?: unknown): void => {
    warnings.push({ message, fields });
  };
  return { warnings, debug: ignore, info: ignore, warn, error: ignore };
}
