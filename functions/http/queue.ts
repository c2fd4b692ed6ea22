import type { ReconcileRequest } from '../../shared/model/request.ts';
import type { ServerOptions } from './server-options.ts';
import { HttpError } from './http-error.ts';

/**
 * Queues before the answer is given. Throws 503 when the queue does not take it: the apiserver sends a batch again, and
 * soon only when it is told when (docs/sources/kubernetes.md, "Audit webhook").
 */
export async function queue(
  requests: readonly ReconcileRequest[],
  { enqueue }: Pick<ServerOptions, 'enqueue'>,
): Promise<void> {
  if (requests.length === 0) return;
  try {
    await enqueue(requests);
  } catch (cause) {
    const message = 'the queue does not take work now: send it again';
    throw new HttpError(503, message, { headers: { 'Retry-After': '2' }, cause });
  }
}
