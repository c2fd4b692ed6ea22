import type { Evaluation } from './evaluate.ts';
import { ReconcileError } from '../model/errors.ts';
import { fingerprint } from '../model/json.ts';
import { sharedTag, TAG_PREFIX, tagValue } from '../model/ownership.ts';
import type { LeaseNames } from '../model/unit.ts';
import type { Key } from '../model/request.ts';
import type { Kube, Lease, World } from '../ports.ts';

/** The lease of the Service and the lease of what it shares with others, held together. */
export interface Leases extends Pick<Lease, 'renew'> {
  /**
   * `unused`: nothing was written. `gone`: the Service is no more. `stale`: another lease guards now what is shared.
   */
  release(how?: Ending): Promise<void>;
  /** Nobody else can have written since the evaluation. */
  readonly fresh: boolean;
}

export type Ending = 'unused' | 'gone' | 'stale';

/** The UID of the Service. Of one that is gone the tags of what it left behind say it. */
export function uidOf({ unit, observed }: Evaluation): string | undefined {
  const isJoiner = observed.sharing?.role === 'joiner';
  const left = observed.resources
    .filter(({ owned, kind }) => owned && !(isJoiner && (kind === 'loadbalancer' || kind === 'floatingip')))
    .flatMap(({ wire }) => tagValue(wire['tags'], 'service') ?? []);
  return unit.service?.metadata.uid ?? left[0];
}

export function leaseName(evaluation: Evaluation): string {
  return `${TAG_PREFIX}${uidOf(evaluation) ?? 'unknown'}`;
}

/**
 * The second lease, which keeps several Services from writing one load balancer at once: the owner's, which the owner takes
 * anyway. Without an owner it is named after the load balancer; before there is one, after the name by which it will be
 * shared. Undefined where the unit's own lease is that one, or nobody shares.
 */
export function sharingLeaseName(evaluation: Evaluation): string | undefined {
  const { loadBalancer } = evaluation.observed;
  if (loadBalancer) {
    const owner = tagValue(loadBalancer['tags'], 'service');
    if (owner !== undefined) return owner === uidOf(evaluation) ? undefined : `${TAG_PREFIX}${owner}`;
    return isShared(evaluation) ? `${PASSING[0]}${loadBalancer.id}` : undefined;
  }
  const name = evaluation.unit.wanted ? evaluation.intent?.annotated.Service.loadBalancerName : undefined;
  if (name === undefined) return undefined;
  return `${PASSING[1]}${fingerprint(sharedTag(evaluation.unit.name.namespace, name)).slice(0, 16)}`;
}

function isShared({ observed: { sharing } }: Evaluation): boolean {
  return sharing !== undefined && (sharing.role === 'joiner' || sharing.others.length > 0);
}

/** Names of leases that belong to no Service. They go when they are given back. */
const PASSING = [`${TAG_PREFIX}lb-`, `${TAG_PREFIX}name-`] as const;

export function leaseNames(evaluation: Evaluation): LeaseNames {
  const shared = sharingLeaseName(evaluation);
  return {
    own: leaseName(evaluation),
    shared,
    areShared: shared !== undefined || isShared(evaluation),
    uid: uidOf(evaluation),
    loadBalancerId: evaluation.observed.loadBalancer?.id,
  };
}

/**
 * Undefined while another Service works on what is shared. Throws LEASE_HELD when another run has a Service that shares
 * nothing.
 */
export async function acquireLeases(
  names: LeaseNames,
  kube: Pick<Kube, 'lease'>,
): Promise<Leases | undefined> {
  const own = kube.lease(names.own);
  const mine = await unlessHeld(own, names.areShared);
  if (!mine) return undefined;
  const { fresh } = mine;
  const { shared: name } = names;
  if (name === undefined) return { fresh, renew: () => own.renew(), release: (how) => giveBack(own, how) };
  const shared = kube.lease(name, names.uid);
  const ours = await unlessHeld(shared, true).catch(async (error: unknown) => {
    await own.release(true);
    throw error;
  });
  if (!ours) {
    await own.release(true);
    return undefined;
  }
  const isPassing = PASSING.some((prefix) => name.startsWith(prefix));
  return {
    fresh: false,
    renew: async () => {
      await Promise.all([own.renew(), shared.renew()]);
    },
    release: async (how) => {
      await Promise.all([
        giveBack(own, how),
        isPassing || how === 'stale' ? shared.remove() : shared.release(how !== undefined),
      ]);
    },
  };
}

/** Undefined while another Service holds a shared lease, which it needs for one write. */
async function unlessHeld(lease: Lease, isShared: boolean): Promise<{ readonly fresh: boolean } | undefined> {
  try {
    return await lease.acquire();
  } catch (error) {
    if (isShared && error instanceof ReconcileError && error.code === 'LEASE_HELD') return undefined;
    throw error;
  }
}

function giveBack(own: Lease, how?: Ending): Promise<void> {
  return how === 'gone' ? own.remove() : own.release(how !== undefined);
}

/** Throws LEASE_LOST where the second look shows another owner than the first. */
export function requireSameLease(held: LeaseNames, evaluation: Evaluation): void {
  if (held.shared === sharingLeaseName(evaluation)) return;
  throw new ReconcileError('LEASE_LOST', 'the load balancer is shared otherwise than a moment ago');
}

/**
 * A run that ends while other Services use the load balancer comes back for its turn. It takes the leases first then, and
 * evaluates once, so that waiting costs no call to OpenStack.
 */
export function rememberLeases(unit: Key, names: LeaseNames, { memory }: Pick<World, 'memory'>): void {
  if (names.areShared) memory.leases.set(unit, names);
}

/** Counts once: the end of the run says whether another turn is needed. */
export function takeRememberedLeases(unit: Key, { memory }: Pick<World, 'memory'>): LeaseNames | undefined {
  const names = memory.leases.get(unit);
  memory.leases.delete(unit);
  return names;
}
