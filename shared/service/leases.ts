import type { Evaluation } from './evaluate.ts';
import { ReconcileError } from '../model/errors.ts';
import { fingerprint } from '../model/json.ts';
import { sharedTag, TAG_PREFIX, tagValue } from '../model/ownership.ts';
import type { LeaseNames } from '../model/unit.ts';
import type { Key } from '../model/request.ts';
import type { Kube, Lease, World } from '../ports.ts';

/** The Service's own lease and, if its load balancer is shared, the second lease, held together. */
export interface Leases extends Pick<Lease, 'renew'> {
  /**
   * `unused`: nothing was written. `gone`: the Service is gone and nothing of it is left. `stale`: another lease now
   * guards the shared load balancer.
   */
  release(how?: Ending): Promise<void>;
  /** No other run can have written since the evaluation. Always false with a second lease. */
  readonly fresh: boolean;
}

export type Ending = 'unused' | 'gone' | 'stale';

/**
 * The UID of the Service. If the Service is gone, the tag `levelset-service` of what it left behind says the UID. The
 * load balancer and the floating IP that a Service only joined do not count, since their tags name the owner.
 */
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
 * The name of the second lease, which keeps several Services from writing to one load balancer at once. It is the own
 * lease of the Service that owns the load balancer. A shared load balancer without an owner gives the lease its id.
 * Before there is a load balancer, the name by which it will be shared gives the lease its name. Undefined if the unit
 * owns the load balancer, or does not share it.
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

/** Prefixes of leases that belong to no Service. Such a lease is deleted when it is given back. */
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
 * Takes the leases. If another run holds one, the answer is undefined for a load balancer that is shared or may become
 * so, and LEASE_HELD is thrown for any other.
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
      // while one is renewed slowly the other one grows old; renewing one that is young sends nothing
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

/** Takes one lease. Undefined while another run holds a shared lease, which that run needs for one write. */
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

/** Throws LEASE_LOST if the evaluation under the leases calls for other leases than those that are held. */
export function requireSameLeases(held: LeaseNames, evaluation: Evaluation): void {
  if (held.own !== leaseName(evaluation))
    throw new ReconcileError('LEASE_LOST', 'the Service is another one than a moment ago');
  if (held.shared !== sharingLeaseName(evaluation))
    throw new ReconcileError('LEASE_LOST', 'the load balancer is shared otherwise than a moment ago');
}

/**
 * Remembers a run's leases if the load balancer is shared, or may become so. The Service's next run takes them first
 * and evaluates once, under them, so that waiting costs no call to OpenStack.
 */
export function rememberLeases(unit: Key, names: LeaseNames, { memory }: Pick<World, 'memory'>): void {
  if (names.areShared) memory.leases.set(unit, names);
}

/**
 * Returns the leases that the last run of the Service remembered, and forgets them. A run that must wait again
 * remembers them at its end.
 */
export function takeRememberedLeases(unit: Key, { memory }: Pick<World, 'memory'>): LeaseNames | undefined {
  const names = memory.leases.get(unit);
  memory.leases.delete(unit);
  return names;
}
