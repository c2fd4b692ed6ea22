/** What the HTTP clients of Kubernetes and OpenStack have in common. */
import http from 'node:http';
import https from 'node:https';
import got, { type ExtendOptions, type Got } from 'got';

/** How often a GET is sent at the most. A write is sent once: the next run sees whether it took effect. */
export const ATTEMPTS = 3;

const FIRST_DELAY_MS = 250;
const MAX_SOCKETS = 16;

/**
 * got with connections that stay open. It returns every status as an answer, and neither follows redirects
 * nor repeats requests.
 */
export function createGot(options: Pick<ExtendOptions, 'https' | 'timeout'>): Got {
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

/**
 * Milliseconds to wait after `attempt` attempts: a random part of a limit that doubles with each attempt
 * (full jitter).
 */
export function backoffMs(attempt: number): number {
  return Math.random() * FIRST_DELAY_MS * 2 ** attempt;
}

/**
 * Milliseconds that an answer asks to wait: the header Retry-After, as seconds or as an HTTP date (RFC 9110, 10.2.3).
 * Undefined when it is absent or unreadable.
 */
export function retryAfterMs(header: string | undefined, nowMs: number = Date.now()): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}
