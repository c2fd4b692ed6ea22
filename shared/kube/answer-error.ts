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

const LONGEST_MESSAGE = 500;

/**
 * The error for an answer of the apiserver that is no success (Kubernetes API conventions, "Response Status Kind"). Its
 * message has what was attempted, the status, the message of the Status object or a plain text, and of a 401 whose credential it is; its
 * request id is the Audit-Id.
 */
export function answerError(
  doing: string,
  { status, headers, text }: RawAnswer,
  asked?: { readonly server: string; readonly source: string },
): ReconcileError {
  const code = CODES[status] ?? (status >= 500 ? 'KUBE_UNAVAILABLE' : 'UNEXPECTED_RESPONSE');
  const requestId = headers['audit-id'];
  const wait = retryAfterMs(headers['retry-after']);
  const isPlain = (headers['content-type'] ?? 'text/plain').startsWith('text/plain');
  const said = statusMessage(text) ?? (isPlain ? text.trim() : '');
  const whose =
    status === 401 && asked
      ? `: the kube-apiserver at ${asked.server} does not take the credential of ${asked.source}`
      : '';
  const message = `cannot ${doing}: ${status} ${said.slice(0, LONGEST_MESSAGE)}`.trim();
  return new ReconcileError(code, `${message}${whose}`, {
    status,
    ...(typeof requestId === 'string' && { requestId }),
    ...(wait !== undefined && { retryAfterMs: wait }),
  });
}

function statusMessage(text: string): string | undefined {
  const { kind, message } = fieldsOf(parseJson(text));
  return kind === 'Status' && typeof message === 'string' ? message : undefined;
}
