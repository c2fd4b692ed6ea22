/** Between the plan and its report: nothing is written but under the unit's lease, and that of what it shares. */
import { apply } from '../apply/apply.ts';
import type { Applied } from '../apply/apply.ts';
import { conclude, nothingApplied } from './conclude.ts';
import type { Run } from '../model/outcome.ts';
import { acquireLeases, leaseNames, requireSameLease } from './leases.ts';
import type { Ending, LeaseNames, Leases } from './leases.ts';
import type { Look } from './look.ts';
import { FINALIZER } from '../model/ownership.ts';
import type { Unit } from '../model/unit.ts';
import { noteWrites } from './note-writes.ts';
import type { Budget, World } from '../ports.ts';
import { awaitTurn } from './turns.ts';
import { hasFinalizer } from './unit.ts';

type LookAgain = (unit: Unit) => Promise<Look>;

/** The finalizer stands before anything is made, so that nothing can be left behind. */
export async function hold(look: Look, { kube }: Pick<World, 'kube'>): Promise<Look> {
  const { unit } = look;
  if (!unit.service || !unit.wanted || hasFinalizer(unit.service)) return look;
  const finalizers = [...(unit.service.metadata.finalizers ?? []), FINALIZER];
  const service = await kube.patchService(unit.service, { metadata: { finalizers } });
  return { ...look, unit: { ...unit, service } };
}

/** What was seen without the lease is looked at again, unless nobody else can have had it meanwhile. */
export async function writeUnderLease(
  first: Look,
  lookAgain: LookAgain,
  world: World,
  budget: Budget,
): Promise<Run> {
  const names = leaseNames(first);
  const leases = await acquireLeases(names, world.kube);
  if (!leases) return waitForOthers(first.unit, names, world, first);
  try {
    const second = leases.fresh ? first : await lookAgain(first.unit);
    requireSameLease(names, second);
    return await write(second, leases, world, budget);
  } finally {
    await leases.release();
  }
}

/** The other way round, for a turn that was waited for: the leases come first, and one look is enough. */
export async function inTurn(
  turn: LeaseNames,
  unit: Unit,
  look: LookAgain,
  world: World,
  budget: Budget,
): Promise<Run> {
  const leases = await acquireLeases(turn, world.kube);
  if (!leases) return waitForOthers(unit, turn, world);
  let how: Ending | undefined = 'unused';
  try {
    const only = await hold(await look(unit), world);
    if (only.plan.steps.length === 0) {
      const done = await end(only, nothingApplied(only), world);
      if (!unit.wanted && done.outcome.status === 'settled') how = 'gone';
      return done;
    }
    how = 'stale';
    requireSameLease(turn, only);
    how = undefined;
    return await write(only, leases, world, budget);
  } finally {
    await leases.release(how);
  }
}

async function write(look: Look, lease: Leases, world: World, budget: Budget): Promise<Run> {
  const applied = await apply(look.plan.steps, look.observed.resources, { ...world, lease, budget });
  noteWrites(look, applied, world);
  return end(look, applied, world);
}

/** Tells, and comes back for its turn where others use the load balancer, too. */
export async function end(look: Look, applied: Applied, world: World): Promise<Run> {
  const done = await conclude(look, applied, world);
  if (done.outcome.status === 'progressing') awaitTurn(look.unit.key, leaseNames(look), world.kube);
  return done;
}

/** Another Service works on the load balancer that this one shares with it: that takes one write of Octavia's. */
function waitForOthers(unit: Unit, names: LeaseNames, { kube }: World, look?: Look): Run {
  awaitTurn(unit.key, names, kube);
  const { loadBalancerId } = names;
  const reason = 'waiting for another Service on the same load balancer';
  const wait = loadBalancerId === undefined ? {} : { waitingFor: loadBalancerId };
  return {
    outcome: { status: 'progressing', reason, retryAfterMs: OTHERS_MS, ...wait },
    ...(look ? { plan: look.plan } : {}),
    applied: [],
    ...(loadBalancerId === undefined ? {} : { loadBalancerId }),
  };
}

const OTHERS_MS = 1_000;
