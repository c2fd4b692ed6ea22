import type { Service } from './kubernetes.ts';
import type { Key, ServiceKey } from './request.ts';

/** The Leases that a run takes before it writes to a load balancer. */
export interface LeaseNames {
  /** Name of the unit's own Lease. */
  readonly own: string;
  /** Name of the second Lease, where the load balancer is shared. */
  readonly shared: string | undefined;
  /** The load balancer is shared, or may become so: another run may hold one of the two. */
  readonly areShared: boolean;
  readonly uid: string | undefined;
  readonly loadBalancerId: string | undefined;
}

/** The unit of work of the Service controller: one Service with what is its own on a load balancer. */
export interface Unit {
  readonly key: Key;
  readonly name: ServiceKey;
  /** The Service as it was read; undefined where the apiserver answered 404. */
  readonly service?: Service;
  /** Whether the Service wants a load balancer of ours. */
  readonly wanted: boolean;
}

/** How far a unit is looked into: `shallow` leaves out what is on its load balancer, for the sweep's first look. */
export type Depth = 'deep' | 'shallow';

/** What is remembered of a unit, so that the next sweep need not look deeper (design.md, "The sweep is cheap"). */
export interface UnitState {
  /** Hash of the desired state that was found to be met, or that OpenStack refused. */
  readonly hash: string;
  /** `updated_at` of the load balancer at that time; null before its first change. */
  readonly updated_at: string | null;
  /** Number of changes that wait for approval; absent for none. */
  readonly awaitingApproval?: number;
  /**
   * Why OpenStack refused to create the load balancer. Sweeps do not try the same again, since each such POST leaks a
   * VIP port (decision 39).
   */
  readonly rejected?: string;
}
