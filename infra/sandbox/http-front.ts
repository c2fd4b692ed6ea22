import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Answer, Call, Service } from './exchange.ts';
import { faultAnswer, type FaultRules, type FaultTarget } from './fault-rules.ts';
import type { SandboxClock } from './sandbox-clock.ts';

/** One request as it arrived; `status` is 0 until an answer was sent (and stays 0 when none ever was). */
export interface RecordedRequest {
  readonly side: 'kube' | 'openstack';
  readonly service: Service;
  readonly method: string;
  readonly path: string;
  readonly write: boolean;
  readonly body: unknown;
  readonly status: number;
}

export interface FrontOptions {
  readonly side: 'kube' | 'openstack';
  readonly port: number | undefined;
  readonly clock: SandboxClock;
  readonly faults: FaultRules;
  readonly record: (entry: RecordedRequest) => void;
  readonly serviceOf: (path: string) => Service;
  readonly handle: (call: Call) => Answer;
}

export interface Front {
  readonly url: string;
  close(): Promise<void>;
}

const readOnlyPost = '/v3/auth/tokens';

/** The HTTP side of a simulator on 127.0.0.1: reads, records, applies fault rules, writes the answer. */
export async function openFront(options: FrontOptions): Promise<Front> {
  const server: Server = createServer((request, response) => {
    serve(options, request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => {
        resolve();
      });
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}`, close };
}

async function serve(
  options: FrontOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  const method = request.method ?? 'GET';
  const write = !['GET', 'HEAD', 'OPTIONS'].includes(method) && !url.pathname.endsWith(readOnlyPost);
  const target: FaultTarget = { side: options.side, method, path: url.pathname + url.search, write };
  const body = await readBody(request);
  const entry = { ...target, service: options.serviceOf(url.pathname), body, status: 0 };
  options.record(entry);
  const call = {
    method,
    path: url.pathname,
    query: url.searchParams,
    target: target.path,
    headers: request.headers,
    body,
  };
  const answer = await withFault(options, target, call, request);
  if (answer === 'hang') return;
  if (answer === 'reset') {
    request.socket.destroy();
    return;
  }
  entry.status = answer.status;
  send(response, answer, options.clock);
}

/**
 * `call` rules exist to kill the client at this very request: when it is gone after `before`, the request counts
 * as never sent and has no effect; `after` runs when the effect is there and nothing has been answered yet.
 */
async function withFault(
  options: FrontOptions,
  target: FaultTarget,
  call: Call,
  request: IncomingMessage,
): Promise<Answer | 'hang' | 'reset'> {
  const rule = options.faults.next(target);
  if (rule === undefined) return options.handle(call);
  if (rule.kind === 'hang') return 'hang';
  if (rule.kind === 'reset-before') return 'reset';
  if (rule.kind === 'fail-before') return faultAnswer(rule, options.side);
  if (rule.before) {
    await rule.before();
    await pause(20);
    if (request.socket.destroyed) return 'hang';
  }
  const answer = options.handle(call);
  await rule.after?.();
  if (rule.kind === 'reset-after') return 'reset';
  return rule.kind === 'fail-after' ? faultAnswer(rule, options.side) : answer;
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

function send(response: ServerResponse, answer: Answer, clock: SandboxClock): void {
  response.setHeader('Date', clock.now().toUTCString());
  for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value);
  if (answer.body === undefined) {
    response.writeHead(answer.status).end();
    return;
  }
  if (typeof answer.body === 'string') {
    response.writeHead(answer.status, { 'Content-Type': 'text/plain' }).end(answer.body);
    return;
  }
  if (Buffer.isBuffer(answer.body)) {
    response.writeHead(answer.status, { 'Content-Type': 'application/octet-stream' }).end(answer.body);
    return;
  }
  response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer.body));
}
