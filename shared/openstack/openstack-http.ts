import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';
import { RequestError, type Got, type Method } from 'got';
import type { OpenStackConfig } from '../config/config.ts';
import { parseJson } from '../model/json.ts';
import { ATTEMPTS, backoffMs, createGot, retryAfterMs } from '../http.ts';

export type ServiceType = 'identity' | 'load-balancer' | 'network' | 'compute' | 'key-manager';

export interface HttpRequest {
  readonly service: ServiceType;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
}

export interface HttpAnswer {
  readonly status: number;
  readonly requestId?: string;
  readonly retryAfterMs?: number;
  /** The header X-Subject-Token, in which Keystone sends a token. */
  readonly subjectToken?: string;
  /** Parsed JSON; undefined where the answer was empty or no whole JSON. */
  readonly body: unknown;
  /** The text of the answer, where `accept` asked for text. */
  readonly text?: string;
}

/** One attempt, for metrics and the run's report. */
export interface Call {
  readonly service: ServiceType;
  readonly method: string;
  /** 0 when no answer came. */
  readonly status: number;
  readonly requestId?: string;
  readonly durationMs: number;
}

export type Observer = (call: Call) => void;

/** No whole answer came. It has the reason in words only, as got's own errors hold the request with its token. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  readonly timedOut: boolean;

  constructor(reason: string, timedOut: boolean) {
    super(reason);
    this.timedOut = timedOut;
  }
}

export type Http = (request: HttpRequest) => Promise<HttpAnswer>;

/** An answer that asks to wait longer is returned. Waiting in the queue is cheaper than waiting in a function. */
const LONGEST_WAIT_MS = 5_000;

/**
 * The HTTP client for OpenStack. Resolves with any answer, whatever its status; rejects with NoAnswer only. A GET is
 * repeated on 429, 5xx and lost connections, with full jitter, but not after a timeout: one limit holds for the call and
 * for the wait. A write is never repeated: the next run sees whether it took effect.
 */
export function createHttp(config: OpenStackConfig, observe: Observer): Http {
  const client = createClient(config);
  return async (request) => {
    for (let attempt = 1; ; attempt += 1) {
      const last = request.method !== 'GET' || attempt === ATTEMPTS;
      try {
        const answer = await attemptOnce(client, request, observe);
        const wait = answer.retryAfterMs ?? backoffMs(attempt);
        if (last || !isPassing(answer.status) || wait > LONGEST_WAIT_MS) return answer;
        await sleep(wait);
      } catch (error) {
        if (last || !(error instanceof NoAnswer) || error.timedOut) throw error;
        await sleep(backoffMs(attempt));
      }
    }
  };
}

function createClient(config: OpenStackConfig): Got {
  return createGot({
    timeout: { request: config.requestTimeoutMs },
    https: {
      rejectUnauthorized: !config.tlsInsecure,
      // A list given here replaces the system's roots.
      ...(config.ca === undefined ? {} : { certificateAuthority: [...tls.rootCertificates, config.ca] }),
      ...(config.cert === undefined ? {} : { certificate: config.cert }),
      ...(config.key === undefined ? {} : { key: config.key }),
    },
  });
}

async function attemptOnce(client: Got, request: HttpRequest, observe: Observer): Promise<HttpAnswer> {
  const { service, method, url, headers, body } = request;
  const started = performance.now();
  const seen = (status: number, requestId?: string): void => {
    const durationMs = performance.now() - started;
    observe({ service, method, status, durationMs, ...(requestId === undefined ? {} : { requestId }) });
  };
  try {
    const response = await client(url, {
      method: method satisfies Method,
      ...(headers === undefined ? {} : { headers }),
      ...(body === undefined ? {} : { json: body }),
    });
    const read = readAnswer(response.statusCode, response.headers, response.body);
    const answer = headers?.['accept'] === 'text/plain' ? { ...read, text: response.body } : read;
    seen(answer.status, answer.requestId);
    return answer;
  } catch (error) {
    seen(0);
    throw toNoAnswer(error);
  }
}

function readAnswer(status: number, headers: IncomingHttpHeaders, text: string): HttpAnswer {
  const header = (name: string): string | undefined => [headers[name]].flat()[0];
  const requestId = header('x-openstack-request-id');
  const retryAfter = retryAfterMs(header('retry-after'));
  const subjectToken = header('x-subject-token');
  return {
    status,
    ...(requestId === undefined ? {} : { requestId }),
    ...(retryAfter === undefined ? {} : { retryAfterMs: retryAfter }),
    ...(subjectToken === undefined ? {} : { subjectToken }),
    body: parseJson(text),
  };
}

function toNoAnswer(error: unknown): NoAnswer {
  if (!(error instanceof RequestError)) return new NoAnswer('the request failed', false);
  const timedOut = error.code === 'ETIMEDOUT' && error.name === 'TimeoutError';
  return new NoAnswer(error.message === '' ? error.code : error.message, timedOut);
}

/** Whether a status may pass by itself. A 501 does not: it says what the service cannot do. */
function isPassing(status: number): boolean {
  return status === 429 || (status >= 500 && status !== 501);
}
