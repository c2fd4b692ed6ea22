import type { Applied } from '../apply/apply.ts';
import type { Evaluation } from './evaluate.ts';
import { isSure } from './observe/remembered/child-cache.ts';
import { recordOf } from '../model/drift.ts';
import { isAnother } from '../model/plan.ts';
import type { UnitState } from '../model/unit.ts';

/**
 * The state to keep for a Service that is as desired. Undefined without a load balancer. It is unsure after a run that only
 * confirmed the expected state, and while a change could still hide behind the same `updated_at` (design.md, "The sweep
 * is cheap").
 */
export function watermark(evaluation: Evaluation, now: number): UnitState | undefined {
  const lb = evaluation.observed.loadBalancer;
  if (!lb) return undefined;
  const isUnsure = evaluation.observed.expectedSinceMs !== undefined || !isSure(lb, now);
  const { drift, driftStays, awaitingApproval: waiting } = evaluation.plan;
  const { length: awaitingApproval } = waiting;
  return {
    hash: evaluation.hash,
    updated_at: textOf(lb['updated_at']),
    ...(isUnsure ? { unsure: true as const } : {}),
    ...(awaitingApproval > 0 ? { awaitingApproval } : {}),
    ...(drift && driftStays ? { drift: recordOf(drift) } : {}),
  };
}

/**
 * The state to keep after OpenStack rejected the creation of a load balancer, the first one or a replacement. Undefined
 * if the run ended otherwise.
 */
export function refusal(evaluation: Evaluation, applied: Applied): UnitState | undefined {
  const { error } = applied;
  const another = evaluation.plan.steps.some(isAnother) && !applied.steps.some(isAnother);
  if ((evaluation.observed.loadBalancer && !another) || error?.code !== 'REJECTED') return undefined;
  const updatedAt = textOf(evaluation.observed.loadBalancer?.['updated_at']);
  return { hash: evaluation.hash, updated_at: updatedAt, rejected: error.message };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
