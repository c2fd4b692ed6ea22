import type { Outcome, Report } from '../../../shared/model/outcome.ts';
import type { Key, ReconcileRequest, Trigger } from '../../../shared/model/request.ts';

export const SETTLED: Outcome = { status: 'settled' };

export function aRequest(name: string, trigger: Trigger = 'audit'): ReconcileRequest {
  return { key: `service/shop/${name}`, trigger };
}

export function aReport(
  request: ReconcileRequest,
  outcome: Outcome = SETTLED,
  more?: Partial<Report>,
): Report {
  return { request, outcome, applied: [], durationMs: 1, calls: 1, failedRequestIds: [], ...more };
}

export function progressing(retryAfterMs: number, waitingFor?: string): Outcome {
  return {
    status: 'progressing',
    reason: 'busy',
    retryAfterMs,
    ...(waitingFor !== undefined && { waitingFor }),
  };
}

export function failed(retryAfterMs = 0): Outcome {
  return { status: 'failed', code: 'CLOUD_UNAVAILABLE', message: 'gone', retryAfterMs };
}

/** `service/shop/NAME` without the rest. */
export function nameOf(key: Key): string {
  return key.replace('service/shop/', '');
}
