/** A load balancer in ERROR is repaired by a failover where the cloud allows that, else by another one in its place (decision 310). */
import { familyOf, vipsOf } from '../../model/network/network-facts.ts';
import type { FailoverStep } from '../../model/plan.ts';
import type { Key } from '../../model/request.ts';
import type { Repair } from '../../model/records.ts';
import type { DesiredResource, ObservedResource } from '../../model/resources.ts';

export interface RepairFacts {
  readonly key: Key;
  readonly all: readonly string[];
  /** Those of the last day. */
  readonly repairs: readonly Repair[];
  /** The share of all that may be rebuilt within a day, and at least one. 0 allows none. */
  readonly percent: number;
  /** The time in milliseconds since 1970. */
  readonly now: number;
}

export interface WhatServes {
  readonly observed: readonly ObservedResource[];
  readonly published: readonly string[];
  readonly anew: readonly DesiredResource[];
}

const HOUR_MS = 3_600_000;

/** The failover to try: once a day for each of a controller's with levelset's tags, and within an hour for no more than the share; else undefined. */
export function planFailover(lb: ObservedResource, facts: RepairFacts): FailoverStep | undefined {
  if (facts.percent === 0 || !canFailOver(lb) || wasFailedOver(lb, facts)) return undefined;
  if (howMany(facts, 'failover', HOUR_MS, lb) >= mostOf(facts)) return undefined;
  const because = 'it is in ERROR: Octavia builds its amphorae anew, and its addresses stay';
  return { verb: 'failover', kind: 'loadbalancer', address: 'lb', id: lb.id, because };
}

/** Why the load balancer is not rebuilt without a person's approval; undefined if it may be. */
export function whyNotRebuilt(
  lb: ObservedResource,
  { observed, published, anew }: WhatServes,
  facts: RepairFacts,
): string | undefined {
  if (!keepsAddress(lb, { observed, published, anew })) return 'the Service would get another address';
  const serves = whatServes(lb, observed);
  if (serves !== undefined) return `it may still serve, since ${serves}`;
  const today = facts.repairs.filter(({ how }) => how === 'rebuild');
  if (today.some(({ id }) => id === lb.id)) return undefined; // this one was begun
  if (today.some(({ service }) => service === facts.key))
    return 'levelset rebuilt the load balancer of this Service within the last day';
  if (facts.percent === 0) return '--deletion-share=0% allows no repair';
  if (canFailOver(lb) && !wasFailedOver(lb, facts))
    return 'a failover comes first, and others were failed over within the last hour';
  const before = howMany(facts, 'rebuild', Infinity, lb);
  const most = mostOf(facts);
  if (before < most) return undefined;
  const were = before === 1 ? '1 load balancer was' : `${before} load balancers were`;
  return `${were} rebuilt within the last day, and --deletion-share=${facts.percent}% allows ${most} of ${facts.all.length} in a day`;
}

/** Whether the floating IP alone is what clients use, and a new load balancer would have the same. A published hostname hides addresses. */
function keepsAddress(lb: ObservedResource, { observed, published, anew }: WhatServes): boolean {
  const floating = observed.find(({ address }) => address === 'floatingip')?.wire['floating_ip_address'];
  const [vip, ...further] = vipsOf(lb.wire);
  const isIPv4Alone = vip !== undefined && familyOf(vip) === 4 && further.length === 0;
  const isWanted = anew.some(({ address }) => address === 'floatingip');
  return isIPv4Alone && isWanted && floating !== undefined && published.every((one) => one === floating);
}

/** Why clients may still be answered. Octavia says ERROR as soon as one pool has no working member, so the members count as well. */
function whatServes({ wire }: ObservedResource, observed: readonly ObservedResource[]): string | undefined {
  const { operating_status: status } = wire;
  if (status === 'OFFLINE') return undefined;
  if (status !== 'ERROR') return `its operating status is ${String(status)}`;
  const working = observed.find(
    (one) => one.kind === 'member' && ANSWERING.includes(one.wire['operating_status']),
  );
  return working && `${working.address} is ${String(working.wire['operating_status'])}`;
}

/** NO_MONITOR: nobody asks whether the member works. */
const ANSWERING: readonly unknown[] = ['ONLINE', 'NO_MONITOR', 'DRAINING'];

function canFailOver({ whose }: ObservedResource): boolean {
  return whose === 'ours';
}

function wasFailedOver(lb: ObservedResource, { repairs }: RepairFacts): boolean {
  return repairs.some(({ how, id }) => how !== 'rebuild' && id === lb.id);
}

function howMany(
  { repairs, now }: RepairFacts,
  way: Repair['how'],
  withinMs: number,
  lb: ObservedResource,
): number {
  const lately = repairs.filter(({ how, at, id }) => how === way && now - at < withinMs && id !== lb.id);
  return new Set(lately.map(({ id }) => id)).size;
}

function mostOf({ all, percent }: RepairFacts): number {
  return Math.max(1, Math.floor((all.length * percent) / 100));
}
