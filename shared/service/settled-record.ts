/** The states of Services: which a run keeps, when a sweep compares in full whatever they say, which a sweep removes, and what is drift by them. */
import { isSure } from '../memory/load-balancers.ts';
import { errorText, ReconcileError, isError } from '../model/errors.ts';
import { fingerprint, sameJson } from '../model/json.ts';
import type { Service } from '../model/kubernetes.ts';
import { followsNodes } from '../model/load-balancer/octavia.ts';
import { tagValue } from '../model/ownership.ts';
import { attempt, readIfPossible } from '../observe/reads.ts';
import { selectorOf } from './intent/service-intent.ts';
import type { WireResource } from '../model/resources.ts';
import type { World } from '../ports.ts';
import { tellsTrouble, rfc3339 } from '../report/condition.ts';
import type { Project } from './observe/project.ts';
import type { Applied } from '../apply/apply.ts';
import type { Comparison } from './compare-service.ts';
import { takenByOthers } from './plan/plan-input.ts';
import { createsReplacement, type Step } from '../model/plan.ts';
import type { ServiceState } from '../model/service-object.ts';
import { isOfNextPool } from '../model/address.ts';
import { isShared } from '../model/load-balancer/observed-service.ts';

const HOUR_MS = 3_600_000;

/** A state is unsure after a look at the load balancer alone, and while `updated_at` may hide a change (design.md, "The sweep is cheap"). */
export function settledState(comparison: Comparison, now: number): ServiceState | undefined {
  const lb = comparison.observed.loadBalancer;
  if (!lb) return undefined;
  const isRead = comparison.observed.asWrittenSince === undefined;
  const { awaitingApproval: waiting, driftStays } = comparison.plan;
  const { length: awaitingApproval } = waiting;
  return {
    hash: comparison.hash,
    asked: askedOf(comparison),
    ...(driftStays ? { driftStays } : {}),
    updated_at: isRead ? textOf(lb['updated_at']) : null,
    ...(isRead && isSure(lb, now) ? {} : { unsure: true as const }),
    ...(isRead ? { compared: rfc3339(now) } : {}),
    ...(awaitingApproval > 0 ? { awaitingApproval } : {}),
    ...selectorOf(comparison.intent),
  };
}

/** The state after OpenStack rejected the creation of a load balancer, the first one or a replacement; else undefined. */
export function refusedState(
  comparison: Comparison,
  applied: Applied,
  now: number,
): ServiceState | undefined {
  const { error } = applied;
  const { state, hash } = comparison;
  const another = comparison.plan.steps.some(createsReplacement) && !applied.steps.some(createsReplacement);
  if ((comparison.observed.loadBalancer && !another) || error?.code !== 'REJECTED') return undefined;
  // what this run wrote beside moves `updated_at` until Octavia is done, so nobody compares it
  const before = state?.rejected !== undefined && state.hash === hash ? (state.rejections ?? 1) : 0;
  const told = { rejected: error.message, rejectedAt: rfc3339(now), rejections: before + 1 };
  return { hash, updated_at: null, ...told };
}

const FIRST_AGAIN_MS = 10 * 60_000;
const LONGEST_AGAIN_MS = 6 * HOUR_MS;

/** When what was refused may be tried again, in milliseconds since 1970: after ten minutes, and after each refusal in a row twice as long, up to six hours. */
export function triedAgainMs({ rejectedAt = '', rejections = 1 }: ServiceState): number {
  const sinceMs = Date.parse(rejectedAt);
  if (Number.isNaN(sinceMs)) return 0;
  return sinceMs + Math.min(LONGEST_AGAIN_MS, FIRST_AGAIN_MS * 2 ** Math.min(rejections - 1, 10));
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** A sure settled record is good for 12 to 22 hours, by the UID: so each sweep compares a share of all. An unsure one has only hashes. */
function isDue(state: ServiceState, uid: string, now: number): boolean {
  const { compared, driftStays, unsure } = state;
  if (unsure || driftStays) return true;
  const share = Number.parseInt(fingerprint(uid).slice(0, 8), 16) / 2 ** 32;
  const goodForMs = (12 + share * 10) * HOUR_MS;
  const since = Date.parse(compared ?? '');
  // a time to come is of a clock that was wrong
  return Number.isNaN(since) || since > now || now - since >= goodForMs;
}

/** What a run looks at whatever the sweep finds is not compared. `listed` is the load balancer that the Service names, if it is there. */
export function isComparedInFull(
  service: Service,
  state: ServiceState | undefined,
  listed: WireResource | undefined,
  { deep, world }: { readonly deep: true | undefined; readonly world: Pick<World, 'clock'> },
): boolean {
  if (!deep && state && !isDue(state, service.metadata.uid, world.clock.now())) return false;
  if (state?.rejected !== undefined) return true;
  return (!listed || listed['provisioning_status'] === 'ACTIVE') && !tellsTrouble(service);
}

/** Whether the Service was settled by what levelset wrote, and nothing on its load balancer was read since. */
export function isUnread({ unsure, compared }: ServiceState): boolean {
  return unsure === true && compared === undefined;
}

/** The state after a full comparison. Undefined if only a run can say that all is as desired: without a settled record, and with anything to report. */
export function comparedState(
  comparison: Comparison,
  before: ServiceState | undefined,
  readAt: number,
): ServiceState | undefined {
  const { problems, refused, awaitingApproval } = comparison.plan;
  const tells = [problems, refused, awaitingApproval].some(({ length }) => length > 0);
  return tells && !before ? undefined : settledState(comparison, readAt);
}

interface Swept {
  readonly world: World;
  readonly project: Project;
  readonly states: ReadonlyMap<string, ServiceState> | ReconcileError;
}

/** Keeps states, unless a run at work stored another since the sweep loaded `before`. Without them the next sweep compares again. */
export async function keepCompared(
  compared: ReadonlyMap<string, ServiceState | undefined>,
  before: Swept['states'],
  { kube }: World,
): Promise<void> {
  const found = [...compared].filter(([, state]) => state !== undefined);
  if (found.length === 0 || before instanceof ReconcileError) return;
  const now = await attempt(kube.state.load());
  if (now instanceof ReconcileError) return;
  const stored = (uid: string, states: ReadonlyMap<string, ServiceState>): unknown => states.get(uid) ?? null;
  const left = found.filter(([uid]) => sameJson(stored(uid, now), stored(uid, before)));
  await attempt(kube.state.save(new Map(left)));
}

/** Removes the states of Services that are gone and in no load balancer's tags; none by a list that failed. Returns why some may be left. */
export async function prune(
  services: readonly Service[],
  { world, project, states }: Swept,
): Promise<string | undefined> {
  if (project.loadBalancers instanceof ReconcileError) return undefined;
  const tagged = project.loadBalancers.map((lb) => tagValue(lb['tags'], 'service'));
  const alive = new Set([...services.map(({ metadata }) => metadata.uid), ...tagged]);
  if (states instanceof ReconcileError) return errorText(states);
  const gone = [...states.keys()].filter((uid) => !alive.has(uid));
  if (gone.length === 0) return undefined;
  const removed = await attempt(world.kube.state.save(new Map(gone.map((uid) => [uid, undefined]))));
  return removed instanceof ReconcileError ? errorText(removed) : undefined;
}

/** A hash of what is desired, but for what follows the Nodes. */
export function askedOf({ desired, planned, intent }: Comparison): string {
  const { approved } = planned.desired;
  const resources = desired.resources.filter((one) => !followsNodes(one));
  const { Service: { loadBalancerName, memberSubnetId } = {}, ports = [] } = intent?.annotated ?? {};
  const ofMembers = ports.map(({ ServicePort: { memberWeights, backupMembers } }) => [
    memberWeights,
    backupMembers,
  ]);
  const others = [intent?.allowed_cidrs, loadBalancerName, memberSubnetId, ofMembers];
  return fingerprint([resources, approved, takenByOthers(planned), ...others]);
}

/** The state while a run writes. The record stays if a run only follows the Nodes or mends; the node-selector always stays. */
export function stateAtWork(
  comparison: Comparison,
  state: Pick<ServiceState, 'asked'>,
): ServiceState | undefined {
  const { plan, intent } = comparison;
  const keeps = plan.steps.every((step) => followsNodes(step) || isMend(step));
  const asked = keeps && state.asked !== undefined ? { asked: state.asked } : {};
  const stays = { ...asked, ...selectorOf(intent) };
  return Object.keys(stays).length === 0 ? undefined : { hash: '', updated_at: null, ...stays };
}

/** What is in ERROR is written as it is, or built anew, whoever broke it (decision 310). */
function isMend(step: Step): boolean {
  if (step.verb !== 'update') return step.verb === 'failover';
  return step.changes.every(({ from, to }) => sameJson(from ?? null, to ?? null));
}

/**
 * Steps are drift while the settled Service's record says the same is desired (decision 280); it goes before a write, so half-done work is none.
 * Where drift is only reported, the steps are those that are no drift. Missing members are added all the same, and if another resource is missing
 * the whole plan is made. A state that cannot be read stops the run; a look waits for it.
 */
export async function withDrift(comparison: Comparison, world: World, dryRun = false): Promise<Comparison> {
  const { object, plan, intent } = comparison;
  if (!object.service || !intent) return comparison;
  const reports = intent.annotated.Service.drift === 'report';
  const { uid } = object.service.metadata;
  const read = (): Promise<ServiceState | undefined> => world.kube.state.find(uid);
  const state = await (reports ? read() : dryRun ? attempt(read()) : readIfPossible(world, 'states', read));
  if (!state || isError(state)) return comparison;
  const drift = plan.steps.filter(driftBy(state, comparison));
  if (drift.length === 0) return { ...comparison, state };
  if (!reports || drift.some((step) => isMissing(step, comparison)))
    return { ...comparison, state, plan: { ...plan, drift } };
  const steps = plan.steps.flatMap((step) => (drift.includes(step) ? whatIsMissing(step) : step));
  return { ...comparison, state, plan: { ...plan, steps, drift, driftStays: true } };
}

/** Whether a step is drift, by the record. What follows the Nodes and Pods is, too, while nothing else is desired of them, either. */
function driftBy(state: ServiceState, comparison: Comparison): (step: Step) => boolean {
  const { hash, observed, plan } = comparison;
  const isAlike = state.hash === hash;
  const asked = askedOf(comparison);
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

function isMissing(step: Step, { observed }: Comparison): boolean {
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
