import { ERRORS, type ReconcileError } from '../../model/errors.ts';
import type { Address } from '../../model/address.ts';
import type { Step } from '../../model/plan.ts';
import type { ObservedResource, WireResource } from '../../model/resources.ts';
import { apply, type Applied, type Means } from '../../apply/apply.ts';
import { noteLimit, type RoutesComparison } from '../compare-routes.ts';
import { routerAt, sameRecords, type Route, type WireRouter } from '../../model/network/routes.ts';
import type { Budget, World } from '../../ports.ts';

export interface AppliedEach extends Pick<Applied, 'steps' | 'stopped' | 'known'> {
  readonly failed: ReadonlyMap<Address, ReconcileError>;
}

export const NONE_APPLIED: AppliedEach = { steps: [], stopped: false, known: new Map(), failed: new Map() };

const AT_ONCE = 8;

/**
 * Executes steps that do not depend on each other. One that fails stops no other; after a missing right all remaining
 * ones fail with it.
 */
export async function applyEach(
  steps: readonly Step[],
  observed: readonly ObservedResource[],
  means: Means,
): Promise<AppliedEach> {
  const there = new Map(observed.map((resource) => [resource.address, resource]));
  const done: Step[] = [];
  const failed = new Map<Address, ReconcileError>();
  const known = new Map<Address, WireResource>();
  let stopped = false;
  let forbidden: ReconcileError | undefined;
  for (let at = 0; at < steps.length; at += AT_ONCE) {
    const batch = steps.slice(at, at + AT_ONCE);
    if (forbidden) for (const { address } of batch) failed.set(address, forbidden);
    else
      await Promise.all(
        batch.map(async (step) => {
          const resource = there.get(step.address);
          const applied = await apply([step], resource ? [resource] : [], means);
          done.push(...applied.steps);
          for (const [address, wire] of applied.known) known.set(address, wire);
          stopped ||= applied.stopped;
          if (applied.error) failed.set(step.address, applied.error);
        }),
      );
    forbidden ??= [...failed.values()].find(({ code }) => ERRORS[code].disposition === 'operator');
  }
  return { steps: done, stopped, known, failed };
}

export interface RoutesWritten {
  readonly comparison: RoutesComparison;
  readonly steps: readonly Step[];
  readonly stopped: boolean;
  readonly routes: readonly Route[];
  /** The errors by address, of the router and of ports. */
  readonly failed: ReadonlyMap<Address, ReconcileError>;
}

/** Writes the routes. If Neutron says that the router accepts no more of them, a second pass writes as many as it accepts. */
export async function writeRoutes(
  first: RoutesComparison,
  compareAgain: () => Promise<RoutesComparison>,
  world: World,
  budget: Budget,
): Promise<RoutesWritten> {
  const means = { ...world, budget };
  const done = await write(first, world, means);
  const again = await writeWhatFits(done, async () => write(await compareAgain(), world, means), world);
  return again ?? done;
}

/**
 * Where the router accepts no more routes. A newer Neutron does not say how many it accepts
 * (docs/sources/openstack.md, "Routes of a router"): then each pass halves what is not known.
 */
async function writeWhatFits(
  { comparison: { desired }, failed }: RoutesWritten,
  writeAgain: () => Promise<RoutesWritten>,
  world: World,
): Promise<RoutesWritten | undefined> {
  const id = desired?.router.id ?? '';
  const refused = failed.get(routerAt(id));
  if (!desired || refused?.code !== 'QUOTA_EXCEEDED') return undefined;
  const asked = desired.resources.find(({ address }) => address === routerAt(id))?.attributes as
    | { readonly routes: readonly Route[] }
    | undefined;
  let fits = refused.context.limit ?? desired.router.routes?.length ?? 0;
  let fails = refused.context.limit === undefined ? (asked?.routes.length ?? 0) : fits + 1;
  while (fails - fits > 1) {
    const limit = (fits + fails) >> 1;
    noteLimit(id, limit, world);
    const { stopped, failed: failing } = await writeAgain();
    if (stopped) break;
    if (failing.get(routerAt(id))?.code === 'QUOTA_EXCEEDED') fails = limit;
    else fits = limit;
  }
  noteLimit(id, fits, world);
  return writeAgain();
}

/** A route is recorded before it is written, and forgotten after it is gone. */
async function write(comparison: RoutesComparison, { kube }: World, means: Means): Promise<RoutesWritten> {
  const { desired, records } = comparison;
  if (!desired) return { comparison, ...NONE_APPLIED, routes: [] };
  const isQuiet = cloudSteps(comparison).length === 0;
  const before = isQuiet ? desired.after : desired.before;
  if (!sameRecords(before, records)) await kube.routes.save(before, records);
  const { known, ...done } = await writeInOrder(comparison, means);
  if (done.failed.size === 0 && !done.stopped && !sameRecords(desired.after, before))
    await kube.routes.save(desired.after, records);
  const { routes } = (known.get(routerAt(desired.router.id)) ?? desired.router) as Pick<WireRouter, 'routes'>;
  return { comparison, ...done, routes: routes ?? [] };
}

async function writeInOrder(comparison: RoutesComparison, means: Means): Promise<AppliedEach> {
  const { router = [], port = [] } = Object.groupBy(
    cloudSteps(comparison),
    ({ kind }) => kind as 'router' | 'port',
  );
  const done = await applyEach(router, comparison.observed, means);
  if (done.stopped || done.failed.size > 0) return done;
  return together([done, ...(await byNetwork(port, comparison, means))]);
}

/** One group for each network, since the right to set address pairs depends on the network. */
function byNetwork(
  steps: readonly Step[],
  { observed }: RoutesComparison,
  means: Means,
): Promise<readonly AppliedEach[]> {
  const networks = new Map(observed.map(({ address, wire }) => [address, wire['network_id']]));
  const groups = Map.groupBy(steps, ({ address }) => networks.get(address));
  return Promise.all([...groups.values()].map((group) => applyEach(group, observed, means)));
}

function together(all: readonly AppliedEach[]): AppliedEach {
  return {
    steps: all.flatMap(({ steps }) => steps),
    stopped: all.some(({ stopped }) => stopped),
    known: new Map(all.flatMap(({ known }) => [...known])),
    failed: new Map(all.flatMap(({ failed }) => [...failed])),
  };
}

function cloudSteps({ plan }: RoutesComparison): readonly Step[] {
  return plan.steps.filter(({ kind }) => kind === 'port' || kind === 'router');
}
