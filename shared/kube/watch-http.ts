import type { Duplex } from 'node:stream';
import type { Response } from 'got';
import { createGot, timeouts } from '../http.ts';
import { ReconcileError } from '../model/errors.ts';
import { parseMeasured } from '../model/json.ts';
import { answerError, type RawAnswer, clientOptions, noAnswer, sentWith } from './kube-http.ts';
import type { Connection } from './connection/connection.ts';

interface WatchRequest {
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly resourceVersion: string;
  readonly metadataOnly?: true;
  readonly doing: string;
}

interface WatchEvent {
  /** OPENED comes first, and from us: the apiserver has taken the watch. */
  readonly type: 'OPENED' | 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: unknown;
}

/** The events of a collection, until the apiserver ends the watch, which is no error, or `signal` does. */
export type Watch = (request: WatchRequest, signal: AbortSignal) => AsyncIterable<WatchEvent>;

/** The apiserver ends a watch after this time, so that no process keeps the same connection for ever. */
const WHOLE_S = 10 * 60;
/** A live watch has a bookmark each minute. After this time without a byte it is taken for dead. */
const STALLED_MS = 150_000;
/** The most characters of one event: an object has 3 MB at the most, in an apiserver that etcd stands behind. */
const LONGEST_LINE = 8 * 2 ** 20;
/** The most characters of a refusal, which has so long to come. */
const LONGEST_REFUSAL = 2 ** 20;
const BEGIN_MS = 30_000;

/** Kubernetes API concepts, "Metadata-only fetches". */
const METADATA_ONLY = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

/** A watch over HTTP, a connection each. Throws ReconcileError (`answerError`, kube-http.ts), never with the credential in it. */
export function createWatch(connection: Connection, stalledMs: number = STALLED_MS): Watch {
  // a watch that waited for another one's connection would wait for ever; followers have a limit of their own
  const client = createGot({ ...clientOptions(connection), maxSockets: Infinity });
  return async function* watch({ path, query = {}, resourceVersion, metadataOnly, doing }, signal) {
    const open = async (isRefused: boolean) => {
      const { headers, https } = sentWith(await connection.credential(isRefused));
      const stream = client.stream(`${connection.server}${path}`, {
        searchParams: {
          ...query,
          ...{ watch: 'true', allowWatchBookmarks: 'true', timeoutSeconds: WHOLE_S, resourceVersion },
        },
        timeout: { ...timeouts(2 * WHOLE_S * 1000), response: BEGIN_MS, socket: stalledMs },
        headers: { ...headers, ...(metadataOnly && { accept: METADATA_ONLY }) },
        https,
        signal,
      });
      const answer = await new Promise<Pick<RawAnswer, 'status' | 'headers'>>((resolve, reject) => {
        stream.once('response', ({ statusCode: status, headers }: Response) => {
          resolve({ status, headers });
        });
        stream.once('error', reject);
      });
      return { stream, answer };
    };
    try {
      let { stream, answer } = await open(false);
      if (answer.status === 401) {
        stream.destroy();
        ({ stream, answer } = await open(true));
      }
      if (answer.status !== 200) throw answerError(doing, { ...answer, text: await textOf(stream) });
      yield { type: 'OPENED', object: undefined };
      for await (const line of linesOf(stream, doing)) yield eventIn(line, doing);
    } catch (error) {
      if (signal.aborted) return;
      throw noAnswer(doing, connection.server, error);
    }
  };
}

/** Whole lines alone: what was cut off in the middle of one is no event. */
async function* linesOf(stream: AsyncIterable<unknown>, doing: string): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const part of stream) {
    const lines = (rest + decoder.decode(part as Buffer, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LONGEST_LINE)
      throw new ReconcileError('UNEXPECTED_RESPONSE', `cannot ${doing}: an event is longer than 8 MB`);
    yield* lines;
  }
}

function eventIn(line: string, doing: string): WatchEvent {
  try {
    const { type, object } = parseMeasured(line) as WatchEvent;
    if (typeof type === 'string' && typeof object === 'object') return { type, object };
  } catch {
    // told below
  }
  throw new ReconcileError('UNEXPECTED_RESPONSE', `cannot ${doing}: the answer is not a list of events`);
}

/** What came of a refusal: what is longer, or slower, is left. */
async function textOf(stream: Duplex): Promise<string> {
  const late = setTimeout(() => stream.destroy(), BEGIN_MS);
  let text = '';
  try {
    for await (const part of stream) {
      text += String(part);
      if (text.length > LONGEST_REFUSAL) break;
    }
  } finally {
    clearTimeout(late);
  }
  return text;
}
