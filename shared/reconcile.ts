/**
 * THE PAGE. What happens to one key, whatever woke us:
 *
 *   read the Service -> observe -> desire -> plan -> (finalizer, lease) -> apply -> report
 *
 * Deleting is desiring nothing. Nothing waits for Octavia: the run ends as `progressing` and the key comes back.
 */
import { apply } from './apply/apply.ts';
import type { Applied } from './apply/apply.ts';
import { conclude, nothingApplied, seen, tellOfFailure } from './conclude.ts';
import type { Run } from './conclude.ts';
import { acquireLeases, awaitTurn, leaseNames, requireSameLease, takeTurn } from './leases.ts';
import type { Ending, LeaseNames, Leases } from './leases.ts';
import { lookAt } from './look.ts';
import type { Look } from './look.ts';
import { ReconcileError } from './model/errors.ts';
import type { Report } from './model/outcome.ts';
import { withEndpoints } from './endpoints.ts';
import { FINALIZER } from './model/ownership.ts';
import { noteWrites, trustNothing } from './note-writes.ts';
import { asServiceKey, looksCloser } from './model/request.ts';
import type { ReconcileRequest } from './model/request.ts';
import { withTlsSecrets } from './tls-secrets.ts';
import type { Unit } from './model/unit.ts';
import type { Budget, World } from './ports.ts';
import { outcomeOfError } from './report/outcome.ts';
import { hasFinalizer, unitOf } from './unit.ts';

/** One key, once. Never throws: a failure is an outcome. */
export async function reconcile(request: ReconcileRequest, world: World, budget: Budget): Promise<Report> {
  const started = world.clock.now();
  const { value, calls, failedRequestIds } = await world.calls.record(async () => {
    try {
      return await run(request, world, budget);
    } catch (error) {
      return { outcome: outcomeOfError(asReconcileError(error)), applied: [] };
    }
  });
  return { request, ...value, durationMs: world.clock.now() - started, calls, failedRequestIds };
}

async function run(request: ReconcileRequest, world: World, budget: Budget): Promise<Run> {
  const name = asServiceKey(request.key);
  if (!name) throw new ReconcileError('CONFIG_INVALID', `${request.key} is not service/NAMESPACE/NAME`);
  // switched off is hands off: what there is keeps serving, also for Services that are deleted
  if (!world.config.loadBalancer.enabled) return { outcome: { status: 'settled' }, applied: [] };
  const service = await world.kube.getService(name.namespace, name.name);
  const bare = unitOf(request.key, name, service, world.config);
  const unit = await withTlsSecrets(await withEndpoints(bare, world.kube), world);
  if (isNotOurs(unit, request)) return { outcome: { status: 'settled' }, applied: [] };
  if (looksCloser(request.trigger)) trustNothing(unit, world);
  try {
    return await work(request, unit, world, budget);
  } catch (error) {
    const failure = asReconcileError(error);
    if (!request.dryRun) await tellOfFailure(unit, failure, world);
    throw failure;
  }
}

async function work(request: ReconcileRequest, unit: Unit, world: World, budget: Budget): Promise<Run> {
  const { kube } = world;
  const nodes = unit.wanted ? await kube.listNodes() : [];
  const cluster = { id: await kube.clusterId(), name: world.config.clusterName };
  const look = (held: Unit): Promise<Look> => lookAt(held, nodes, world, cluster);
  const turn = request.dryRun ? undefined : takeTurn(unit.key, kube);
  const early = turn && (await acquireLeases(turn, kube));
  if (turn && !early) return waitForOthers(unit, turn, world);
  let how: Ending | undefined = 'unused';
  try {
    const first = await look(unit);
    if (request.dryRun)
      return { outcome: { status: 'settled' }, plan: first.plan, applied: [], ...seen(first) };

    const held = { ...first, unit: await hold(first, world) };
    if (first.plan.steps.length === 0) {
      const done = await end(held, nothingApplied(first), world);
      if (!unit.wanted && done.outcome.status === 'settled') how = 'gone';
      return done;
    }
    if (turn && early) {
      how = 'stale';
      requireSameLease(turn, first);
      how = undefined;
      return await write(held, early, world, budget);
    }
    const names = leaseNames(first);
    const lease = await acquireLeases(names, kube);
    if (!lease) return waitForOthers(unit, names, world, first);
    try {
      const second = lease.fresh ? held : await look(held.unit);
      requireSameLease(names, second);
      return await write(second, lease, world, budget);
    } finally {
      await lease.release();
    }
  } finally {
    await early?.release(how);
  }
}

async function write(look: Look, lease: Leases, world: World, budget: Budget): Promise<Run> {
  const applied = await apply(look.plan.steps, look.observed.resources, { ...world, lease, budget });
  noteWrites(look, applied, world);
  return end(look, applied, world);
}

async function end(look: Look, applied: Applied, world: World): Promise<Run> {
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

/** Anybody's Service: most events are about one that never had a load balancer. */
function isNotOurs(unit: Unit, request: ReconcileRequest): boolean {
  const event = request.trigger === 'audit' || request.trigger === 'events';
  return event && unit.service !== undefined && !unit.wanted && !hasFinalizer(unit.service);
}

/** The finalizer stands before anything is made, so that nothing can be left behind. */
async function hold(look: Look, world: World): Promise<Unit> {
  const { unit } = look;
  if (!unit.service || !unit.wanted || hasFinalizer(unit.service)) return unit;
  const finalizers = [...(unit.service.metadata.finalizers ?? []), FINALIZER];
  return { ...unit, service: await world.kube.patchService(unit.service, { metadata: { finalizers } }) };
}

function asReconcileError(error: unknown): ReconcileError {
  if (error instanceof ReconcileError) return error;
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new ReconcileError('UNEXPECTED_RESPONSE', message, { cause: error });
}
