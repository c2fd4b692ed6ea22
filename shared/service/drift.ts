/**
 * Tells drift from what levelset has still to do. A state is kept only from the moment a Service is settled until the next write of
 * levelset. So if what is desired is what it was then, every difference was made by somebody else (decision 280).
 */
import { placeOf } from '../model/address.ts';
import type { Address } from '../model/address.ts';
import { isReported, recordOf } from '../model/drift.ts';
import type { Drift, ReportedDrift } from '../model/drift.ts';
import { isOutsideOctavia } from '../model/load-balancer/octavia.ts';
import { isAnother } from '../model/plan.ts';
import type { Plan, Step } from '../model/plan.ts';
import type { UnitState } from '../model/unit.ts';
import { readIfPossible } from '../observe/attempt.ts';
import type { World } from '../ports.ts';
import { selectorOf } from './intent/service-intent.ts';
import { isUnread } from './watermark.ts';
import type { Evaluation } from './evaluate.ts';
import { askedBy } from './intent/asked-by.ts';
import { driftIn, stepsWithout, withhold } from './plan/drift.ts';
import { planService } from './plan/plan-service.ts';
import { setByOthers } from './plan/set-by-others.ts';
import { hasFinalizer } from './unit.ts';

/**
 * The evaluation with its drift named, and without the steps that put back what is only to be reported. Reads the unit's state
 * if there is a step, or a VIP port that is gone is to be reported. Where drift is only reported, a state that cannot be read stops the run.
 */
export async function withDrift(asPlanned: Evaluation, world: World): Promise<Evaluation> {
  const evaluation = withOthers(asPlanned);
  const { unit, plan, intent, observed, planned } = evaluation;
  if (!unit.wanted || !unit.service || !intent || !hasFinalizer(unit.service)) return evaluation;
  const stays = intent.annotated.Service.drift === 'report';
  if (plan.steps.length === 0 && !(stays && observed.vipPortGone)) return evaluation;
  const { uid } = unit.service.metadata;
  const read = (): Promise<UnitState | undefined> => world.kube.state.find(uid);
  const state = await (stays ? read() : readIfPossible(world, 'states', read));
  if (!state) return evaluation;
  const { sharing } = observed;
  const lb = observed.loadBalancer;
  // a failover is made alone, and after it the state is gone: what else differs is told now
  const failsOver = plan.steps.some(({ verb }) => verb === 'failover');
  const { steps } = failsOver ? planService({ ...planned, repair: undefined }) : plan;
  const tellsPort = failsOver || stays || plan.steps.some(isAnother);
  const found = driftIn({
    ...(observed.vipPortGone && tellsPort && lb ? { lostVip: String(lb['vip_address']) } : {}),
    steps,
    desired: planned.desired.resources,
    observed: observed.resources,
    isShared: sharing !== undefined && (sharing.role === 'joiner' || sharing.others.length > 0),
    askedBy: (asked) => askedBy(asked, intent, world.config),
  });
  const drift = found.filter((one) => isDrift(one, evaluation, state));
  if (drift.length === 0) return { ...evaluation, state };
  if (!stays) return { ...evaluation, state, plan: { ...plan, drift } };
  return { ...evaluation, state, plan: { ...replan(evaluation, drift), drift, driftStays: true } };
}

/**
 * Whether somebody else made the difference, or it was reported as such before something else was asked for. As long as the load
 * balancer's `updated_at` is the same, nobody has written to it: then another version of levelset sees what is there otherwise.
 */
function isDrift(one: Drift, { hash, observed }: Evaluation, state: UnitState): boolean {
  // another Service has given up that port
  if (state.taken?.includes(isOutsideOctavia(one.kind) ? one.address : placeOf(one.address))) return false;
  if (isReported(one, state.drift ?? {})) return true;
  if (state.rejected !== undefined) return false;
  const { loadBalancer } = observed;
  // a load balancer that is gone changes what is desired, since its network is not known any more
  if (!loadBalancer) return state.updated_at !== null;
  if (state.hash !== hash || loadBalancer['provisioning_status'] === 'ERROR') return false;
  if (isOutsideOctavia(one.kind)) return true;
  return !isUnread(state) && state.updated_at !== (loadBalancer['updated_at'] ?? null);
}

/** The plan without the drift. What it would do beside the first plan is about what was withheld, and is left out. */
function replan({ plan, planned, observed }: Evaluation, drift: readonly Drift[]): Plan {
  const left = withhold({ desired: planned.desired.resources, observed: observed.resources }, drift);
  const again = planService({
    ...planned,
    observed: { ...planned.observed, resources: left.observed },
    desired: { ...planned.desired, resources: left.desired },
  });
  const before = new Set(plan.steps.map(({ address }) => withoutNext(address)));
  const steps = again.steps.filter(({ address }) => before.has(withoutNext(address)));
  const { setByOthers: others } = plan;
  return { ...again, steps: stepsWithout(drift, steps), ...(others ? { setByOthers: others } : {}) };
}

/** The address of what a new pool takes the place of. */
function withoutNext(address: Address): Address {
  return address.replace('/next', '');
}

function withOthers(evaluation: Evaluation): Evaluation {
  const { plan, planned, observed, unit } = evaluation;
  if (!unit.wanted) return evaluation;
  const others = setByOthers(planned.desired.resources, observed.resources);
  return others.length === 0 ? evaluation : { ...evaluation, plan: { ...plan, setByOthers: others } };
}

/**
 * Whether a look that leaves out what is on the load balancer finds the differences that were reported and stay, no more and no less.
 */
export function differsAsReported(
  { plan, planned, observed }: Evaluation,
  record: ReportedDrift = {},
): boolean {
  const { resources: desired } = planned.desired;
  const differencesIn = (step: Step): readonly Drift[] =>
    driftIn({ steps: [step], desired, observed: observed.resources, isShared: false, askedBy: () => '' });
  const found = plan.steps.map(differencesIn);
  const isEach = found.every(({ length }) => length > 0);
  return isEach && (recordOf(found.flat()).inPassing ?? '') === (record.inPassing ?? '');
}

/**
 * Before the first write the state goes: from now on a difference may be levelset's own. What is only reported stays known, with what
 * this run has found, and so does the node-selector.
 */
export function stateAtWork(state: UnitState, { plan, intent }: Evaluation): UnitState | undefined {
  const { drift = [], driftStays } = plan;
  const record = driftStays ? recordOf(drift) : state.drift;
  const stays = { ...selectorOf(intent), ...(record === undefined ? {} : { drift: record }) };
  return Object.keys(stays).length === 0 ? undefined : { hash: '', updated_at: null, ...stays };
}
