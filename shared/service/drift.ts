/** Steps are drift while the settled Service's record says the same is desired (decision 280). It goes before a write, so half-done work is none. */
import { isOfNextPool } from '../model/address.ts';
import { isError } from '../model/errors.ts';
import { followsNodes } from '../model/load-balancer/octavia.ts';
import { isShared } from '../model/load-balancer/shared-load-balancer.ts';
import type { Step } from '../model/plan.ts';
import type { ServiceState } from '../model/service-object.ts';
import { attempt, readIfPossible } from '../observe/reads.ts';
import type { World } from '../ports.ts';
import type { Evaluation } from './evaluate.ts';
import { askedOf, isMend } from './settled-record.ts';

/**
 * Where drift is only reported, the steps are those that are no drift. Missing members are added all the same, and if another resource is missing
 * the whole plan is made. A state that cannot be read stops the run; a look waits for it.
 */
export async function withDrift(evaluation: Evaluation, world: World, dryRun = false): Promise<Evaluation> {
  const { object, plan, intent } = evaluation;
  if (!object.service || !intent) return evaluation;
  const reports = intent.annotated.Service.drift === 'report';
  const { uid } = object.service.metadata;
  const read = (): Promise<ServiceState | undefined> => world.kube.state.find(uid);
  const state = await (reports ? read() : dryRun ? attempt(read()) : readIfPossible(world, 'states', read));
  if (!state || isError(state)) return evaluation;
  const drift = plan.steps.filter(driftBy(state, evaluation));
  if (drift.length === 0) return { ...evaluation, state };
  if (!reports || drift.some((step) => isMissing(step, evaluation)))
    return { ...evaluation, state, plan: { ...plan, drift } };
  const steps = plan.steps.flatMap((step) => (drift.includes(step) ? whatIsMissing(step) : step));
  return { ...evaluation, state, plan: { ...plan, steps, drift, driftStays: true } };
}

/** Whether a step is drift, by the record. What follows the Nodes and Pods is, too, while nothing else is desired of them, either. */
function driftBy(state: ServiceState, evaluation: Evaluation): (step: Step) => boolean {
  const { hash, observed, plan } = evaluation;
  const isAlike = state.hash === hash;
  const asked = askedOf(evaluation);
  // a version that kept no such hash has settled it for the same
  const settledFor = state.asked ?? (isAlike && state.rejected === undefined ? asked : undefined);
  if (settledFor === undefined) return () => false;
  // a pool that is built anew has the members of the one whose place it takes, so it follows the Nodes as well
  const rebuilds = plan.steps.some(({ address }) => isOfNextPool(address));
  return (step) => {
    if (isMend(step)) return false;
    // without its load balancer nothing is known of its network, so something else is desired
    if (!observed.loadBalancer) return true;
    if (settledFor !== asked || isLeftover(step) || step.address.startsWith('lb/')) return false;
    if (
      isShared(observed.sharing) &&
      step.verb === 'update' &&
      step.changes.every(({ attribute }) => attribute === 'tags')
    )
      return false;
    return isAlike || !(followsNodes(step) || rebuilds);
  };
}

/** A certificate that an earlier spec has left, or a floating IP beside the one in use: it was levelset's to remove. */
function isLeftover({ verb, kind, address }: Step): boolean {
  return verb === 'delete' && (kind === 'secret' || (kind === 'floatingip' && address !== 'floatingip'));
}

function isMissing(step: Step, { observed }: Evaluation): boolean {
  const { verb, address } = step;
  const isNew = verb === 'create' && !isOfNextPool(address) && !followsNodes(step);
  return isNew && !observed.resources.some((one) => one.address === address);
}

/** Of a step that stays undone, what is missing and is made all the same. */
function whatIsMissing(step: Step): readonly Step[] {
  if (isOfNextPool(step.address)) return [];
  if (step.verb === 'create')
    return step.kind === 'member' || step.kind === 'securitygrouprule' ? [step] : [];
  if (step.verb !== 'members' || step.added.length === 0) return [];
  const { verb, kind, address, added } = step;
  const members = step.members.filter(({ address: ip, protocol_port: port }) =>
    added.includes(`${String(ip)}:${String(port)}`),
  );
  return [{ verb, kind, address, additive: true, members, added, changed: [], removed: [] }];
}
