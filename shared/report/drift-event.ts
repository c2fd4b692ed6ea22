import type { ObjectEvent } from '../model/kubernetes.ts';
import type { Plan } from '../model/plan.ts';
import { noteOfStep, whatBecomesOf } from '../plan/render-plan.ts';

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
