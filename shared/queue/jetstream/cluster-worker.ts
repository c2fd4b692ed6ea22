import type { Outcome, Report } from '../../model/outcome.ts';
import type { ReconcileRequest } from '../../model/request.ts';
import type { Log } from '../../ports.ts';
import type { WaitingKeys } from '../memory-queue.ts';
import type { Sides } from '../sides.ts';

/** What works on the keys of one cluster in this process. */
export interface ClusterWorker {
  /** Runs one key. A rejection requeues the key as a failure does. */
  readonly run: (request: ReconcileRequest) => Promise<Report>;
  /** Keeps the keys that wait for a load balancer, while this process lives. */
  readonly waiting?: WaitingKeys;
  /** No key runs while one of them does not answer. */
  readonly sides?: Pick<Sides, 'mayBegin' | 'begin'>;
  /** Called for every run that ended in another process. */
  readonly told?: (report: Report) => void;
}

const REJECTED: Outcome = { status: 'failed', code: 'UNEXPECTED_RESPONSE', message: '', retryAfterMs: 0 };

/** Never rejects. */
export async function runBy(
  worker: ClusterWorker,
  request: ReconcileRequest,
  log: Pick<Log, 'error'>,
): Promise<Report> {
  const met = worker.sides?.begin();
  try {
    return await worker.run(request);
  } catch (error) {
    log.error('a run was rejected', { object: request.key, error: String(error) });
    return { request, outcome: REJECTED, applied: [], durationMs: 0, calls: 0, failedRequestIds: [] };
  } finally {
    met?.();
  }
}
