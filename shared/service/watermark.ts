import type { Applied } from '../apply/apply.ts';
import type { Evaluation } from './evaluate.ts';
import { isSure } from './observe/remembered/child-cache.ts';
import { isAnother } from '../model/plan.ts';
import type { UnitState } from '../model/unit.ts';

/**
 * The state to keep for a Service that is as desired. Undefined without a load balancer, after a run that only
 * confirmed the expected state, and while a change could still hide behind the same `updated_at` (design.md, "The sweep
 * is cheap").
 */
export function watermark(evaluation: Evaluation, now: number): UnitState | undefined {
  const lb = evaluation.observed.loadBalancer;
  if (!lb || evaluation.observed.expectedSinceMs !== undefined || !isSure(lb, now)) return undefined;
  const { length: awaitingApproval } = evaluation.plan.awaitingApproval;
  return {
    hash: evaluation.hash,
    updated_at: textOf(lb['updated_at']),
    ...(awaitingApproval > 0 ? { awaitingApproval } : {}),
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
