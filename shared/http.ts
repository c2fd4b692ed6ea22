/** What the HTTP clients of Kubernetes and OpenStack have in common. */
import dns from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import got, {
  RequestError,
  type ExtendOptions,
  type Got,
  type HandlerFunction,
  type RequestPromise,
} from 'got';
import { withoutCredentials, type ProxyFor } from './proxy.ts';

/** How often a GET is sent at the most. A write is sent once: the next run sees whether it took effect. */
export const ATTEMPTS = 3;

const FIRST_DELAY_MS = 250;
const MAX_SOCKETS = 16;
/** A connection that nobody used for so long is closed: a thousand clusters would keep 20,000 open from sweep to sweep. */
const IDLE_MS = 30_000;
/** The time for a connection, and as much again for TLS: a second and a third SYN go out after 1 and 3 s. */
const CONNECT_MS = 4_000;

/**
 * Bytes, unpacked: twice 500 Nodes with all their images and field managers. Somebody else's server must not fill the
 * memory (decision 486).
 */
const LONGEST_ANSWER = 32 * 2 ** 20;
export const TOO_LONG = 'ERR_ANSWER_TOO_LONG';

/** Why there may be no connection to a host at an address; undefined if there may. */
export type RefuseAddress = (host: string, address: string) => Error | undefined;

export interface ClientOptions extends Pick<ExtendOptions, 'https'> {
  /** Without it no request goes through a proxy. */
  readonly proxyFor?: ProxyFor;
  /** Asked before each connection without a proxy, by the very address that it goes to. */
  readonly refuse?: RefuseAddress | undefined;
  readonly maxSockets?: number;
  readonly idleMs?: number;
}

/** got with connections that stay open: every status is an answer, no redirect is followed, no request repeated. */
export function createGot({
  proxyFor = () => undefined,
  maxSockets = MAX_SOCKETS,
  idleMs = IDLE_MS,
  refuse,
  ...options
}: ClientOptions): Got {
  const agents = new Map<string, Agents>();
  const agentsFor = (proxy: string): Agents => {
    const kept = agents.get(proxy) ?? createAgents(proxy, maxSockets, idleMs, refuse);
    agents.set(proxy, kept);
    return kept;
  };
  return got.extend({
    ...options,
    throwHttpErrors: false,
    followRedirect: false,
    retry: { limit: 0 },
    // The apiserver takes the field manager and the audit log's userAgent from here.
    headers: { 'user-agent': 'levelset', accept: 'application/json' },
    responseType: 'text',
    handlers: [bounded],
    hooks: {
      beforeRequest: [
        (request) => {
          request.agent = agentsFor(proxyFor(new URL(String(request.url)))?.href ?? '');
        },
      ],
    },
  });
}

/** Breaks off at an answer that is too long. Whoever reads a stream has bounds of its own. */
const bounded: HandlerFunction = (options, next) => {
  if (options.isStream) return next(options);
  const limit = new AbortController();
  options.signal = options.signal ? AbortSignal.any([options.signal, limit.signal]) : limit.signal;
  const answer = next(options);
  return (answer as unknown as RequestPromise)
    .on('downloadProgress', ({ transferred }) => {
      if (transferred > LONGEST_ANSWER) limit.abort();
    })
    .catch((error: unknown) => {
      if (!limit.signal.aborted) throw error;
      throw new RequestError(
        `the answer is longer than ${LONGEST_ANSWER / 2 ** 20} MB`,
        { code: TOO_LONG },
        options,
      );
    }) as unknown as typeof answer;
};

interface Agents {
  readonly http: http.Agent;
  readonly https: https.Agent;
}

function createAgents(
  proxy: string,
  maxSockets: number,
  idleMs: number,
  refuse: RefuseAddress = () => undefined,
): Agents {
  // each certificate of a CA file is an anchor, as for Go, curl and kubectl, be it the root or not
  const options = { keepAlive: true, maxSockets, timeout: idleMs, allowPartialTrustChain: true };
  if (proxy === '')
    return {
      http: judging(new http.Agent(options), refuse),
      https: judging(new https.Agent(options), refuse),
    };
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < 24 || (major === 24 && minor < 5))
    throw new Error(`a proxy needs Node 24.5 or newer, this is ${process.version}`);
  const proxyEnv = { HTTP_PROXY: proxy, HTTPS_PROXY: proxy };
  return { http: new http.Agent({ ...options, proxyEnv }), https: new TunnelAgent({ ...options, proxyEnv }) };
}

function judging<A extends http.Agent>(agent: A, refuse: RefuseAddress): A {
  const connect = agent.createConnection.bind(agent);
  const lookup: LookupFunction = (host, options, done) => {
    dns.lookup(host, options, (error, found, family) => {
      const addresses = error
        ? []
        : [found].flat().map((one) => (typeof one === 'string' ? one : one.address));
      const refused = error ?? addresses.map((address) => refuse(host, address)).find((why) => why);
      done(refused ?? null, found, family);
    });
  };
  agent.createConnection = (options, done) => {
    const host = options.host ?? '';
    const refused = isIP(host) === 0 ? undefined : refuse(host, host); // nobody looks up an address
    if (!refused) return connect({ ...options, lookup }, done);
    done?.(refused, undefined as unknown as Duplex);
    return undefined;
  };
  return agent;
}

/** got sees a connection when the tunnel is there and TLS is up in it, so its limits do not hold before. */
class TunnelAgent extends https.Agent {
  override createConnection(
    options: https.RequestOptions,
    done: (error: Error | null, socket: Duplex) => void,
  ): Duplex | null | undefined {
    const limit = new AbortController();
    const timer = setTimeout(() => {
      limit.abort();
    }, 2 * CONNECT_MS);
    // timeout: until the proxy has made the tunnel; signal: until TLS is up
    const limited = { ...options, timeout: CONNECT_MS, signal: limit.signal };
    return super.createConnection(limited, (error, socket) => {
      clearTimeout(timer);
      const late = limit.signal.aborted && new Error(`no TLS within ${(2 * CONNECT_MS) / 1000} s`);
      done(late || withoutCredentials(error), socket);
    });
  }
}

export function timeouts(limitMs: number): NonNullable<ExtendOptions['timeout']> {
  return { connect: CONNECT_MS, secureConnect: CONNECT_MS, request: Math.ceil(limitMs) };
}

/** Full jitter below a limit that doubles with each attempt. */
export function backoffMs(attempt: number): number {
  return Math.random() * FIRST_DELAY_MS * 2 ** attempt;
}

/** The longest wait that an answer can ask for. A proxy's page of maintenance says what it likes. */
const LONGEST_RETRY_AFTER_MS = 5 * 60_000;

/** The header Retry-After in milliseconds, at most five minutes: seconds or an HTTP date (RFC 9110, 10.2.3). Undefined if unreadable. */
export function retryAfterMs(header: string | undefined, nowMs: number = Date.now()): number | undefined {
  if (header === undefined) return undefined;
  const asked = /^\d+(\.\d+)?$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - nowMs;
  return Number.isNaN(asked) ? undefined : Math.min(LONGEST_RETRY_AFTER_MS, Math.max(0, asked));
}

const NODES_ADVICE = '; if the root CA is installed locally';

/** A failed connection in words. `authority` is the option with the CA, named for a certificate that nobody vouches for. */
export function connectionInWords({ code, message }: RequestError, authority: string): string {
  const [reason = ''] = message.split(NODES_ADVICE);
  const isUntrusted = /^(UNABLE_TO_(VERIFY|GET_ISSUER)|SELF_SIGNED|DEPTH_ZERO)/.test(code);
  return isUntrusted
    ? `${reason}; ${authority} has to have the certificate of who signed it`
    : reason || code;
}

/** The largest clusters have 5,000 Nodes and 10,000 Services, the largest projects some more of members and ports. */
const MOST_ITEMS = 100_000;
/** Of all of them together, as JSON without what nobody reads. One namespace with a hundred of the largest objects must not stop all. */
const MOST_BYTES = 256 * 2 ** 20;
/** A server may send pages with fewer objects than it was asked for, and even none. */
const MORE_PAGES = 1_000;

/** The pages of one list, and how much of it is kept, of whatever server it comes. */
export class ListPages {
  #limit: number;
  #pages = 0;
  #items = 0;
  #bytes = 0;

  constructor(pageSize: number) {
    this.#limit = pageSize;
  }

  /** The answer with a page. Of one that is too long an eighth is asked for, since one object never is. */
  async ask<T>(page: (limit: number) => Promise<T>, isTooLong: (error: unknown) => boolean): Promise<T> {
    for (;;) {
      try {
        return await page(this.#limit);
      } catch (error) {
        if (this.#limit === 1 || !isTooLong(error)) throw error;
        this.#limit = Math.ceil(this.#limit / 8);
      }
    }
  }

  whyTooMuch(items: readonly unknown[], isKept = true): string | undefined {
    this.#pages += 1;
    this.#items += items.length;
    if (isKept) this.#bytes += JSON.stringify(items).length;
    if (this.#pages > MORE_PAGES + this.#items) return 'the list has no end';
    if (this.#items > MOST_ITEMS) return `the list has more than ${MOST_ITEMS} objects`;
    return this.#bytes > MOST_BYTES ? `the list is longer than ${MOST_BYTES / 2 ** 20} MB` : undefined;
  }
}
