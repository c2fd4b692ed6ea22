import type { Condition, Service, Node, ObjectEvent } from '../model/kubernetes.ts';
import { READY_CONDITION } from '../model/ownership.ts';
import { clip } from '../model/text/text.ts';
import { ERRORS, asReconcileError, isRefusedWrite } from '../model/errors.ts';
import type { Kube } from '../ports.ts';

/** What a condition says. The type is levelset's own, and the times follow from the status. */
export type ConditionMessage = Pick<Condition, 'status' | 'reason' | 'message'>;

/** The longest message of a condition that the apiserver takes (metav1.Condition). */
const LONGEST_MESSAGE = 32_768;

export function readyCondition<C extends Condition>(conditions: readonly C[] = []): C | undefined {
  return conditions.find(({ type }) => type === READY_CONDITION);
}

export function saysOtherwise(message: ConditionMessage, old: Condition | undefined): boolean {
  return old?.status !== message.status || old.reason !== message.reason || old.message !== message.message;
}

/** The condition with this message. Its time is that of the last change of status. `now` is RFC 3339. */
export function conditionWith(message: ConditionMessage, old: Condition | undefined, now: string): Condition {
  const lastTransitionTime = old?.status === message.status ? old.lastTransitionTime : now;
  return { type: READY_CONDITION, ...message, lastTransitionTime };
}

export function clipMessage(text: string): string {
  return clip(text, LONGEST_MESSAGE);
}

/** A time as Kubernetes writes it, in whole seconds. `now` is in milliseconds since 1970. */
export function rfc3339(now: number): string {
  return `${new Date(now).toISOString().slice(0, 19)}Z`;
}

/** The condition's reason while a Service waits for a person. A run that failed has another reason. */
export const BLOCKED_REASON = 'LoadBalancerBlocked';

export function tellsTrouble({ status }: Service): boolean {
  const reason = readyCondition(status?.conditions)?.reason;
  return reason === ERRORS.CLOUD_UNAVAILABLE.reason || reason === BLOCKED_REASON;
}

/** Writes, then the Events about it. Where the write is refused they come even so, with one that says why. Throws what `write` throws. */
export async function publish(
  about: Service | Node,
  write: () => Promise<unknown>,
  events: readonly ObjectEvent[],
  kube: Pick<Kube, 'recordEvent'>,
): Promise<void> {
  try {
    await write();
  } catch (error) {
    const refused = asReconcileError(error);
    const reason = about.metadata.namespace === undefined ? 'SyncNodeFailed' : ERRORS[refused.code].reason;
    const message = `${refused.message} (${ERRORS[refused.code].advice})`;
    const all = isRefusedWrite(refused) ? [...events, { type: 'Warning' as const, reason, message }] : [];
    for (const event of all) await kube.recordEvent(about, event);
    throw error;
  }
  for (const event of events) await kube.recordEvent(about, event);
}
