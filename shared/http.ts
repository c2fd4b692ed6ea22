/** What the HTTP clients of Kubernetes and OpenStack have in common. */
import http from 'node:http';
import https from 'node:https';
import got, { type ExtendOptions, type Got } from 'got';

/** How often a GET is sent at the most. A write is sent once: the next run sees whether it took effect. */
export const ATTEMPTS = 3;

const FIRST_DELAY_MS = 250;
const MAX_SOCKETS = 16;
/** The time for a connection, and as much again for TLS: a second and a third SYN go out after 1 and 3 s. */
const CONNECT_MS = 4_000;

/**
 * got with connections that stay open. It returns every status as an answer, and neither follows redirects
 * nor repeats requests.
 */
export function createGot(options: Pick<ExtendOptions, 'https'>): Got {
  const agent = { keepAlive: true, maxSockets: MAX_SOCKETS };
  return got.extend({
    ...options,
    throwHttpErrors: false,
    followRedirect: false,
    retry: { limit: 0 },
    agent: { http: new http.Agent(agent), https: new https.Agent(agent) },
    // The apiserver takes the field manager and the audit log's userAgent from here.
    headers: { 'user-agent': 'levelset', accept: 'application/json' },
    responseType: 'text',
  });
}

/** The limits of one request, which has `limitMs` from its start to the last byte of the answer. */
export function timeouts(limitMs: number): NonNullable<ExtendOptions['timeout']> {
  return { connect: CONNECT_MS, secureConnect: CONNECT_MS, request: Math.ceil(limitMs) };
}

/**
 * Milliseconds to wait after `attempt` attempts: a random part of a limit that doubles with each attempt
 * (full jitter).
 */
export function backoffMs(attempt: number): number {
  return Math.random() * FIRST_DELAY_MS * 2 ** attempt;
}

/** The longest wait that an answer can ask for. A proxy's page of maintenance says what it likes. */
export const LONGEST_RETRY_AFTER_MS = 5 * 60_000;

/**
 * Milliseconds that an answer asks to wait, at most five minutes: the header Retry-After, as seconds or as an HTTP date
 * (RFC 9110, 10.2.3). Undefined when it is absent or unreadable.
 */
export function retryAfterMs(header: string | undefined, nowMs: number = Date.now()): number | undefined {
  if (header === undefined) return undefined;
  const asked = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - nowMs;
  return Number.isNaN(asked) ? undefined : Math.min(LONGEST_RETRY_AFTER_MS, Math.max(0, asked));
}
