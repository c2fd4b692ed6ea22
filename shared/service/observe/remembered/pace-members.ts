/**
 * Nodes that come and go one after another become few changes of each pool (decision 335). The first change is made at once. After
 * it the pool rests, so that what follows gathers, and longer each time as long as more than one member has gathered.
 */
import type { MemberPace, PoolPace } from '../../../memory/memory.ts';
import type { Address } from '../../../model/address.ts';
import { fingerprint } from '../../../model/json.ts';
import type { Service } from '../../../model/kubernetes.ts';
import type { ObservedService } from '../../../model/load-balancer/observed-service.ts';
import type { DesiredResource } from '../../../model/resources.ts';
import { poolOfMembers, writesMembers } from '../../../model/load-balancer/octavia.ts';
import type { Plan, Step } from '../../../model/plan.ts';
import { serviceKey } from '../../../model/request.ts';
import type { Unit } from '../../../model/unit.ts';
import type { World } from '../../../ports.ts';
import { expectState } from './expected-state.ts';

interface Planned {
  readonly unit: Unit;
  readonly observed: ObservedService;
  readonly plan: Plan;
}

type Remembering = Pick<World, 'clock'> & {
  readonly memory: Pick<World['memory'], 'paces' | 'expectedStates'>;
};

/** About as long as Octavia holds its lock for a change. */
const FIRST_PAUSE_MS = 5_000;
/** A Node that is dead stays a member for so long at most, besides Octavia's own time. */
const LONGEST_PAUSE_MS = 30_000;
/** After so long without a change of its members a pool begins anew. */
const QUIET_MS = 60_000;
/** A pool that would lose one member in so many does not rest: what is dead takes that share of the connections. */
const SHARE = 4;
/** Nor does a pool of so few members, which has few changes to come. */
const FEW = 8;

/**
 * The evaluation without the changes of members for which their pools rest. A pool does not rest for what a person or the endpoints
 * of the Service ask for, for a change that was begun, or for one that concerns a great part of it.
 */
export function paceMembers<T extends Planned>(
  evaluation: T,
  { memory, clock }: Remembering,
): T & { readonly gathersForMs?: number } {
  const { unit, plan, observed } = evaluation;
  const pace = memory.paces.get(unit.key);
  const byPool = stepsByPool(plan.steps);
  if (!pace || byPool.size === 0 || pace.rests !== whatItRestsOn(evaluation)) return evaluation;
  // each run tells of drift and counts it, so it is put back by the one that finds it
  if (plan.drift && !plan.driftStays) return evaluation;
  // the key of a run that fails comes back when its failure asks for it
  if (observed.vipPortGone || plan.problems.some(({ code }) => code)) return evaluation;
  const now = clock.now();
  const drains = new Set(plan.draining?.map(({ address }) => address));
  const there = new Map<Address, ReadonlySet<Address>>();
  const held = [...byPool].flatMap(([pool, steps]) => {
    const last = pace.pools.get(pool);
    const leftMs = last ? last.sinceMs + last.pauseMs - now : 0;
    // a clock that was set back makes no pause longer
    if (!last || leftMs <= 0 || leftMs > last.pauseMs) return [];
    const news = steps.filter((step) => !last.begun.has(markOf(step)));
    const members = observed.resources.filter(({ kind, parent }) => kind === 'member' && parent === pool);
    const joining = news.reduce((sum, step) => sum + joinedBy(step), 0);
    if (news.length === 0 || isGreat({ joining, leaving: sizeOf(news) - joining }, members.length)) return [];
    const addresses = members.map(({ address }) => address);
    there.set(pool, new Set(addresses.filter((address) => !drains.has(address))));
    return news.map((step) => ({ step, leftMs }));
  });
  if (held.length === 0) return evaluation;
  const { expectedSinceMs: sinceMs, resources } = observed;
  if (sinceMs !== undefined) expectState(unit, { resources, sinceMs, onlyMembersMade: false }, memory);
  const heldSteps = new Set(held.map(({ step }) => step));
  const gathersForMs = Math.min(...held.map(({ leftMs }) => leftMs));
  memory.paces.set(unit.key, { ...pace, gathers: { untilMs: now + gathersForMs, there } });
  return {
    ...evaluation,
    plan: { ...plan, steps: plan.steps.filter((step) => !heldSteps.has(step)) },
    gathersForMs,
  };
}

/** Whether the last run of a Service left changes of members to the next one, which comes later. */
export function isGathering({ metadata }: Service, { memory, clock }: Remembering): boolean {
  const { gathers } = memory.paces.get(serviceKey(metadata.namespace, metadata.name)) ?? {};
  const leftMs = (gathers?.untilMs ?? 0) - clock.now();
  return leftMs > 0 && leftMs <= LONGEST_PAUSE_MS;
}

/**
 * Whether a Service that gathers has to run now, by what a sweep desires of it. The queues drop what a sweep finds of a key that comes
 * back by itself, and most changes of Nodes, and many of endpoints, are found by sweeps.
 */
export function outgrowsPause(
  evaluation: Omit<Planned, 'plan'> & {
    readonly desired: { readonly resources: readonly DesiredResource[] };
  },
  { memory }: Pick<Remembering, 'memory'>,
): boolean {
  const { gathers, rests } = memory.paces.get(evaluation.unit.key) ?? {};
  if (!gathers) return false;
  if (rests !== whatItRestsOn(evaluation)) return true;
  const wanted = evaluation.desired.resources.filter(({ kind }) => kind === 'member');
  const addresses = new Set(wanted.map(({ address }) => address));
  return [...gathers.there].some(([pool, there]) => {
    const joining = wanted.filter(({ address, parent }) => parent === pool && !there.has(address)).length;
    const leaving = [...there].filter((address) => !addresses.has(address)).length;
    return isGreat({ joining, leaving }, there.size);
  });
}

/** Notes which members a run has written, and how long their pools rest now. */
export function noteMembers(
  evaluation: Planned,
  made: readonly Step[],
  { memory, clock }: Remembering,
): void {
  const { unit, plan } = evaluation;
  const written = stepsByPool(made);
  if (written.size === 0) return;
  const planned = stepsByPool(plan.steps);
  const rests = whatItRestsOn(evaluation);
  const before = memory.paces.get(unit.key);
  // the other pools are to follow what else has changed
  const pools = new Map(before?.rests === rests ? before.pools : []);
  for (const [pool, steps] of written) {
    const done = new Set(steps.map(markOf));
    const last = pools.get(pool);
    const goesOn = last && [...done].every((mark) => last.begun.has(mark));
    const begun = goesOn ? last.begun : new Set((planned.get(pool) ?? []).map(markOf));
    const left = new Set([...begun].filter((mark) => !done.has(mark)));
    pools.set(
      pool,
      goesOn
        ? { ...last, begun: left }
        : { begun: left, ...nextPause(last, sizeOf(planned.get(pool) ?? []), clock.now()) },
    );
  }
  memory.paces.set(unit.key, { rests, pools });
}

function nextPause(
  last: PoolPace | undefined,
  size: number,
  now: number,
): Pick<PoolPace, 'sinceMs' | 'pauseMs'> {
  const agoMs = last ? now - last.sinceMs : Infinity;
  const isQuiet = agoMs < 0 || agoMs >= QUIET_MS;
  if (!last || isQuiet || size === 1) return { sinceMs: now, pauseMs: FIRST_PAUSE_MS };
  return { sinceMs: now, pauseMs: Math.min(LONGEST_PAUSE_MS, 2 * last.pauseMs) };
}

/** What the members of a Service follow besides the Nodes. */
function whatItRestsOn({ unit: { service }, observed }: Omit<Planned, 'plan'>): MemberPace['rests'] {
  const { metadata, spec } = service ?? {};
  return fingerprint([
    metadata?.uid ?? null,
    metadata?.annotations ?? null,
    spec ?? null,
    observed.localNodes ?? null,
    observed.endpoints ?? null,
  ]);
}

function stepsByPool(steps: readonly Step[]): ReadonlyMap<Address, readonly Step[]> {
  return Map.groupBy(steps.filter(writesMembers), poolOfMembers);
}

function markOf({ verb, address }: Step): string {
  return `${verb} ${address}`;
}

/** `leaving`: those that are changed count, too. */
function isGreat({ joining, leaving }: { joining: number; leaving: number }, there: number): boolean {
  return there <= FEW || joining > there || leaving * SHARE >= there;
}

function joinedBy(step: Step): number {
  if (step.verb === 'members') return step.added.length;
  return step.verb === 'create' ? 1 : 0;
}

/** How many members steps concern. */
function sizeOf(steps: readonly Step[]): number {
  return steps.reduce(
    (sum, step) =>
      sum + (step.verb === 'members' ? step.added.length + step.removed.length + step.changed.length : 1),
    0,
  );
}
