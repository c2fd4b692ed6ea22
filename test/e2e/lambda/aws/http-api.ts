import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer, text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { Invoker } from './lambda.ts';
import type { RouteSettings } from './template.ts';

export interface HttpApi {
  readonly url: string;
  /** True: every connection is cut, as when the network between the apiserver and AWS is. */
  isDeaf: boolean;
  /** A request from outside. */
  ask(path: string, options?: https.RequestOptions & { readonly body?: string }): Promise<ApiAnswer>;
  stop(): Promise<void>;
}

export interface ApiAnswer {
  readonly status: number;
  readonly text: string;
}

export interface HttpApiOptions {
  readonly routes: readonly RouteSettings[];
  readonly lambda: Invoker;
  /** Certificate and key in PEM; without them it is plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** 0: any that is free. */
  readonly port?: number;
}

/** Of API Gateway; a function takes less. */
const LONGEST_BODY = 10 * 1024 * 1024;
/** Bodies of these types travel as text, all others as base64. */
const TEXT = /^(text\/|application\/(json|javascript|xml|[^;]*\+(json|xml)))/;

interface Route extends RouteSettings {
  readonly method: string;
  readonly path: RegExp;
}

interface FunctionAnswer {
  readonly statusCode?: number;
  readonly headers?: Readonly<Record<string, string | number | boolean>>;
  readonly cookies?: readonly string[];
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
}

/** API Gateway's HTTP API: requests become events of payload format 2.0, and what the function returns the answers. */
export async function startHttpApi({ routes, lambda, tls, port = 0 }: HttpApiOptions): Promise<HttpApi> {
  const table = routes.map((route): Route => {
    const [method = '', path = ''] = route.key.split(' ');
    return { ...route, method, path: new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`) };
  });
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    if (api.isDeaf) {
      request.socket.destroy();
      return;
    }
    answer(request, response, table, lambda).catch((error: unknown) => {
      console.error(`${request.method} ${request.url}: ${String(error)}`);
      refuse(response, ...FAILED);
    });
  };
  const server = tls ? https.createServer({ ...tls }, serve) : http.createServer(serve);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: taken } = server.address() as AddressInfo;
  const api = {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${taken}`,
    isDeaf: false,
    async ask(path: string, { body, ...options }: https.RequestOptions & { readonly body?: string } = {}) {
      const { request } = tls ? https : http;
      const asked = request(`${api.url}${path}`, { ...options, ...(tls && { rejectUnauthorized: false }) });
      asked.end(body);
      const [response] = (await once(asked, 'response')) as [IncomingMessage];
      return { status: response.statusCode ?? 0, text: await text(response) };
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return api;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  routes: readonly Route[],
  lambda: Invoker,
): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://api');
  const route = routes.find(({ method, path }) => method === request.method && path.test(pathname));
  const body = await buffer(request);
  const found = !route
    ? NOT_FOUND
    : body.length > LONGEST_BODY
      ? TOO_LARGE
      : await invoke(request, route, body, lambda);
  if (typeof found === 'string') send(response, found);
  else refuse(response, ...found);
}

type Refusal = readonly [status: number, message: string];
const NOT_FOUND: Refusal = [404, 'Not Found'];
const TOO_LARGE: Refusal = [413, 'Request Entity Too Large'];
const UNAVAILABLE: Refusal = [503, 'Service Unavailable'];
const FAILED: Refusal = [500, 'Internal Server Error'];

/** What the function returned, or what API Gateway says in its place. */
async function invoke(
  request: IncomingMessage,
  route: Route,
  body: Buffer,
  lambda: Invoker,
): Promise<string | Refusal> {
  const late = pause(route.timeoutMs, undefined, { ref: false });
  const invocation = await Promise.race([lambda.invoke(route.function, event(request, route, body)), late]);
  if (!invocation || invocation.status === 429) return UNAVAILABLE;
  if (invocation.status === 413) return TOO_LARGE;
  return invocation.functionError ? FAILED : invocation.payload;
}

function send(response: ServerResponse, payload: string): void {
  const {
    statusCode,
    headers = {},
    cookies = [],
    body,
    isBase64Encoded = false,
  } = JSON.parse(payload) as FunctionAnswer;
  if (statusCode === undefined) throw new Error(`an answer without statusCode: ${payload.slice(0, 300)}`);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, String(value));
  if (cookies.length > 0) response.setHeader('set-cookie', cookies);
  response.writeHead(statusCode).end(Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8'));
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ message }));
}

function event(request: IncomingMessage, route: Route, body: Buffer): string {
  const { pathname, search, searchParams, host } = new URL(
    request.url ?? '/',
    `http://${request.headers.host ?? 'api'}`,
  );
  const { cookie, ...given } = request.headers;
  const sourceIp = request.socket.remoteAddress ?? '';
  const isBinary =
    body.length > 0 &&
    (!TEXT.test(given['content-type'] ?? 'text/plain') || given['content-encoding'] !== undefined);
  const query: Record<string, string> = {};
  for (const [name, value] of searchParams) query[name] = name in query ? `${query[name]},${value}` : value;
  const now = new Date();
  const pathParameters = { ...route.path.exec(pathname)?.groups };
  return JSON.stringify({
    version: '2.0',
    routeKey: route.key,
    rawPath: decodeURI(pathname),
    rawQueryString: search.slice(1),
    ...(cookie !== undefined && { cookies: cookie.split('; ') }),
    headers: {
      ...given,
      'x-forwarded-for': sourceIp,
      'x-forwarded-port': '443',
      'x-forwarded-proto': 'https',
    },
    ...(search.length > 1 && { queryStringParameters: query }),
    requestContext: {
      ...{ accountId: '000000000000', apiId: 'lab', domainName: host, domainPrefix: 'lab' },
      http: {
        ...{
          method: request.method,
          path: decodeURI(pathname),
          protocol: `HTTP/${request.httpVersion}`,
          sourceIp,
        },
        userAgent: given['user-agent'] ?? '',
      },
      ...{ requestId: randomUUID(), routeKey: route.key, stage: '$default' },
      ...{ time: commonLogTime(now), timeEpoch: now.getTime() },
    },
    ...(Object.keys(pathParameters).length > 0 && { pathParameters }),
    ...(body.length > 0 && { body: body.toString(isBinary ? 'base64' : 'utf8') }),
    isBase64Encoded: isBinary,
  });
}

function commonLogTime(date: Date): string {
  const [, day = '', month = '', year = '', time = ''] = date.toUTCString().split(' ');
  return `${day}/${month}/${year}:${time} +0000`;
}
