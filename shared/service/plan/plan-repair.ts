/**
 * How a load balancer in ERROR is repaired (decision 310): by a failover where the cloud lets levelset ask for one, else by
 * another load balancer that takes its place.
 */
import { tagValue } from '../../model/ownership.ts';
import type { FailoverStep } from '../../model/plan.ts';
import type { Key } from '../../model/request.ts';
import { ofLastDay } from '../../model/repairs.ts';
import type { Repair } from '../../model/repairs.ts';
import type { Address } from '../../model/address.ts';
import type { ObservedResource, WireResource } from '../../model/resources.ts';

/** The facts for the budget of repairs. */
export interface RepairFacts {
  readonly key: Key;
  /** The ids of all load balancers of this cluster. */
  readonly all: readonly string[];
  readonly repairs: readonly Repair[];
  /** The share of all that may be rebuilt within a day, and at least one. 0 allows none. */
  readonly percent: number;
  /** The time in milliseconds since 1970. */
  readonly now: number;
}

const HOUR_MS = 3_600_000;

/** Operating statuses of a load balancer that may answer clients although its provisioning status is ERROR. */
const SERVING: readonly unknown[] = ['ONLINE', 'DEGRADED'];

/**
 * The failover to try: once a day for each load balancer that has levelset's tags, and within an hour for no more than the share.
 * Undefined: there was one already, or it has to wait.
 */
export function planFailover(lb: ObservedResource, facts: RepairFacts): FailoverStep | undefined {
  if (!isTagged(lb.wire) || wasFailedOver(lb, facts)) return undefined;
  if (howMany(facts, 'failover', HOUR_MS, lb) >= mostOf(facts)) return undefined;
  const because = 'it is in ERROR: Octavia builds its amphorae anew, and its addresses stay';
  return { verb: 'failover', kind: 'loadbalancer', address: 'lb', id: lb.id, because };
}

/** Why the load balancer is not rebuilt without a person's approval; undefined if it may be. */
export function whyNotRebuilt(
  lb: ObservedResource,
  there: ReadonlyMap<Address, ObservedResource>,
  published: readonly string[],
  facts: RepairFacts,
): string | undefined {
  const floating = there.get('floatingip')?.wire['floating_ip_address'];
  if (published.some((address) => address !== floating)) return 'the Service would get another address';
  const status = lb.wire['operating_status'];
  if (SERVING.includes(status)) return `it may still serve, since its operating status is ${String(status)}`;
  const today = ofLastDay(facts.repairs, facts.now).filter(({ how }) => how === 'rebuild');
  if (today.some(({ id }) => id === lb.id)) return undefined; // this one was begun
  if (today.some(({ service }) => service === facts.key))
    return 'levelset rebuilt the load balancer of this Service within the last day';
  if (isTagged(lb.wire) && !wasFailedOver(lb, facts))
    return 'a failover comes first, and others were failed over within the last hour';
  if (facts.percent === 0) return '--deletion-share=0% allows no deletion';
  const before = howMany(facts, 'rebuild', Infinity, lb);
  const most = mostOf(facts);
  if (before < most) return undefined;
  const were = before === 1 ? '1 load balancer was' : `${before} load balancers were`;
  return `${were} rebuilt within the last day, and --deletion-share=${facts.percent}% allows ${most} of ${facts.all.length} in a day`;
}

function isTagged({ tags }: WireResource): boolean {
  return tagValue(tags, 'cluster') !== undefined;
}

function wasFailedOver(lb: ObservedResource, { repairs, now }: RepairFacts): boolean {
  return ofLastDay(repairs, now).some(({ how, id }) => how !== 'rebuild' && id === lb.id);
}

function howMany(
  { repairs, now }: RepairFacts,
  way: Repair['how'],
  withinMs: number,
  lb: ObservedResource,
): number {
  const lately = ofLastDay(repairs, now).filter(
    ({ how, at, id }) => how === way && now - at < withinMs && id !== lb.id,
  );
  return new Set(lately.map(({ id }) => id)).size;
}

function mostOf({ all, percent }: RepairFacts): number {
  return Math.max(1, Math.floor((all.length * percent) / 100));
}
