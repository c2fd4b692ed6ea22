import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';
import { RequestError, type Got, type Method } from 'got';
import type { OpenStackConfig } from '../config/config.ts';
import { ReconcileError } from '../model/errors.ts';
import { parseJson, withoutUndefined } from '../model/json.ts';
import { budgetSpent, WRITE_MS, NO_RUN, type RunContext } from '../deadline.ts';
import {
  ATTEMPTS,
  backoffMs,
  connectionInWords,
  createGot,
  retryAfterMs,
  timeouts,
  TOO_LONG,
  type RefuseAddress,
} from '../http.ts';
import type { ProxyFor } from '../proxy.ts';
import { EndpointSemaphores, LONGEST_WAIT_MS } from './endpoint-semaphore.ts';

export type ServiceType = 'identity' | 'load-balancer' | 'network' | 'compute' | 'key-manager';

export interface HttpRequest {
  readonly service: ServiceType;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface HttpAnswer {
  readonly status: number;
  readonly requestId?: string;
  readonly retryAfterMs?: number;
  /** The header X-Subject-Token, in which Keystone sends a token. */
  readonly subjectToken?: string;
  /** Parsed JSON; undefined if the answer was empty or no whole JSON. */
  readonly body: unknown;
  /** Of an answer that is no JSON: what its page is called, or where it redirects to. */
  readonly page?: string;
  /** The text of the answer, if `accept` asked for plain text. */
  readonly text?: string;
  /** The `Date` header in milliseconds since 1970, in whole seconds; absent if it is missing. */
  readonly serverTimeMs?: number;
  /** Of a 401: the access rule that the application credential lacks. */
  readonly missingRule?: string;
}

export interface Call {
  readonly service: ServiceType;
  readonly method: string;
  readonly status: number;
  readonly requestId?: string;
  readonly durationMs: number;
}

export type Observer = (call: Call) => void;

/** No whole answer came. The reason in words only: got's errors hold the request with its token. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  readonly timedOut: boolean;
  readonly isTooLong: boolean;

  constructor(reason: string, timedOut: boolean, isTooLong = false) {
    super(reason);
    this.timedOut = timedOut;
    this.isTooLong = isTooLong;
  }
}

export type OpenStackHttp = (request: HttpRequest, run?: RunContext) => Promise<HttpAnswer>;

/** An answer as it came, with the names of its headers in lower case. */
interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** How one request gets to a service, and how time passes between two. The simulators have one without sockets. */
export interface Transport {
  /** Resolves with any answer; rejects when no whole one came within `limitMs`. */
  send(request: HttpRequest, limitMs: number): Promise<RawAnswer>;
  /** Resolves after this time, or when the signal is given. */
  pause(ms: number, signal?: AbortSignal): Promise<void>;
  /** The monotonic clock, in milliseconds: whoever sets the time of day changes no lifetime and no backoff. */
  now(): number;
}

/**
 * The HTTP client for OpenStack. Resolves with any answer; rejects with NoAnswer only. A GET is repeated on 429, 5xx
 * except 501, and lost connections, but not after a timeout; a write never. Each attempt waits for its turn at its
 * endpoint. A POST, but for a login, is sent only with the time that a write may take: without its answer the next run
 * would make another.
 */
export function createOpenStackHttp(
  config: OpenStackConfig,
  observe: Observer,
  transport: Transport = overSockets(config),
  semaphores = new EndpointSemaphores<HttpAnswer>(transport),
): OpenStackHttp {
  const account = accountOf(config);
  return async (request, run = NO_RUN) => {
    const semaphore = semaphores.of(request, account);
    const leastMs = request.method === 'POST' && request.service !== 'identity' ? WRITE_MS : 1;
    for (let attempt = 1; ; attempt += 1) {
      const last = request.method !== 'GET' || attempt === ATTEMPTS;
      try {
        const send = async (): Promise<HttpAnswer> => {
          const leftMs = run.remainingMs();
          if (leftMs < leastMs) throw budgetSpent(`send a request to ${request.service}`);
          return attemptOnce(transport, request, Math.min(config.requestTimeoutMs, leftMs), observe);
        };
        const answer = await semaphore.pass(request.service, run, send);
        const wait = answer.retryAfterMs ?? backoffMs(attempt);
        const ends = wait > LONGEST_WAIT_MS || wait >= run.remainingMs();
        if (last || ends || !isPassing(answer.status)) return answer;
        await transport.pause(wait);
      } catch (error) {
        const wait = backoffMs(attempt);
        const ends = last || wait >= run.remainingMs();
        if (ends || !(error instanceof NoAnswer) || error.timedOut || error.isTooLong) throw error;
        await transport.pause(wait);
      }
    }
  };
}

/** Whose requests they are. Who knows no more than the name of an account, or names it to a Keystone of their own, is somebody else. */
function accountOf({ authUrl, credentials }: OpenStackConfig): string {
  return createHash('sha256')
    .update(JSON.stringify([authUrl, credentials]))
    .digest('base64');
}

export const REAL_TIME: Pick<Transport, 'pause' | 'now'> = {
  pause: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined),
  now: () => performance.now(),
};

/** Each service has connections of its own, so that calls which hang in one hold up no call to another. */
export function overSockets(config: OpenStackConfig, proxyFor?: ProxyFor, refuse?: RefuseAddress): Transport {
  const clients = new Map<ServiceType, Got>();
  const clientOf = (service: ServiceType): Got => {
    const client = clients.get(service) ?? createClient(config, proxyFor, refuse);
    clients.set(service, client);
    return client;
  };
  return {
    async send({ service, method, url, headers, body }, limitMs) {
      const response = await clientOf(service)(url, {
        method: method satisfies Method,
        timeout: timeouts(limitMs),
        ...(headers === undefined ? {} : { headers }),
        ...(body === undefined ? {} : { json: body }),
      });
      return { status: response.statusCode, headers: response.headers, text: response.body };
    },
    ...REAL_TIME,
  };
}

/** Of one service that hangs ten more requests go out each two seconds: 150 by the end of the first one's half minute. */
const SOCKETS = 256;

function createClient(
  config: OpenStackConfig,
  proxyFor: ProxyFor | undefined,
  refuse: RefuseAddress | undefined,
): Got {
  return createGot({
    ...{ maxSockets: SOCKETS, refuse },
    ...(proxyFor && { proxyFor }),
    https: {
      rejectUnauthorized: !config.tlsInsecure,
      // A list given here replaces Node's root certificates, so they are a part of it.
      ...(config.ca === undefined ? {} : { certificateAuthority: [...tls.rootCertificates, config.ca] }),
      ...(config.cert === undefined ? {} : { certificate: config.cert }),
      ...(config.key === undefined ? {} : { key: config.key }),
    },
  });
}

async function attemptOnce(
  transport: Transport,
  request: HttpRequest,
  limitMs: number,
  observe: Observer,
): Promise<HttpAnswer> {
  const { service, method, headers } = request;
  const started = performance.now();
  const seen = (status: number, requestId?: string): void => {
    const durationMs = performance.now() - started;
    observe({ service, method, status, durationMs, ...(requestId === undefined ? {} : { requestId }) });
  };
  try {
    const raw = await transport.send(request, limitMs);
    const read = readAnswer(raw);
    const answer = headers?.['accept'] === 'text/plain' ? { ...read, text: raw.text } : read;
    seen(answer.status, answer.requestId);
    return answer;
  } catch (error) {
    seen(0);
    throw error instanceof RequestError && error.cause instanceof ReconcileError
      ? error.cause
      : toNoAnswer(error);
  }
}

function readAnswer({ status, headers, text }: RawAnswer): HttpAnswer {
  const header = (name: string): string | undefined => [headers[name]].flat()[0];
  const serverTimeMs = Date.parse(headers.date ?? '');
  const body = parseJson(text);
  const told = withoutUndefined({
    requestId: header('x-openstack-request-id'),
    retryAfterMs: retryAfterMs(header('retry-after')),
    subjectToken: header('x-subject-token'),
    serverTimeMs: Number.isNaN(serverTimeMs) ? undefined : serverTimeMs,
    page: body === undefined ? pageOf(status, text, headers.location) : undefined,
  });
  return { status, ...told, body };
}

function pageOf(status: number, text: string, location: string | undefined): string | undefined {
  if (status >= 300 && status < 400 && location !== undefined)
    return `it redirects to ${location.replace(/[?#].*/s, '')}, and levelset follows no redirect`;
  const isText = status >= 400 && /^\s*\w/.test(text);
  return isText ? text : /<(?:title|h1)[^>]*>([^<]+)/i.exec(text)?.[1];
}

function toNoAnswer(error: unknown): NoAnswer {
  if (error instanceof NoAnswer) return error;
  if (!(error instanceof RequestError)) return new NoAnswer('the request failed', false);
  const timedOut = error.code === 'ETIMEDOUT' && error.name === 'TimeoutError';
  return new NoAnswer(connectionInWords(error, 'ca-file'), timedOut, error.code === TOO_LONG);
}

/** Whether a status may pass by itself. A 501 does not: it says what the service cannot do. */
function isPassing(status: number): boolean {
  return status === 429 || (status >= 500 && status !== 501);
}
