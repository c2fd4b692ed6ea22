/**
 * THE PAGE. What happens to one key, whatever woke us:
 *
 *   read the Service -> observe -> desire -> plan -> (finalizer, lease) -> apply -> report
 *
 * Deleting is desiring nothing. Nothing waits for Octavia: the run ends as `progressing` and the key comes back.
 */
import { apply } from './apply/apply.ts';
import type { Applied } from './apply/apply.ts';
import { lookAt } from './look.ts';
import type { Look } from './look.ts';
import { ReconcileError } from './model/errors.ts';
import type { Outcome, Report } from './model/outcome.ts';
import { FINALIZER, TAG_PREFIX, tagValue } from './model/ownership.ts';
import { asServiceKey } from './model/request.ts';
import type { ReconcileRequest } from './model/request.ts';
import type { Unit } from './model/unit.ts';
import type { Budget, Lease, World } from './ports.ts';
import { addressOf } from './report/address.ts';
import { outcomeOf, outcomeOfError } from './report/outcome.ts';
import { publish } from './report/publish.ts';
import { release, summarize, summarizeOutcome } from './report/summarize.ts';
import { hasFinalizer, unitOf } from './unit.ts';
import { refusal, watermark } from './watermark.ts';

type Run = Pick<
  Report,
  'outcome' | 'plan' | 'applied' | 'loadBalancerId' | 'address' | 'nodesWithoutAddress'
>;

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
  const service = await world.kube.getService(name.namespace, name.name);
  const unit = unitOf(request.key, name, service, world.config);
  if (isNotOurs(unit, request)) return { outcome: { status: 'settled' }, applied: [] };
  try {
    return await work(request, unit, world, budget);
  } catch (error) {
    const failure = asReconcileError(error);
    if (!request.dryRun) await tellOfFailure(unit, failure, world);
    throw failure;
  }
}

async function work(request: ReconcileRequest, unit: Unit, world: World, budget: Budget): Promise<Run> {
  const nodes = unit.wanted ? await world.kube.listNodes() : [];
  const cluster = { id: await world.kube.clusterId(), name: world.config.clusterName };
  const look = (held: Unit): Promise<Look> => lookAt(held, nodes, world, cluster);
  const first = await look(unit);
  if (request.dryRun)
    return { outcome: { status: 'settled' }, plan: first.plan, applied: [], ...seen(first) };

  const held = await hold(first, world);
  if (first.plan.steps.length === 0) return conclude({ ...first, unit: held }, nothingApplied(first), world);
  const lease = world.kube.lease(leaseName(first));
  const { fresh } = await lease.acquire();
  try {
    const second = fresh ? { ...first, unit: held } : await look(held);
    const applied = await apply(second.plan.steps, second.observed.resources, { ...world, lease, budget });
    return await conclude(second, applied, world);
  } finally {
    await lease.release();
  }
}

/** Anybody's Service: most events are about one that never had a load balancer. The sweep and people look closer. */
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

/** Outcome, then what everybody is told of it. */
async function conclude(look: Look, applied: Applied, world: World): Promise<Run> {
  const { unit, plan } = look;
  const failed = look.observed.loadBalancer?.['provisioning_status'] === 'ERROR' && unit.wanted;
  const madeAnew = applied.steps.some(({ kind }) => kind === 'loadbalancer');
  const outcome = failed && !madeAnew && !applied.error ? inError(look) : outcomeOf(look, applied);
  const address = addressOf(look, applied);
  const now = rfc3339(world);
  if (unit.service && !unit.wanted && hasFinalizer(unit.service)) {
    await publish(unit.service, summarizeOutcome(unit.service, outcome, now, look), world.kube);
  }
  if (unit.service && unit.wanted) {
    await publish(
      unit.service,
      summarize(unit.service, { look, applied, outcome, address, now }),
      world.kube,
    );
  }
  const uid = uidOf(look);
  const refused = refusal(look, applied);
  if (refused && uid !== undefined) await world.kube.state.save(new Map([[uid, refused]]));
  if (outcome.status === 'settled') await settle(look, world);
  return { outcome, plan, applied: applied.steps, ...seen(look, applied, address) };
}

/** The Service says what holds it up, if the apiserver lets us; the log says it in any case. */
async function tellOfFailure(unit: Unit, failure: ReconcileError, world: World): Promise<void> {
  const { service } = unit;
  if (!service || failure.disposition === 'wait' || (!unit.wanted && !hasFinalizer(service))) return;
  const summary = summarizeOutcome(service, outcomeOfError(failure), rfc3339(world));
  await publish(service, summary, world.kube).catch(() => undefined);
}

/** Wanted and met: a watermark for the next sweep. Not wanted and gone: everything of ours is taken back. */
async function settle(look: Look, world: World): Promise<void> {
  const { unit, observed } = look;
  const uid = uidOf(look);
  if (unit.wanted) {
    const state = watermark(look, world.clock.now());
    if (uid !== undefined && state) await world.kube.state.save(new Map([[uid, state]]));
    return;
  }
  if (observed.loadBalancer) return;
  if (uid !== undefined) {
    await world.kube.state.save(new Map([[uid, undefined]]));
    await lease(look, world).remove();
  }
  if (unit.service && hasFinalizer(unit.service))
    await publish(unit.service, release(unit.service), world.kube);
}

function lease(look: Look, world: World): Lease {
  return world.kube.lease(leaseName(look));
}

function leaseName(look: Look): string {
  return `${TAG_PREFIX}${uidOf(look) ?? 'unknown'}`;
}

/** Of the Service, or, when it is gone, of the one the load balancer was made for. */
function uidOf(look: Look): string | undefined {
  return look.unit.service?.metadata.uid ?? tagValue(look.observed.loadBalancer?.['tags'], 'service');
}

function inError(look: Look): Outcome {
  const message = `load balancer ${look.observed.loadBalancer?.id ?? ''} is in ERROR and serves, perhaps, at an address that people use`;
  return outcomeOfError(new ReconcileError('LOAD_BALANCER_ERROR', message));
}

function nothingApplied(look: Look): Applied {
  return {
    steps: [],
    stopped: false,
    known: new Map(look.observed.resources.map(({ address, wire }) => [address, wire])),
  };
}

function seen(
  look: Look,
  applied?: Applied,
  address?: string,
): Pick<Run, 'loadBalancerId' | 'address' | 'nodesWithoutAddress'> {
  const lb = applied?.known.get('lb') ?? look.observed.loadBalancer;
  return {
    ...(lb ? { loadBalancerId: lb.id } : {}),
    ...(address === undefined ? {} : { address }),
    ...(look.desired.withoutAddress.length > 0 ? { nodesWithoutAddress: look.desired.withoutAddress } : {}),
  };
}

/** Kubernetes' times have whole seconds. */
function rfc3339(world: World): string {
  return new Date(world.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
}

function asReconcileError(error: unknown): ReconcileError {
  if (error instanceof ReconcileError) return error;
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new ReconcileError('UNEXPECTED_RESPONSE', message, { cause: error });
}
