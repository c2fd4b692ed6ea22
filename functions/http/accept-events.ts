import type { Request, Response } from 'express';
import type { ReconcileRequest, Trigger } from '../../shared/model/request.ts';
import type { Triggered } from '../../shared/trigger/causes.ts';
import type { ServerOptions } from './server-options.ts';
import { HttpError } from './http-error.ts';

/** Queues the keys that a delivery of events named, then answers 202 with the counts. */
export async function acceptEvents(
  trigger: Trigger,
  found: Triggered,
  options: Pick<ServerOptions, 'enqueue' | 'observeAudit' | 'log'>,
  request: Request<{ cluster: string }>,
  response: Response,
): Promise<void> {
  const { keys, ...counts } = found;
  const fields = { cluster: request.params.cluster, trigger, ...counts, keys: keys.length };
  if (counts.skipped > 0) options.log.warn('events that cannot be read were skipped', fields);
  else options.log.debug('events received', fields);

  await queueRequests(
    keys.map(({ key, cause }) => ({ key, trigger, cause })),
    options,
  );
  options.observeAudit?.(counts);
  response.status(202).json({ ...counts, keys: keys.length });
}

/**
 * Queues requests before the answer is given. Throws 503 when the queue refuses them: the kube-apiserver sends the batch again,
 * and soon only if Retry-After says when (docs/sources/kubernetes.md, "Audit webhook").
 */
export async function queueRequests(
  requests: readonly ReconcileRequest[],
  { enqueue }: Pick<ServerOptions, 'enqueue'>,
): Promise<void> {
  if (requests.length === 0) return;
  try {
    await enqueue(requests);
  } catch (cause) {
    const message = 'the queue does not accept work at the moment: send it again';
    throw new HttpError(503, message, { headers: { 'Retry-After': '2' }, cause });
  }
}
