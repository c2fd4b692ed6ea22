/** Between the plan of the routes and their report: what is written to Neutron, under a lease and a record. */
import { apply } from '../apply/apply.ts';
import type { Means } from '../apply/apply.ts';
import { applyEach } from '../apply/apply-each.ts';
import type { RoutesLook } from './look.ts';
import type { Address } from '../model/address.ts';
import type { ReconcileError } from '../model/errors.ts';
import { TAG_PREFIX } from '../model/ownership.ts';
import type { Step } from '../model/plan.ts';
import { routerAt } from '../model/routes.ts';
import type { Route, WrittenRoutes } from '../model/routes.ts';
import type { Budget, World } from '../ports.ts';

/** What was done, and how it is now. */
export interface RoutesWritten {
  readonly look: RoutesLook;
  readonly steps: readonly Step[];
  readonly stopped: boolean;
  /** On the router. */
  readonly routes: readonly Route[];
  /** By address, of the router and of ports. */
  readonly failed: ReadonlyMap<Address, ReconcileError>;
}

const LEASE = `${TAG_PREFIX}routes`;

/**
 * What was seen without the lease is looked at again: it goes when it is given back, so nobody knows who had it meanwhile.
 * Where Neutron says that a router takes no more routes, as many are written as it takes.
 */
export async function writeRoutes(
  first: RoutesLook,
  lookAgain: (limit?: number) => Promise<RoutesLook>,
  world: World,
  budget: Budget,
): Promise<RoutesWritten> {
  if (cloudSteps(first).length === 0) return settle(first, world);
  const lease = world.kube.lease(LEASE);
  await lease.acquire();
  try {
    const means = { ...world, lease, budget };
    const done = await write(await lookAgain(), world, means);
    const limit = done.failed.get(routerAt(first.router.id))?.context.limit;
    return limit === undefined ? done : await write(await lookAgain(limit), world, means);
  } finally {
    await lease.remove();
  }
}

/** Nothing is to be done but, perhaps, to forget what is gone. */
async function settle(look: RoutesLook, { kube }: Pick<World, 'kube'>): Promise<RoutesWritten> {
  const { router, desired, written } = look;
  if (desired && !sameRecord(desired.after, written)) await kube.routes.save(router.id, desired.after);
  return { look, steps: [], stopped: false, routes: router.routes ?? [], failed: new Map() };
}

/** The record says what is ours before it is written, and forgets it when it is gone. */
async function write(look: RoutesLook, world: World, means: Means): Promise<RoutesWritten> {
  const { router, desired, observed, written } = look;
  const steps = cloudSteps(look);
  if (!desired || steps.length === 0) return settle(look, world);
  if (!sameRecord(desired.before, written)) await world.kube.routes.save(router.id, desired.before);
  const onRouter = steps.filter(({ kind }) => kind === 'router');
  const { known, error, ...applied } = await apply(onRouter, observed, means);
  const ports = await writePorts(error ? [] : steps, look, means);
  const failed = new Map([...ports.failed, ...(error ? [[routerAt(router.id), error] as const] : [])]);
  const stopped = ports.stopped || applied.stopped;
  if (failed.size === 0 && !stopped && !sameRecord(desired.after, desired.before))
    await world.kube.routes.save(router.id, desired.after);
  const routes = (known.get(routerAt(router.id))?.['routes'] ?? []) as readonly Route[];
  return { look, steps: [...applied.steps, ...ports.steps], stopped, routes, failed };
}

/** Who may set address pairs depends on the network. */
async function writePorts(
  steps: readonly Step[],
  { observed }: RoutesLook,
  means: Means,
): Promise<Pick<RoutesWritten, 'steps' | 'stopped' | 'failed'>> {
  const networks = new Map(observed.map(({ address, wire }) => [address, wire['network_id']]));
  const groups = Map.groupBy(
    steps.filter(({ kind }) => kind === 'port'),
    ({ address }) => networks.get(address),
  );
  const all = await Promise.all([...groups.values()].map((group) => applyEach(group, observed, means)));
  return {
    steps: all.flatMap((one) => one.steps),
    stopped: all.some((one) => one.stopped),
    failed: new Map(all.flatMap((one) => [...one.failed])),
  };
}

function cloudSteps({ plan }: RoutesLook): readonly Step[] {
  return plan.steps.filter(({ kind }) => kind === 'port' || kind === 'router');
}

/** Both have the same order. */
function sameRecord(a: WrittenRoutes, b: WrittenRoutes): boolean {
  const text = ({ destination, nexthop, port }: WrittenRoutes[number]): string =>
    [destination, nexthop, port].join(' ');
  return JSON.stringify(a.map(text)) === JSON.stringify(b.map(text));
}
