import type { ReconcileRequest } from '../../shared/model/request.ts';
import type { SqsQueue } from '../../shared/queue/sqs-queue.ts';

/** Queues what somebody changed or asked for. */
export function enqueueTo(triggers: SqsQueue): (requests: readonly ReconcileRequest[]) => Promise<void> {
  return (requests) => triggers.sendTriggers(requests.map((request) => ({ request, attempt: 0 })));
}
