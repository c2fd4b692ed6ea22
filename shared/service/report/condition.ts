import type { Condition, LoadBalancerIngress, Service } from '../../model/kubernetes.ts';
import { READY_CONDITION } from '../../model/ownership.ts';

/** What the condition says; the type is ours and the time follows from the status. */
export type ConditionMessage = Omit<Condition, 'type' | 'lastTransitionTime'>;

/** Nothing is changed until somebody corrects something: another state than a run that failed, and seen apart by it alone. */
export const BLOCKED_REASON = 'LoadBalancerBlocked';

export function readyCondition(service: Service): Condition | undefined {
  return service.status?.conditions?.find(({ type }) => type === READY_CONDITION);
}

/** The condition with `told` in it; the others are somebody else's and stay. Keeps the time while the status stays. */
export function withCondition(
  service: Service,
  message: ConditionMessage,
  now: string,
): readonly Condition[] {
  const old = readyCondition(service);
  const others = (service.status?.conditions ?? []).filter(({ type }) => type !== READY_CONDITION);
  const lastTransitionTime = old?.status === message.status ? old.lastTransitionTime : now;
  return [...others, { type: READY_CONDITION, ...message, lastTransitionTime }];
}

export function sameIngress(a: readonly LoadBalancerIngress[], b: readonly LoadBalancerIngress[]): boolean {
  const essence = (list: readonly LoadBalancerIngress[]): string =>
    JSON.stringify(list.map(({ ip, hostname, ipMode }) => [ip, hostname, ipMode]));
  return essence(a) === essence(b);
}
