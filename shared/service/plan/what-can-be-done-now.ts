import { isLocked, isOutsideOctavia } from '../../model/load-balancer/octavia.ts';
import type { Sharing } from '../../model/load-balancer/shared-load-balancer.ts';
import { isAnother, REPLACEMENT } from '../../model/plan.ts';
import type { Plan, Step } from '../../model/plan.ts';
import type { DesiredResource, WireResource } from '../../model/resources.ts';
import type { Depth, Unit } from '../../model/unit.ts';
import { quotaShortages } from './plan-problems.ts';

export interface Moment {
  readonly unit: Pick<Unit, 'wanted'>;
  readonly depth: Depth;
  readonly observed: { readonly loadBalancer?: WireResource; readonly sharing?: Sharing };
  readonly desired: { readonly resources: readonly DesiredResource[] };
  readonly headroom?: Readonly<Record<string, number>> | undefined;
  /** The load balancer goes, and comes again. */
  readonly isMadeAnew: boolean;
}

/**
 * The plan without the steps that cannot be done at this moment. Octavia refuses every write while it holds its lock, and in
 * ERROR, where the refusal looks like one that passes. What was not looked into cannot be planned. A replacement waits for
 * quota; the load balancer that is there goes on.
 */
export function whatCanBeDoneNow(planned: Plan, moment: Moment): Plan {
  const { unit, depth, observed, desired, headroom, isMadeAnew } = moment;
  const { loadBalancer, sharing } = observed;
  const isBusy = loadBalancer !== undefined && isLocked(loadBalancer);
  const isFailed = unit.wanted && loadBalancer?.['provisioning_status'] === 'ERROR' && !isMadeAnew;
  const isShared = sharing !== undefined && (sharing.role === 'joiner' || sharing.others.length > 0);
  const shortages = planned.steps.some(isAnother) ? quotaShortages(desired.resources, headroom) : [];
  const isPossible = (step: Step): boolean => {
    if (shortages.length > 0 && isAnother(step)) return false;
    if (isOutsideOctavia(step.kind)) return !(isBusy && isShared && opensPort(step));
    if (isBusy) return false;
    if (isFailed) return isOfWhole(step);
    return depth === 'deep' || step.kind === 'loadbalancer';
  };
  return {
    ...planned,
    steps: planned.steps.filter(isPossible),
    problems: [...planned.problems, ...shortages],
  };
}

/** Whose the ports of a shared load balancer are is not seen while it is locked: nothing is opened for one meanwhile. */
function opensPort({ kind, verb }: Step): boolean {
  return kind === 'securitygrouprule' && verb === 'create';
}

/** What may be done about a load balancer in ERROR: another one, and then its end. */
function isOfWhole({ address, verb }: Step): boolean {
  return address === REPLACEMENT || (address === 'lb' && verb === 'delete');
}
