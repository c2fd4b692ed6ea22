/** What people are told: the condition, the notes of a plan, Events. */
import type { Condition, Service, Node, ObjectEvent } from '../model/kubernetes.ts';
import { READY_CONDITION } from '../model/ownership.ts';
import { clip, printable, quote } from '../model/text/text.ts';
import { ERRORS, asReconcileError, isRefusedWrite } from '../model/errors.ts';
import type { Kube, World } from '../ports.ts';
import type { Change, Plan, Problem } from '../model/plan.ts';
import { approveWith, noteOfStep, renderBriefly, whatBecomesOf } from '../plan/render-plan.ts';

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

/** The number of notes of one kind that a condition lists one by one. */
const MOST_SHOWN = 10;

export function planNotes(plan: Plan): readonly string[] {
  const approve = approveWith(plan);
  return [
    ...firstOf(plan.problems.map(noteOf)),
    ...firstOf(waitingNotes(plan)),
    ...firstOf(refusedNotes(plan)),
    ...(plan.driftStays ? firstOf((plan.drift ?? []).map((one) => `drift: ${noteOfStep(one)}`)) : []),
    ...(approve === undefined ? [] : [`approve with the annotation ${approve}`]),
  ];
}

/** A Problem as one sentence: `FIELD "VALUE" message`. */
export function noteOf({ field, value, message }: Problem): string {
  return printable(`${field} ${quote(value)} ${message}`);
}

function waitingNotes({ awaitingApproval }: Plan): readonly string[] {
  return awaitingApproval.map(
    ({ address, changes, reason, approval }) =>
      `${address} waits for approval ${approval} (${inWords(changes)}): ${reason}`,
  );
}

function refusedNotes({ refused }: Plan): readonly string[] {
  return refused.map(({ address, changes, reason, approval }) => {
    const hash = approval === undefined ? '' : ` until ${approval} is approved`;
    const what = changes.length === 0 ? '' : ` (${inWords(changes)})`;
    return `levelset keeps ${address} as it is${hash}${what}: ${reason}`;
  });
}

function inWords(changes: readonly Change[]): string {
  return changes.map(({ attribute, from, to }) => `${attribute} ${quote(from)} -> ${quote(to)}`).join(', ');
}

function firstOf(notes: readonly string[]): readonly string[] {
  const more = notes.length - MOST_SHOWN;
  return more > 0 ? [...notes.slice(0, MOST_SHOWN), `and ${more} more, see levelset plan`] : notes;
}

export function tellPlan({ object, steps }: Plan, { log, cluster }: Pick<World, 'log' | 'cluster'>): void {
  if (steps.length > 0) log.info('plan', { cluster, object, steps: renderBriefly(steps) });
}

const MOST_DRIFT = 5;

export function driftEvent(plan: Pick<Plan, 'drift' | 'driftStays'>): readonly ObjectEvent[] {
  const { drift = [], driftStays } = plan;
  if (drift.length === 0) return [];
  const shown = drift.slice(0, MOST_DRIFT).map(noteOfStep);
  const more = drift.length - shown.length;
  const all = more > 0 ? [...shown, `and ${more} more, see levelset drift`] : shown;
  const message = `OpenStack differs from what levelset had set up; ${whatBecomesOf(plan)}: ${all.join('; ')}`;
  return [{ type: 'Warning', reason: driftStays ? 'DriftReported' : 'DriftRepaired', message }];
}
