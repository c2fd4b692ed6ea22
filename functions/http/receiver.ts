import type { IncomingHttpHeaders } from 'node:http';
import type { ReconcileRequest, Triggered } from '../../shared/model/request.ts';
import {
  admit,
  requireMethod,
  requireToken,
  type Admission,
  type RefusalReason,
  type ServerOptions,
} from './admit.ts';
import {
  jsonAnswer,
  errorAnswer,
  HttpError,
  noSuchPath,
  toHttpError,
  type ServedEndpoint,
  type SentAnswer,
  type ReceivedRequest,
} from './exchange.ts';
import { HUNG_UP, readBody } from './read-body.ts';

interface Delivery {
  readonly trigger: 'audit' | 'events';
  readonly form: Admission;
  /** Not said: by the tokens. */
  readonly identify?: Admission;
  readonly read: (body: Buffer, headers: IncomingHttpHeaders) => Triggered;
}

export type ReceiverOptions = Pick<
  ServerOptions,
  'clusters' | 'auditTokens' | 'enqueue' | 'observeAudit' | 'observeRefusal' | 'log'
>;

/** A batch of 400 events at level RequestResponse can be this long (docs/sources/kubernetes.md, "Audit webhook"). */
const LONGEST_BATCH = 10 * 2 ** 20;

/** POST /TRIGGER/:cluster. Queues the keys that a delivery names, then answers 202 with the counts. */
export function receiver(delivery: Delivery, options: ReceiverOptions): ServedEndpoint {
  const { trigger, read } = delivery;
  const { auditTokens, clusters, observeAudit, observeRefusal, log } = options;
  const identity = [delivery.identify ?? requireToken(auditTokens)];
  const form = [requireMethod('POST'), delivery.form];

  const receive = async (request: ReceivedRequest): Promise<SentAnswer> => {
    await admit(request, identity);
    const cluster = clusterOf(request);
    if (!clusters.includes(cluster))
      throw new HttpError(404, `there is no cluster ${JSON.stringify(cluster)}`);
    await admit(request, form);
    const { keys, ...counts } = await readBody(request, { limit: LONGEST_BATCH, sender: cluster }, (body) =>
      read(body, request.headers),
    );
    const fields = { cluster, trigger, ...counts, keys: keys.length };
    if (counts.skipped > 0) log.warn('events that cannot be read were skipped', fields);
    else log.debug('events received', fields);
    await queueRequests(
      keys.map(({ key, cause }) => ({ key, trigger, cause })),
      options,
    );
    observeAudit?.(
      counts,
      keys.map(({ key }) => key),
    );
    return jsonAnswer(202, { ...counts, keys: keys.length });
  };

  const isOurs = new RegExp(`^/${trigger}(/|$)`);
  return (request) =>
    isOurs.test(request.path)
      ? receive(request).catch((error: unknown) => {
          observeRefusal?.(reasonOfRefusal(toHttpError(error).status));
          return errorAnswer(error, request, log);
        })
      : undefined;
}

function reasonOfRefusal(status: number): RefusalReason {
  if (status === 401) return 'token';
  if (status === 404 || status === 405) return 'path';
  if (status === HUNG_UP) return 'aborted';
  return status >= 500 ? 'queue' : 'body';
}

function clusterOf(request: ReceivedRequest): string {
  const name = /^\/[^/]+\/([^/]+)\/?$/.exec(request.path)?.[1];
  if (name === undefined) throw noSuchPath(request);
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Throws 503 when the queue refuses: the apiserver sends again, soon only by Retry-After (docs/sources/kubernetes.md, "Audit webhook"). */
export async function queueRequests(
  requests: readonly ReconcileRequest[],
  { enqueue }: Pick<ServerOptions, 'enqueue'>,
): Promise<void> {
  if (requests.length === 0) return;
  try {
    await enqueue(requests);
  } catch (cause) {
    if (cause instanceof HttpError) throw cause;
    const message = 'the queue takes no work at the moment: send the request again';
    throw new HttpError(503, message, { headers: { 'Retry-After': '2' }, cause });
  }
}
