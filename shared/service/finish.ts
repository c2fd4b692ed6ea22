/** The end of a run: its outcome, the Service's status and Events, and what the next runs and sweeps need to know. */
import { lockOf } from '../apply/apply.ts';
import type { Applied } from '../apply/apply.ts';
import { askedOf, stateAtWork } from './drift.ts';
import type { Evaluation } from './evaluate.ts';
import { asReconcileError, ReconcileError } from '../model/errors.ts';
import type { Outcome, Run } from '../model/outcome.ts';
import { isByPerson, type ReconcileRequest } from '../model/request.ts';
import { tagValue } from '../model/ownership.ts';
import type { Unit, UnitState } from '../model/unit.ts';
import { isAnother } from '../model/plan.ts';
import { makesLoadBalancer } from '../model/load-balancer/octavia.ts';
import { isShared } from '../model/load-balancer/shared-load-balancer.ts';
import type { Budget, World } from '../ports.ts';
import { addressesToPublish } from './report/published-address.ts';
import { outcomeOfError } from '../report/outcome-of-error.ts';
import { outcomeOfService } from './report/service-outcome.ts';
import { heldBackEvent, publishSummary, release, summarize, summarizeOutcome } from './report/summarize.ts';
import { rfc3339 } from '../report/condition.ts';
import { recordPlace } from './place.ts';
import { hasFinalizer, isOurs } from './unit.ts';
import { forgetApproval } from './vanished.ts';
import { refusedState, triedAgainMs, watermark } from './watermark.ts';

/**
 * Makes the outcome and reports it. What the run wrote to OpenStack stays in the answer, even if the apiserver refuses
 * the report.
 */
export async function finish(evaluation: Evaluation, applied: Applied, world: World): Promise<Run> {
  const { unit, plan } = evaluation;
  const { loadBalancer, vipPortGone } = evaluation.observed;
  const isBroken =
    loadBalancer?.['provisioning_status'] === 'ERROR' || (vipPortGone && !applied.steps.some(lockOf));
  const failed = isBroken && unit.wanted;
  const madeAnew = applied.steps.some(({ kind }) => kind === 'loadbalancer');
  const outcome =
    failed && !madeAnew && !applied.error && evaluation.replacing === undefined
      ? inError(evaluation)
      : outcomeOfService(evaluation, applied);
  const addresses = addressesToPublish(evaluation, applied);
  const done = { plan, applied: applied.steps, ...runSummary(evaluation, applied, addresses) };
  try {
    await writeStatus(evaluation, applied, outcome, addresses, world);
    await remember(evaluation, applied, outcome, world);
    return { outcome, ...done };
  } catch (error) {
    // what was written to OpenStack stays in the answer, whatever went wrong with its report
    if (outcome.status === 'progressing') return { outcome, ...done };
    return { outcome: outcomeOfError(asReconcileError(error)), ...done };
  }
}

async function writeStatus(
  evaluation: Evaluation,
  applied: Applied,
  outcome: Outcome,
  addresses: readonly string[],
  world: World,
): Promise<void> {
  const { service, wanted } = evaluation.unit;
  if (evaluation.leaving && outcome.status === 'blocked')
    await reportHeldBack(evaluation, outcome.reason, world);
  if (!service || !isOurs(service, world.config)) return;
  const now = rfc3339(world.clock.now());
  const summary = wanted
    ? summarize(service, { evaluation, applied, outcome, addresses, now })
    : summarizeOutcome(service, outcome, now, evaluation);
  await publishSummary(service, summary, world.kube);
}

/**
 * Makes the record, which a person annotates, and writes the Event about a Service that has vanished. It is written in
 * every run, since Events expire and there is no condition that stays.
 */
async function reportHeldBack(evaluation: Evaluation, reason: string, { kube }: World): Promise<void> {
  const { leaving, unit } = evaluation;
  if (leaving && leaving.recorded.version === undefined) await leaving.record.save([], leaving.recorded);
  const metadata = { ...unit.name, uid: uidOf(evaluation) ?? '', resourceVersion: '' };
  await kube.recordEvent(unit.service ?? { metadata, spec: {} }, heldBackEvent(reason));
}

async function remember(
  evaluation: Evaluation,
  applied: Applied,
  outcome: Outcome,
  world: World,
): Promise<void> {
  const uid = uidOf(evaluation);
  const refused = refusedState(evaluation, applied, world.clock.now());
  if (refused && uid !== undefined) await keepStates(new Map([[uid, refused]]), world);
  if (outcome.status === 'settled') await settle(evaluation, world);
}

/**
 * Writes the reason of a failed run to the Service, if the apiserver allows it. Nothing is written for a Service that
 * is gone, is not levelset's, or was let go, or for an error that only asks the run to wait.
 */
export async function reportFailure(unit: Unit, failure: ReconcileError, world: World): Promise<void> {
  const { service } = unit;
  if (!service || failure.disposition === 'wait' || unit.letGo || !isOurs(service, world.config)) return;
  const summary = summarizeOutcome(service, outcomeOfError(failure), rfc3339(world.clock.now()));
  await publishSummary(service, summary, world.kube).catch(() => undefined);
}

/**
 * Keeps a watermark for a Service that is as desired. While members drain or a problem is momentary, the state has no
 * watermark, so that every sweep runs the Service again. A Service that wants no load balancer and has none left loses
 * its state and, if it is still there, its finalizer.
 */
async function settle(evaluation: Evaluation, world: World): Promise<void> {
  const { unit, observed } = evaluation;
  const uid = uidOf(evaluation);
  if (unit.wanted) {
    const momentary =
      evaluation.plan.draining !== undefined || evaluation.plan.problems.some((problem) => problem.momentary);
    const state = momentary
      ? stateAtWork(evaluation, { asked: askedOf(evaluation) })
      : watermark(evaluation, world.clock.now());
    if (uid !== undefined && (state ?? momentary)) await keepStates(new Map([[uid, state]]), world);
    if (observed.loadBalancer) await recordPlace(world);
    await forgetApproval(evaluation, world);
    return;
  }
  if (observed.loadBalancer || unit.letGo?.isApproved === false) return;
  if (uid !== undefined) await keepStates(new Map([[uid, undefined]]), world);
  const { service, letGo } = unit;
  if (service && hasFinalizer(service) && isOurs(service, world.config))
    await publishSummary(service, release(service, letGo), world.kube);
}

/**
 * Before the first write of a run: what differs from now on may be levelset's own work, so the state of the settled unit goes. A unit
 * that leaves may come back. Where drift is only reported, throws ReconcileError if the state stays.
 */
export async function beginWork(evaluation: Evaluation, world: World): Promise<void> {
  const { unit, state, plan, intent } = evaluation;
  const { service, wanted } = unit;
  const comesBack = !wanted && service?.metadata.deletionTimestamp === undefined;
  if (!service || plan.steps.length === 0 || !(state ?? comesBack)) return;
  // what is missing is added beside drift that stays: whatever is left of it is missing still
  if (plan.driftStays && state?.hash === evaluation.hash) return;
  const changes = new Map([[service.metadata.uid, state && stateAtWork(evaluation, state)]]);
  if (intent?.annotated.Service.drift === 'report') await world.kube.state.save(changes);
  else await keepStates(changes, world);
}

/**
 * A state is a hint, so a run does not fail because the state cannot be saved: a sweep runs a Service without one
 * again.
 */
async function keepStates(changes: ReadonlyMap<string, UnitState | undefined>, world: World): Promise<void> {
  const { kube, log } = world;
  try {
    await kube.state.save(changes);
  } catch (error) {
    if (!(error instanceof ReconcileError)) throw error;
    log.warn('a watermark could not be saved; each sweep runs this Service again', {
      uid: [...changes.keys()].join(', '),
      reason: error.message,
    });
  }
}

function inError({ observed }: Evaluation): Outcome {
  const { loadBalancer: lb, vipPortGone } = observed;
  const what = vipPortGone
    ? `has lost its VIP port ${String(lb?.['vip_port_id'])}, which somebody deleted in Neutron`
    : 'is in ERROR';
  const message = `load balancer ${lb?.id ?? ''} ${what}`;
  return outcomeOfError(new ReconcileError('LOAD_BALANCER_ERROR', message));
}

export function nothingApplied(evaluation: Evaluation): Applied {
  return {
    steps: [],
    stopped: false,
    known: new Map(evaluation.observed.resources.map(({ address, wire }) => [address, wire])),
  };
}

/** Whether a run is to make a load balancer, and as many as may be are in Octavia's hands (decision 271). */
export async function lacksRoom({ plan }: Pick<Evaluation, 'plan'>, budget: Budget): Promise<boolean> {
  return makesLoadBalancer(plan) && (await budget.mayCreate?.()) === false;
}

/**
 * Whether OpenStack has refused to make what is desired so lately that it is not tried again: a person has it tried at once, a sweep when its time has
 * come, and everybody when something else is desired (decision 522).
 */
export function wasRefused(evaluation: Evaluation, request: ReconcileRequest, world: World): boolean {
  const { plan, state, hash, observed } = evaluation;
  if (state?.rejected === undefined || !makesLoadBalancer(plan)) return false;
  if (observed.loadBalancer && !plan.steps.every(isAnother)) return false;
  return state.hash === hash && !isByPerson(request) && world.clock.now() < triedAgainMs(state);
}

/** Ends a run of a Service that waits for the next try. Its condition says why. */
export function waitForNextTry(evaluation: Evaluation): Run {
  const reason = evaluation.state?.rejected ?? '';
  return {
    outcome: { status: 'blocked', reason },
    plan: evaluation.plan,
    applied: [],
    ...runSummary(evaluation),
  };
}

/** Ends a run that could only look. It leaves nothing behind. */
export function waitForRoom(evaluation: Evaluation): Run {
  const reason =
    'waits for its turn: Octavia works on as many load balancers as --concurrent-load-balancers allows';
  return {
    outcome: { status: 'progressing', reason, retryAfterMs: ROOM_MS, needsRoom: true },
    plan: evaluation.plan,
    applied: [],
    ...runSummary(evaluation),
  };
}

const ROOM_MS = 5_000;

/**
 * The UID of the Service. If the Service is gone, the tag `levelset-service` of what it left behind says the UID. The
 * load balancer and the floating IP that others share do not count.
 */
function uidOf({ unit, observed }: Evaluation): string | undefined {
  const isOthers = isShared(observed.sharing);
  const left = observed.resources
    .filter(({ owned, kind }) => owned && !(isOthers && (kind === 'loadbalancer' || kind === 'floatingip')))
    .flatMap(({ wire }) => tagValue(wire['tags'], 'service') ?? []);
  return unit.service?.metadata.uid ?? left[0];
}

/** Whether other Services are on the load balancer, or are to be on the one that is made. */
export function sharesLoadBalancer(evaluation: Evaluation): boolean {
  const { unit, intent, observed } = evaluation;
  const { loadBalancer: lb, sharing } = observed;
  if (!lb) return unit.wanted && intent?.annotated.Service.loadBalancerName !== undefined;
  return isShared(sharing);
}

/** Ends a run of a Service that shares a load balancer and is not in the lane. It could only look. */
export function waitForLane(evaluation: Evaluation): Run {
  const reason = 'waits for its turn: Services that share load balancers are worked on one after the other';
  return {
    outcome: { status: 'progressing', reason, retryAfterMs: 0, needsLane: true },
    plan: evaluation.plan,
    applied: [],
    ...runSummary(evaluation),
  };
}

export function runSummary(
  evaluation: Evaluation,
  applied?: Applied,
  addresses: readonly string[] = [],
): Omit<Run, 'outcome' | 'plan' | 'applied' | 'membersMoved'> {
  const lb = applied?.known.get('lb') ?? evaluation.observed.loadBalancer;
  const { draining, steps, refused, awaitingApproval, problems } = evaluation.plan;
  const isNothing = !lb && [steps, refused, awaitingApproval, problems].every((list) => list.length === 0);
  return {
    ...(lb ? { loadBalancerId: lb.id } : {}),
    ...(!evaluation.unit.service && isNothing ? { missing: true as const } : {}),
    ...(addresses.length === 0 ? {} : { address: addresses.join(', ') }),
    certificates: evaluation.desired.certificates,
    desired: evaluation.hash,
    ...(draining ? { drainedInMs: Math.min(...draining.map(({ goesInMs }) => goesInMs)) } : {}),
    ...(evaluation.desired.withoutAddress.length > 0
      ? { nodesWithoutAddress: evaluation.desired.withoutAddress }
      : {}),
  };
}
