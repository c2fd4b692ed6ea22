import { isLocked, isOutsideOctavia, howToFree } from '../../model/load-balancer/octavia.ts';
import { type ObservedService, isShared } from '../../model/load-balancer/observed-service.ts';
import { poolAddressOf } from '../../model/address.ts';
import { createsReplacement, type Plan, type Step } from '../../model/plan.ts';
import type { DesiredResource, WireResource } from '../../model/resources.ts';
import type { Depth, Released, ServiceObject } from '../../model/service-object.ts';
import { closes } from '../../plan/compare-and-plan.ts';
import { quotaShortages } from './plan-input.ts';

interface Moment {
  readonly object: Pick<ServiceObject, 'wanted' | 'released'>;
  readonly depth: Depth;
  readonly observed: Pick<ObservedService, 'loadBalancer' | 'sharing' | 'horizon'>;
  readonly desired: { readonly resources: readonly DesiredResource[] };
  readonly headroom?: Readonly<Record<string, number>> | undefined;
}

/**
 * The plan without the steps that cannot be done at this moment:
 *
 * - A Service that was released waits for approval: what is to be deleted, or its finalizer if nothing is (decision 150).
 * - Octavia refuses a write to a child that is stuck, and to the members of such a pool.
 * - Octavia refuses every write to a load balancer that it locks, and to one in ERROR. The refusal looks alike, but only a
 *   lock passes. A load balancer in ERROR can only be replaced or deleted.
 * - A shallow look sees nothing on the load balancer, so only the load balancer itself is planned.
 * - A replacement waits for quota, and the present load balancer is planned as usual.
 * - While a shared load balancer is locked, no security group rule is created.
 * - Before a failover nothing else locks the load balancer: it is recorded as tried.
 * - A load balancer gets its floating IP when nothing on it is left to close: what is still open was meant for those inside.
 */
export function whatCanBeDoneNow(planned: Plan, moment: Moment): Plan {
  const { object, depth, observed, desired, headroom } = moment;
  const { loadBalancer, sharing } = observed;
  const isBusy = loadBalancer !== undefined && isLocked(loadBalancer);
  const isFailed = object.wanted && loadBalancer?.['provisioning_status'] === 'ERROR';
  const problems = planned.problems.filter(({ code }) => code === 'LOAD_BALANCER_STUCK');
  const stuck = new Set(problems.map(({ field }) => field));
  const steps = planned.steps.filter(
    ({ kind, address }) => !stuck.has(address) && !(kind === 'member' && stuck.has(poolAddressOf(address))),
  );
  const locked = isBusy ? { locked: whoEnds(loadBalancer, observed.horizon.anHourAgo) } : {};
  if (object.released && !object.released.isApproved)
    return { ...planned, ...locked, steps: [], ...waitsForApproval(object.released, steps) };
  const failsOver = steps.some(({ verb }) => verb === 'failover');
  const shortages = steps.some(createsReplacement) ? quotaShortages(desired.resources, headroom) : [];
  const mayBeOpen = isBusy || steps.some(shutsOut);
  const isPossible = (step: Step): boolean => {
    if (mayBeOpen && letsIn(step, loadBalancer)) return false;
    if (shortages.length > 0 && createsReplacement(step)) return false;
    if (isOutsideOctavia(step.kind)) return !(isBusy && isShared(sharing) && opensPort(step));
    if (isBusy) return false;
    if (isFailed || failsOver) return isOfWhole(step);
    return depth === 'deep' || step.kind === 'loadbalancer';
  };
  return {
    ...planned,
    ...locked,
    steps: steps.filter(isPossible),
    problems: [...planned.problems, ...shortages],
  };
}

function waitsForApproval(
  { because, approval }: Released,
  [first]: readonly Step[],
): Partial<Pick<Plan, 'awaitingApproval'>> {
  if (approval === undefined) return {};
  const { address, kind } = first ?? ({ address: 'lb', kind: 'loadbalancer' } as const);
  const what = first
    ? 'levelset changes nothing of it, and deletes it only if that is approved'
    : 'levelset finds nothing of it here, and gives it up only if that is approved';
  const reason = `${because}; ${what}`;
  return { awaitingApproval: [{ verb: 'delete', address, kind, changes: [], reason, approval }] };
}

function whoEnds(lb: WireResource, anHourAgo: string): string {
  const stuck = howToFree('loadbalancer', lb, anHourAgo);
  return (
    stuck ??
    `is in ${String(lb['provisioning_status'])}: Octavia is at work on it, and levelset goes on after that`
  );
}

/** While a shared load balancer is locked, the run cannot see which Service has a port. */
function opensPort({ kind, verb }: Step): boolean {
  return kind === 'securitygrouprule' && verb === 'create';
}

/** Whether the step lets the internet in to what is on the load balancer. */
function letsIn(step: Step, loadBalancer: WireResource | undefined): boolean {
  if (step.address !== 'floatingip') return false;
  if (step.verb !== 'update') return step.verb === 'create';
  const port = step.changes.find(({ attribute }) => attribute === 'port_id');
  return port !== undefined && port.to === loadBalancer?.['vip_port_id'];
}

/** Whether the step shuts clients out. Of those on the load balancer one is executed in a run. */
function shutsOut(step: Step): boolean {
  if (step.verb === 'delete') return step.kind === 'listener' || step.narrows === true;
  return step.verb === 'update' && step.changes.some(closes);
}

/** Whether the step may be done about a load balancer in ERROR: it repairs it, makes the replacement, or deletes one. */
function isOfWhole({ kind, verb }: Step): boolean {
  return kind === 'loadbalancer' && verb !== 'update';
}
