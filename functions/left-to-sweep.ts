import type { Outcome, Report } from '../shared/model/outcome.ts';
import type { ReconcileRequest } from '../shared/model/request.ts';

/** The answer to somebody who asked for what only a sweep can answer: a Node, a namespace, all. */
export function leftToSweep(request: ReconcileRequest): Report {
  const outcome: Outcome = request.dryRun
    ? {
        status: 'blocked',
        reason: `a dry run is of one Service; levelset plan ${request.key} shows the plans of all`,
      }
    : { status: 'progressing', reason: 'a sweep looks at it', retryAfterMs: 1_000 };
  return { request, outcome, applied: [], durationMs: 0, calls: 0, failedRequestIds: [] };
}
