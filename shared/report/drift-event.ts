import type { ObjectEvent } from '../model/kubernetes.ts';
import type { Plan } from '../model/plan.ts';
import { noteOfDrift, whatBecomesOf } from '../plan/render-drift.ts';

const MOST_DRIFT = 5;

/** The Event about what somebody else changed in OpenStack. Empty without drift. */
export function driftEvent(plan: Pick<Plan, 'drift' | 'driftStays'>): readonly ObjectEvent[] {
  const { drift = [], driftStays } = plan;
  if (drift.length === 0) return [];
  const shown = drift.slice(0, MOST_DRIFT).map(noteOfDrift);
  const more = drift.length - shown.length;
  const all = more > 0 ? [...shown, `and ${more} more, see levelset drift`] : shown;
  const message = `Somebody else changed this in OpenStack; ${whatBecomesOf(plan)}: ${all.join('; ')}`;
  return [{ type: 'Warning', reason: driftStays ? 'DriftReported' : 'DriftRepaired', message }];
}
