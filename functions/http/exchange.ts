import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';

/** A request, whatever brought it: a server of `node:http`, or an HTTP API of AWS. */
export interface ReceivedRequest {
  readonly method: string;
  /** As it was sent, without the query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** The caller's address, for the log. */
  readonly from: string | undefined;
  /** Common name of the client's certificate, if the server asked for one and a CA of the server's signed it. */
  readonly clientName?: string | undefined;
  /** As it was sent, maybe packed. */
  readonly body: Readable;
}

export interface SentAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** From a request to its answer, which may be a refusal; it never throws. Undefined: the path is another endpoint's. */
export type ServedEndpoint = (request: ReceivedRequest) => Promise<SentAnswer> | undefined;

/** An answer in JSON. */
export function jsonAnswer(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): SentAnswer {
  const type = { 'Content-Type': 'application/json; charset=utf-8' };
  return { status, headers: { ...headers, ...type }, body: JSON.stringify(value) };
}
