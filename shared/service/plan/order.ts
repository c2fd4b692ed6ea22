import type { Step, UpdateStep } from '../../model/plan.ts';

/**
 * The order in which steps go, since Octavia takes one write on a load balancer at a time: first what says whose it is,
 * then what closes (source ranges) and frees ports, then what builds up (a listener last, when its pool is complete; one
 * that has to be another is deleted just before), then what is no longer used. Floating IPs are Neutron's and wait only for the VIP port.
 */
const ORDER: readonly ((step: Step) => boolean)[] = [
  (step) => step.verb === 'delete' && step.kind === 'loadbalancer',
  (step) => step.kind === 'loadbalancer',
  (step) => step.verb === 'update' && step.kind === 'listener' && !switchesPool(step),
  (step) => step.verb === 'delete' && step.kind === 'listener' && step.because === undefined,
  (step) => step.verb === 'create' && step.kind === 'pool',
  (step) => step.verb === 'members' || step.kind === 'member',
  (step) => step.kind === 'healthmonitor',
  (step) => step.verb === 'update' && step.kind === 'listener',
  (step) => step.kind === 'listener',
  (step) => step.verb === 'create' && step.kind === 'l7policy',
  (step) => step.verb === 'create' && step.kind === 'l7rule',
  (step) => step.verb === 'update',
  () => true,
];

/** A listener that turns to another pool waits until that one is complete. */
function switchesPool(step: UpdateStep): boolean {
  return step.changes.some(({ attribute }) => attribute === 'default_pool_id');
}

export function inOrder(steps: readonly Step[]): readonly Step[] {
  const rank = (step: Step): number => ORDER.findIndex((matches) => matches(step));
  return steps
    .map((step, at) => ({ step, at }))
    .sort((a, b) => rank(a.step) - rank(b.step) || a.at - b.at)
    .map(({ step }) => step);
}
