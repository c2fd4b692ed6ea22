import { setTimeout as sleep } from 'node:timers/promises';
import { RequestError, type Got, type OptionsInit } from 'got';
import { isDeepStrictEqual } from 'node:util';
import { budgetSpent, inTime } from '../deadline.ts';
import {
  ATTEMPTS,
  backoffMs,
  connectionInWords,
  createGot,
  timeouts,
  TOO_LONG,
  type ClientOptions,
  retryAfterMs,
} from '../http.ts';
import { parseMeasured, fieldsOf, parseJson } from '../model/json.ts';
import { ReconcileError, type ErrorCode } from '../model/errors.ts';
import type { Connection, Credential } from './connection/connection.ts';
import type { IncomingHttpHeaders } from 'node:http';

export interface KubeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path below the server's URL, with names encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number>>;
  readonly metadataOnly?: true;
  readonly accept?: string;
  /** Sent as JSON. The body of a PATCH is a merge patch (RFC 7386). */
  readonly body?: unknown;
  /** What is attempted, for messages, such as `read Service shop/web`. */
  readonly doing: string;
  /** Statuses besides 2xx that the caller handles. Every other one is thrown. */
  readonly expected?: readonly number[];
  /** The milliseconds that its run has left for it; absent where there is no end. */
  readonly leftMs?: () => number;
  /** Ends the request, and all further attempts. */
  readonly signal?: AbortSignal;
}

export interface KubeAnswer {
  readonly status: number;
  /** Parsed JSON, or the text of an answer without JSON. */
  readonly body: unknown;
}

export interface KubeCall {
  readonly method: string;
  readonly status: number;
  readonly durationMs: number;
}

export type KubeHttp = (request: KubeRequest) => Promise<KubeAnswer>;

/** No attempt starts later after the first one: waiting in the queue is cheaper than waiting in a function. */
const RETRY_WITHIN_MS = 4_000;
/** Kubernetes API concepts, "Metadata-only fetches". */
const METADATA_ONLY_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
const REQUEST_MS = 30_000;

/**
 * The HTTP client for a kube-apiserver. A GET is repeated on 408, 429, 5xx and lost connections, a write never. After
 * a 401 the credential is read again, and another one tried once. `guard` stands before each write, and throws where
 * none may begin. Throws ReconcileError (`answerError`, kube-http.ts), never with the credential in it.
 */
export function createKubeHttp(
  connection: Connection,
  onCall: (call: KubeCall) => void = () => undefined,
  guard: () => void = () => undefined,
): KubeHttp {
  const client = createGot(clientOptions(connection));
  const credentialFor = ({ doing, leftMs }: KubeRequest, refused: boolean): Promise<Credential> =>
    inTime(
      connection.credential(refused),
      `cannot ${doing}, and wait for a credential`,
      leftMs?.() ?? Infinity,
    );
  let isDoubted = false;
  const attempt = (request: KubeRequest, credential: Credential): Promise<RawAnswer> =>
    attemptOnce(client, connection, request, credential, onCall, guard).catch((error: unknown) => {
      isDoubted = error instanceof ReconcileError && error.context.isWithoutTls === true;
      throw error;
    });
  const send = async (request: KubeRequest): Promise<KubeAnswer> => {
    const credential = await credentialFor(request, isDoubted);
    isDoubted = false;
    let raw = await attempt(request, credential);
    if (raw.status === 401) {
      const again = await credentialFor(request, true);
      if (!isDeepStrictEqual(again, credential)) raw = await attempt(request, again);
    }
    const isExpected =
      request.expected?.includes(raw.status) &&
      (raw.status === 404 ? saysGone(request.path, raw.text) : statusMessage(raw.text) !== undefined);
    if (raw.status < 300 || isExpected) return readAnswer(request, raw);
    throw answerError(request.doing, raw, connection);
  };
  return async (request) => {
    const started = performance.now();
    for (let tried = 1; ; tried += 1) {
      try {
        return await send(request);
      } catch (error) {
        const waitMs = retryDelayMs(error, tried);
        const ends =
          performance.now() + waitMs - started > RETRY_WITHIN_MS ||
          waitMs >= (request.leftMs?.() ?? Infinity);
        if (request.method !== 'GET' || tried === ATTEMPTS || ends || request.signal?.aborted) throw error;
        await sleep(waitMs, undefined, request.signal && { signal: request.signal }).catch(() => undefined);
      }
    }
  };
}

function retryDelayMs(error: unknown, tried: number): number {
  if (!(error instanceof ReconcileError) || error.code !== 'KUBE_UNAVAILABLE') return Infinity;
  return error.context.retryAfterMs ?? backoffMs(tried);
}

async function attemptOnce(
  client: Got,
  connection: Connection,
  { method, path, query = {}, body, doing, metadataOnly, accept, leftMs, signal }: KubeRequest,
  credential: Credential,
  onCall: (call: KubeCall) => void,
  guard: () => void,
): Promise<RawAnswer> {
  const limitMs = Math.min(REQUEST_MS, leftMs?.() ?? Infinity);
  if (limitMs <= 0) throw budgetSpent(`cannot ${doing}`);
  if (method !== 'GET' && query['dryRun'] === undefined) guard();
  const { headers, https } = sentWith(credential);
  const started = performance.now();
  let status = 0;
  try {
    const response = await client(`${connection.server}${path}`, {
      method,
      timeout: timeouts(limitMs),
      searchParams: query,
      headers: {
        ...headers,
        ...(accept !== undefined && { accept }),
        ...(metadataOnly && { accept: METADATA_ONLY_LIST }),
        ...(body !== undefined && { 'content-type': contentType(method) }),
      },
      https,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
    status = response.statusCode;
    return { status, headers: response.headers, text: response.body };
  } catch (error) {
    throw noAnswer(doing, connection.server, error);
  } finally {
    onCall({ method, status, durationMs: performance.now() - started });
  }
}

export function sentWith({
  authorization,
  ...https
}: Credential): Required<Pick<OptionsInit, 'headers' | 'https'>> {
  return { headers: authorization === undefined ? {} : { authorization }, https };
}

export function clientOptions({ tls, proxyFor, refuse }: Connection): ClientOptions {
  return { https: tls, refuse, ...(proxyFor && { proxyFor }) };
}

function contentType(method: KubeRequest['method']): string {
  return method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
}

/** got's own error is not the cause: it holds the request with its token. */
export function noAnswer(doing: string, server: string, error: unknown): unknown {
  if (!(error instanceof RequestError)) return error;
  if (error.cause instanceof ReconcileError) return error.cause; // a refused address
  if (error.code === TOO_LONG) return tooMuch(doing, error.message);
  const reason = connectionInWords(error, 'certificate-authority-data in the kubeconfig');
  const text = `cannot ${doing}: no answer from the kube-apiserver at ${server} (${error.code}: ${reason})`;
  const isWithoutTls = /^(ERR_(SSL|TLS|OSSL)|CERT_|UNABLE_|SELF_SIGNED|DEPTH_ZERO|EPROTO)/.test(error.code);
  return new ReconcileError('KUBE_UNAVAILABLE', text, { isWithoutTls });
}

function tooMuch(doing: string, why: string): ReconcileError {
  return new ReconcileError('UNEXPECTED_RESPONSE', `cannot ${doing}: ${why}`, { isTooLong: true });
}

export function readAnswer(request: KubeRequest, { status, headers, text }: RawAnswer): KubeAnswer {
  if (!headers['content-type']?.includes('json')) return { status, body: text };
  try {
    return { status, body: parseMeasured(text) };
  } catch (error) {
    if (error instanceof RangeError) throw tooMuch(request.doing, error.message);
    throw new ReconcileError(
      'UNEXPECTED_RESPONSE',
      `cannot ${request.doing}: the answer is not JSON, or ends too early`,
      {
        status,
      },
    );
  }
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

const CODES: Readonly<Record<number, ErrorCode>> = {
  400: 'KUBE_REJECTED',
  401: 'KUBE_FORBIDDEN',
  403: 'KUBE_FORBIDDEN',
  408: 'KUBE_UNAVAILABLE',
  409: 'KUBE_CONFLICT',
  422: 'KUBE_REJECTED',
  429: 'KUBE_UNAVAILABLE',
};

/** What a Status says, where its number alone leads to the wrong remedy (docs/sources/kubernetes.md, "Refused writes"). */
const WORDS: readonly (readonly [said: RegExp, code: ErrorCode])[] = [
  [/^(Internal error occurred: )?failed calling webhook /, 'KUBE_WEBHOOK_FAILED'],
  [/^admission webhook "[^"]*" denied the request/, 'KUBE_DENIED'],
  [/ is forbidden: unable to create new content in namespace /, 'KUBE_NAMESPACE_ENDS'],
  [/ is forbidden: not yet ready to handle request/, 'KUBE_UNAVAILABLE'],
  [/^[^:]+ is forbidden: (?!User )/, 'KUBE_DENIED'],
];

const LONGEST_MESSAGE = 500;

/**
 * The error for an answer that is no success (Kubernetes API conventions, "Response Status Kind"); of a 401 it says
 * whose credential it was. Its request id is the Audit-Id.
 */
export function answerError(
  doing: string,
  { status, headers, text }: RawAnswer,
  asked?: { readonly server: string; readonly source: string },
): ReconcileError {
  const byNumber = CODES[status] ?? (status >= 500 ? 'KUBE_UNAVAILABLE' : 'UNEXPECTED_RESPONSE');
  const requestId = headers['audit-id'];
  const wait = retryAfterMs(headers['retry-after']);
  const isPlain = (headers['content-type'] ?? 'text/plain').startsWith('text/plain');
  const inStatus = statusMessage(text);
  const said = inStatus ?? (isPlain ? text.trim() : '');
  const isForeign = inStatus === undefined && (status === 403 || status === 404);
  const code = WORDS.find(([words]) => words.test(said))?.[1] ?? (isForeign ? 'KUBE_UNAVAILABLE' : byNumber);
  const whose =
    status === 401 && asked
      ? `: the kube-apiserver at ${asked.server} does not take the credential of ${asked.source}`
      : isForeign
        ? ': a proxy in front of the kube-apiserver says so, not the kube-apiserver'
        : '';
  const message = `cannot ${doing}: ${status} ${said.slice(0, LONGEST_MESSAGE)}`.trim();
  return new ReconcileError(code, `${message}${whose}`, {
    status,
    ...(typeof requestId === 'string' && { requestId }),
    ...(wait !== undefined && { retryAfterMs: wait }),
  });
}

export function statusMessage(text: string): string | undefined {
  const { kind, message } = fieldsOf(parseJson(text));
  return kind === 'Status' && typeof message === 'string' ? message : undefined;
}

/** Whether a 404 says that this object, or its namespace, is gone, and not that an API or a proxy knows nothing. */
function saysGone(path: string, text: string): boolean {
  const { reason, details } = fieldsOf(parseJson(text));
  const { name } = fieldsOf(details);
  const said = statusMessage(text);
  const names = path.split('/').slice(-2).map(decodeURIComponent);
  const isNamed = (one: string): boolean => name === one || said?.includes(`"${one}"`) === true;
  return said !== undefined && reason === 'NotFound' && names.some(isNamed);
}
