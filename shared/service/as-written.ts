/** When a run may look at the load balancer alone, after one that wrote its whole plan. */
import { RELIES_MS, writtenAt } from '../memory/load-balancers.ts';
import type { WrittenPlan } from '../memory/load-balancers.ts';
import type { FoundLoadBalancers, ObservedService } from '../model/load-balancer/observed-service.ts';
import { isShared } from '../model/load-balancer/shared-load-balancer.ts';
import type { Plan } from '../model/plan.ts';
import type { Unit } from '../model/unit.ts';
import type { World } from '../ports.ts';
import { tellsTrouble } from './report/tells-trouble.ts';

export function hasNotes({ problems, refused, awaitingApproval, draining, driftStays }: Plan): boolean {
  return (
    [problems, refused, awaitingApproval].some(({ length }) => length > 0) ||
    (draining ?? driftStays) !== undefined
  );
}

/** What the run before this one wrote, if this one may look at the load balancer alone. */
export function lastWritten(
  unit: Unit,
  { loadBalancer: lb, duplicates, replacement, notJoined }: FoundLoadBalancers,
  { memory, clock }: Pick<World, 'memory' | 'clock'>,
): WrittenPlan | undefined {
  const { service, wanted, withLeftovers } = unit;
  if (!service || !wanted || withLeftovers || tellsTrouble(service)) return undefined;
  if (!lb || duplicates.length > 0 || replacement || notJoined) return undefined;
  if (lb['provisioning_status'] !== 'ACTIVE' || clock.now() - writtenAt(lb) > RELIES_MS) return undefined;
  const written = memory.loadBalancers.written(lb.id);
  return written?.key === unit.key && written.uid === service.metadata.uid ? written : undefined;
}

interface Look {
  readonly plan: Plan;
  readonly hash: string;
  readonly observed: Pick<ObservedService, 'sharing'>;
}

/** Whether a look at the load balancer alone finds nothing to do and nothing to tell, and that the same is desired as was written. */
export function isAsWritten({ plan, hash, observed }: Look, written: WrittenPlan): boolean {
  return hash === written.hash && plan.steps.length === 0 && !hasNotes(plan) && !isShared(observed.sharing);
}
