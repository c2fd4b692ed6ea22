import type { Applied } from '../apply/apply.ts';
import type { Comparison } from './compare-service.ts';
import { asReconcileError, ReconcileError } from '../model/errors.ts';
import { type Outcome, type Run, outcomeOfError } from '../model/outcome.ts';
import { tagValue } from '../model/ownership.ts';
import type { ServiceObject, ServiceState } from '../model/service-object.ts';
import { isShared } from '../model/load-balancer/observed-service.ts';
import type { World } from '../ports.ts';
import {
  addressesToPublish,
  heldBackEvent,
  publishSummary,
  release,
  summarize,
  summarizeOutcome,
} from './report/published-status.ts';
import { rfc3339 } from '../report/condition.ts';
import { outcomeOfService } from './report/service-outcome.ts';
import { recordProject } from './project.ts';
import { hasFinalizer, isOurs } from './service-object.ts';
import { askedOf, refusedState, settledState, stateAtWork } from './settled-record.ts';

/** What the run wrote to OpenStack stays in the answer, even if the apiserver refuses the report. */
export async function finish(comparison: Comparison, applied: Applied, world: World): Promise<Run> {
  const { plan } = comparison;
  const outcome = outcomeOfService(comparison, applied);
  const addresses = addressesToPublish(comparison, applied);
  const done = { plan, applied: applied.steps, ...runSummary(comparison, applied, addresses) };
  try {
    await writeStatus(comparison, applied, outcome, addresses, world);
    await remember(comparison, applied, outcome, world);
    return { outcome, ...done };
  } catch (error) {
    if (outcome.status === 'progressing') return { outcome, ...done };
    return { outcome: outcomeOfError(asReconcileError(error)), ...done };
  }
}

async function writeStatus(
  comparison: Comparison,
  applied: Applied,
  outcome: Outcome,
  addresses: readonly string[],
  world: World,
): Promise<void> {
  const { service, wanted } = comparison.object;
  if (comparison.leaving && outcome.status === 'blocked')
    await reportHeldBack(comparison, outcome.reason, world);
  if (!service || !isOurs(service, world.config)) return;
  const now = rfc3339(world.clock.now());
  const summary = wanted
    ? summarize(service, { comparison, applied, outcome, addresses, now })
    : summarizeOutcome(service, outcome, now, comparison);
  await publishSummary(service, summary, world.kube);
}

/** The Event about a Service that has vanished. It is written in every run, since Events expire and there is no condition that stays. */
async function reportHeldBack(comparison: Comparison, reason: string, { kube }: World): Promise<void> {
  const { object } = comparison;
  const metadata = { ...object.name, uid: uidOf(comparison) ?? '', resourceVersion: '' };
  await kube.recordEvent(object.service ?? { metadata, spec: {} }, heldBackEvent(reason));
}

async function remember(
  comparison: Comparison,
  applied: Applied,
  outcome: Outcome,
  world: World,
): Promise<void> {
  const uid = uidOf(comparison);
  const refused = refusedState(comparison, applied, world.clock.now());
  if (refused && uid !== undefined) await keepStates(new Map([[uid, refused]]), world);
  if (outcome.status === 'settled') await settle(comparison, world);
}

/** Writes the reason of a failed run, but not to a Service that is gone, not levelset's or released, nor for an error that only waits. */
export async function reportFailure(
  object: ServiceObject,
  failure: ReconcileError,
  world: World,
): Promise<void> {
  const { service } = object;
  if (!service || failure.disposition === 'wait' || object.released || !isOurs(service, world.config)) return;
  const summary = summarizeOutcome(service, outcomeOfError(failure), rfc3339(world.clock.now()));
  await publishSummary(service, summary, world.kube).catch(() => undefined);
}

/**
 * While a problem is momentary there is no settled record, so that every sweep runs the Service again. With no load balancer wanted
 * or left, the state goes, and the finalizer.
 */
async function settle(comparison: Comparison, world: World): Promise<void> {
  const { object, observed } = comparison;
  const uid = uidOf(comparison);
  if (object.wanted) {
    const momentary = comparison.plan.problems.some((problem) => problem.momentary);
    const state = momentary
      ? stateAtWork(comparison, { asked: askedOf(comparison) })
      : settledState(comparison, world.clock.now());
    if (uid !== undefined && (state ?? momentary)) await keepStates(new Map([[uid, state]]), world);
    if (observed.loadBalancer) await recordProject(world);
    return;
  }
  if (observed.loadBalancer || object.released?.isApproved === false) return;
  if (uid !== undefined) await keepStates(new Map([[uid, undefined]]), world);
  const { service, released } = object;
  if (service && hasFinalizer(service) && isOurs(service, world.config))
    await publishSummary(service, release(service, released), world.kube);
}

/** A state mostly saves work, so a run does not fail because it cannot be saved: a sweep runs a Service without one again. */
export async function keepStates(
  changes: ReadonlyMap<string, ServiceState | undefined>,
  world: World,
): Promise<void> {
  const { kube, log } = world;
  try {
    await kube.state.save(changes);
  } catch (error) {
    if (!(error instanceof ReconcileError)) throw error;
    log.warn('a settled record could not be saved; each sweep runs this Service again', {
      uid: [...changes.keys()].join(', '),
      reason: error.message,
    });
  }
}

export function nothingApplied(comparison: Comparison): Applied {
  return {
    steps: [],
    stopped: false,
    known: new Map(comparison.observed.resources.map(({ address, wire }) => [address, wire])),
  };
}

/** The Service's UID; if it is gone, by the tag `levelset-service` of what it left. What others share does not count. */
function uidOf({ object, observed }: Comparison): string | undefined {
  const isOthers = isShared(observed.sharing);
  const left = observed.resources
    .filter(
      ({ whose, kind }) =>
        whose !== 'foreign' && !(isOthers && (kind === 'loadbalancer' || kind === 'floatingip')),
    )
    .flatMap(({ wire }) => tagValue(wire['tags'], 'service') ?? []);
  return object.service?.metadata.uid ?? left[0];
}

export function runSummary(
  comparison: Comparison,
  applied?: Applied,
  addresses: readonly string[] = [],
): Omit<Run, 'outcome' | 'plan' | 'applied' | 'membersMoved'> {
  const lb = applied?.known.get('lb') ?? comparison.observed.loadBalancer;
  const { steps, refused, awaitingApproval, problems } = comparison.plan;
  const isNothing = !lb && [steps, refused, awaitingApproval, problems].every((list) => list.length === 0);
  return {
    ...(lb ? { loadBalancerId: lb.id } : {}),
    ...(!comparison.object.service && isNothing ? { missing: true as const } : {}),
    ...(addresses.length === 0 ? {} : { address: addresses.join(', ') }),
    certificates: comparison.desired.certificates,
    desired: comparison.hash,
    ...(comparison.desired.withoutAddress.length > 0
      ? { nodesWithoutAddress: comparison.desired.withoutAddress }
      : {}),
  };
}
