import type { Plan } from '../model/plan.ts';
import { renderBriefly } from '../plan/render-plan.ts';
import type { World } from '../ports.ts';

/** Logs what a run is about to do, before its first step. */
export function tellPlan({ unit, steps }: Plan, { log, cluster }: Pick<World, 'log' | 'cluster'>): void {
  if (steps.length > 0) log.info('plan', { cluster, object: unit, steps: renderBriefly(steps) });
}
