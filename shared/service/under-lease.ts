/**
 * From the plan to its report. Every write to OpenStack is made under the unit's lease and, on a shared load balancer,
 * under a second lease. Writes to the Service need no lease: the finalizer, and the report of a run without steps.
 */
import { apply } from '../apply/apply.ts';
import type { Applied } from '../apply/apply.ts';
import { deletes, reserveDeletion } from '../apply/reserve-deletion.ts';
import { beginWork, finish, lacksRoom, losesFinalizer, nothingApplied, waitForRoom } from './finish.ts';
import type { Run } from '../model/outcome.ts';
import { acquireLeases, leaseNames, rememberLeases, requireSameLeases } from './leases.ts';
import type { Ending, Leases } from './leases.ts';
import type { Evaluation } from './evaluate.ts';
import { isError, isRefusedWrite, ReconcileError } from '../model/errors.ts';
import { FINALIZER } from '../model/ownership.ts';
import type { LeaseNames, Unit } from '../model/unit.ts';
import { noteWrites, trustNothing } from './note-writes.ts';
import type { Budget, World } from '../ports.ts';
import { attempt } from '../observe/attempt.ts';
import { tellPlan } from '../report/plan-notes.ts';
import { isUpToDate, readUnitAgain } from './read-again.ts';
import { noteFailover, recordRepair, takeBack } from './repair.ts';
import { hasFinalizer } from './unit.ts';

type EvaluateAgain = (unit: Unit) => Promise<Evaluation>;

/**
 * Adds the finalizer to a Service that wants a load balancer and does not have the finalizer yet. Nothing is made without it. A load
 * balancer that is there is looked after even so, since it serves.
 */
export async function ensureFinalizer(
  evaluation: Evaluation,
  { kube }: Pick<World, 'kube'>,
): Promise<Evaluation> {
  const { unit } = evaluation;
  if (!unit.service || !unit.wanted || hasFinalizer(unit.service)) return evaluation;
  const finalizers = [...(unit.service.metadata.finalizers ?? []), FINALIZER];
  const patched = await attempt(kube.patchService(unit.service, { metadata: { finalizers } }));
  const service = isError(patched) ? unit.service : patched;
  const held = { ...evaluation, unit: { ...unit, service } };
  if (hasFinalizer(service)) return held;
  const stripped = `the finalizer ${FINALIZER} of Service ${unit.key.slice('service/'.length)} was answered with 200, and a webhook or policy has taken it away; without it levelset makes no load balancer`;
  const unheld = isError(patched) ? patched : new ReconcileError('KUBE_DENIED', stripped);
  if (!isRefusedWrite(unheld) || !evaluation.observed.loadBalancer) throw unheld;
  return { ...held, unheld };
}

/**
 * Reads the Service again under the leases. Evaluates again, unless no other run can have had the leases since the
 * first evaluation and Kubernetes says the same as then.
 */
export async function writeUnderLease(
  first: Evaluation,
  evaluateAgain: EvaluateAgain,
  world: World,
  budget: Budget,
): Promise<Run> {
  const names = leaseNames(first);
  const leases = await acquireLeases(names, world.kube);
  if (!leases) return waitForOthers(first.unit, names, world, first);
  let how: Ending | undefined;
  try {
    const unit = await readUnitAgain(first.unit, world);
    const counts = leases.fresh && (await isUpToDate(first, unit, world));
    if (!leases.fresh) trustNothing(unit, world);
    const second = counts ? first : await ensureFinalizer(await evaluateAgain(unit), world);
    if (second.plan.steps.length > 0) requireSameLeases(names, second);
    else if (!second.unit.service || losesFinalizer(second)) how = 'gone';
    return await write(second, leases, world, budget);
  } finally {
    await leases.release(how);
  }
}

/**
 * Does the same for a Service whose last run remembered its leases. It takes the leases first, and so evaluates once. Who
 * had them last is this process by then, so what it expects after its own writes counts only if nobody had them in between.
 */
export async function writeUnderRememberedLeases(
  remembered: LeaseNames,
  unit: Unit,
  evaluation: EvaluateAgain,
  world: World,
  budget: Budget,
): Promise<Run> {
  const leases = await acquireLeases(remembered, world.kube);
  if (!leases) return waitForOthers(unit, remembered, world);
  let how: Ending | undefined = 'unused';
  try {
    if (!leases.fresh) trustNothing(unit, world);
    const evaluated = await evaluation(await readUnitAgain(unit, world));
    if (await lacksRoom(evaluated, budget)) return waitForRoom(evaluated);
    const only = await ensureFinalizer(evaluated, world);
    if (only.plan.steps.length === 0) {
      const done = await end(only, nothingApplied(only), world);
      if (!only.unit.wanted && done.outcome.status === 'settled') how = 'gone';
      return done;
    }
    how = 'stale';
    requireSameLeases(remembered, only);
    how = undefined;
    return await write(only, leases, world, budget);
  } finally {
    await leases.release(how);
  }
}

/** Takes room in the deletion budget. If other processes used it up, the plan refuses the deletion. */
async function reserve(evaluation: Evaluation, world: World): Promise<Evaluation> {
  const { plan, leaving } = evaluation;
  if (!leaving || !deletes(plan)) return evaluation;
  return { ...evaluation, plan: await reserveDeletion(plan, leaving, world) };
}

async function write(planned: Evaluation, lease: Leases, world: World, budget: Budget): Promise<Run> {
  const evaluation = await reserve(planned, world);
  tellPlan(evaluation.plan, world);
  const repair = await recordRepair(evaluation, world);
  try {
    await beginWork(evaluation, world);
  } catch (error) {
    if (repair) await takeBack(repair, undefined, world);
    throw error;
  }
  const applied = await apply(evaluation.plan.steps, evaluation.observed.resources, {
    ...world,
    lease,
    budget,
  });
  const isMade = applied.steps.some(({ verb }) => verb === 'failover');
  if (repair && !isMade) await takeBack(repair, applied.error, world);
  if (repair && isMade) await attempt(noteFailover(repair, evaluation, world));
  noteWrites(evaluation, applied, world);
  return end(evaluation, applied, world);
}

/**
 * Ends a run with its report. If the load balancer is shared, or may become so, and the run ends as progressing, the
 * next run takes these leases first.
 */
export async function end(evaluation: Evaluation, applied: Applied, world: World): Promise<Run> {
  const done = await finish(evaluation, applied, world);
  if (done.outcome.status === 'progressing')
    rememberLeases(evaluation.unit.key, leaseNames(evaluation), world);
  return done;
}

/**
 * Ends a run whose lease another run holds for one write to a shared load balancer: a run of another Service, or of the
 * same one in another process. The key comes back soon.
 */
function waitForOthers(unit: Unit, names: LeaseNames, world: World, evaluation?: Evaluation): Run {
  rememberLeases(unit.key, names, world);
  const { loadBalancerId } = names;
  const reason = 'waiting for another Service on the same load balancer';
  const wait = loadBalancerId === undefined ? {} : { waitingFor: loadBalancerId };
  return {
    outcome: { status: 'progressing', reason, retryAfterMs: OTHERS_MS, ...wait },
    ...(evaluation ? { plan: evaluation.plan } : {}),
    applied: [],
    ...(loadBalancerId === undefined ? {} : { loadBalancerId }),
  };
}

const OTHERS_MS = 1_000;
