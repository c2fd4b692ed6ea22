import type { IncomingHttpHeaders } from 'node:http';
import { ReconcileError, type ErrorCode } from '../model/errors.ts';
import { retryAfterMs } from '../http.ts';
import { fieldsOf, parseJson } from '../model/json.ts';

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
export function saysGone(path: string, text: string): boolean {
  const { reason, details } = fieldsOf(parseJson(text));
  const { name } = fieldsOf(details);
  const said = statusMessage(text);
  const names = path.split('/').slice(-2).map(decodeURIComponent);
  const isNamed = (one: string): boolean => name === one || said?.includes(`"${one}"`) === true;
  return said !== undefined && reason === 'NotFound' && names.some(isNamed);
}
