import { ERRORS } from '../../model/errors.ts';
import type { Service } from '../../model/kubernetes.ts';
import { readyCondition } from '../../report/condition.ts';

/** The condition's reason while a Service waits for a person. A run that failed has another reason. */
export const BLOCKED_REASON = 'LoadBalancerBlocked';

/** Whether the condition tells of a run that failed or was blocked. */
export function tellsTrouble({ status }: Service): boolean {
  const reason = readyCondition(status?.conditions)?.reason;
  return reason === ERRORS.CLOUD_UNAVAILABLE.reason || reason === BLOCKED_REASON;
}
