import type { Change, Plan, Problem } from '../model/plan.ts';
import { printable, quote } from '../model/text/text.ts';
import { approveWith, noteOfStep, renderBriefly, whatBecomesOf } from '../plan/render-plan.ts';
import type { World } from '../ports.ts';
import type { ObjectEvent } from '../model/kubernetes.ts';

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
  const message = `OpenStack is not as it was settled; ${whatBecomesOf(plan)}: ${all.join('; ')}`;
  return [{ type: 'Warning', reason: driftStays ? 'DriftReported' : 'DriftRepaired', message }];
}
