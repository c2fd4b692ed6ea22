import type { Address } from '../model/address.ts';
import { isLocked } from '../model/load-balancer/octavia.ts';
import type { Key } from '../model/request.ts';
import type { ObservedResource, WireResource } from '../model/resources.ts';
import type { ServiceObject } from '../model/service-object.ts';
import { BoundedMap } from './bounded-map.ts';

interface Known {
  /** By Service: what was read in full. Services that share a load balancer have different parts of it as their own. */
  readonly children: ReadonlyMap<Key, KnownChildren>;
  /** What the last run wrote, if that was all of its plan and no run has looked since. */
  readonly written?: WrittenPlan | undefined;
  readonly besideMembers?: BesideMembers | undefined;
  /** By id of a listener, pool or member in ERROR: when it was last written, in milliseconds since 1970. */
  readonly writtenInError: ReadonlyMap<string, number>;
  readonly isDeleted?: true;
}

interface KnownChildren {
  readonly uid: string | undefined;
  readonly updated_at: string;
  readonly children: readonly ObservedResource[];
  readonly readAt: number;
}

/** After writes of members, and of nothing else. */
export interface BesideMembers {
  readonly uid: string | undefined;
  readonly floatingIP: WireResource | undefined;
  readonly readAt: number;
  readonly pools: ReadonlySet<Address>;
  readonly children: readonly ObservedResource[];
}

export interface WrittenPlan {
  readonly key: Key;
  readonly uid: string;
  readonly hash: string;
  readonly floatingIP: WireResource | undefined;
}

const NOTHING: Known = { children: new Map(), writtenInError: new Map() };

/** So long after a write a child that is in ERROR again is left alone, in milliseconds. Each write loads Octavia anew. */
const WRITTEN_MS = 60_000;
/** After this time a run that wants children reads them again, in milliseconds. */
const OLD_MS = 10 * 60_000;
/** So long after a write of its own a process relies on what it has read before, in milliseconds: somebody else may change it. */
export const RELIES_MS = 60_000;
/** Octavia's times have whole seconds. After this time no other change can hide in the same second. */
const SURE_AFTER_MS = 2_000;

/**
 * What one process knows of each load balancer. What it has read counts while `updated_at` is the same, which any
 * write to what is on it moves.
 */
export class LoadBalancers {
  readonly #known: BoundedMap<string, Known>;

  constructor(mostResources: number) {
    this.#known = new BoundedMap(mostResources, weightOf);
  }

  get read(): number {
    return [...this.#known.values()].filter(({ children }) => children.size > 0).length;
  }

  forget(id: string): void {
    if (this.#known.has(id))
      this.#note(id, { children: new Map(), written: undefined, besideMembers: undefined });
  }

  /** In a process of many clusters what nobody needs would be most of the memory: 10 kB for each Service. */
  forgetOld(now: number): void {
    for (const [id, known] of this.#known) {
      const readAt = readOf(known).map((one) => one.readAt);
      if (readAt.length > 0 && readAt.every((at) => now - at >= OLD_MS)) this.forget(id);
    }
  }

  childrenOf({ key, service }: ServiceObject, lb: WireResource): readonly ObservedResource[] | undefined {
    const known = this.#of(lb.id).children.get(key);
    const isSame = known?.updated_at === lb['updated_at'] && known?.uid === service?.metadata.uid;
    return isSame ? known?.children : undefined;
  }

  besideMembers(
    { service, withLeftovers }: ServiceObject,
    id: string,
    now: number,
  ): BesideMembers | undefined {
    const { besideMembers: beside } = this.#of(id);
    if (!beside || withLeftovers || beside.uid !== service?.metadata.uid) return undefined;
    return now - beside.readAt < RELIES_MS ? beside : undefined;
  }

  noteBesideMembers(id: string, besideMembers: BesideMembers): void {
    this.#note(id, { besideMembers });
  }

  noteChildren(
    { key, service }: ServiceObject,
    lb: WireResource,
    children: readonly ObservedResource[],
    readAt: number,
  ): void {
    const { id, updated_at } = lb;
    if (typeof updated_at !== 'string' || !isSure(lb, readAt)) return;
    // what frees a child in Octavia's database moves no time of its load balancer
    if (children.some(({ wire }) => isLocked(wire))) return;
    const read = { uid: service?.metadata.uid, updated_at, children, readAt };
    this.#note(id, { children: new Map([...this.#of(id).children, [key, read]]) });
  }

  written(id: string): WrittenPlan | undefined {
    return this.#of(id).written;
  }

  noteWritten(id: string, written: WrittenPlan | undefined): void {
    this.#note(id, { written });
  }

  /** Of one load balancer, or all: somebody else may have written since. */
  relyOnNothing(ids: Iterable<string> = this.#known.keys()): void {
    for (const id of ids) {
      const { written, besideMembers } = this.#of(id);
      if (written ?? besideMembers) this.#note(id, { written: undefined, besideMembers: undefined });
    }
  }

  writtenInError(id: string, now: number): ReadonlySet<string> {
    return new Set(this.#lately(id, now).keys());
  }

  noteWrittenInError(id: string, children: readonly string[], now: number): void {
    if (children.length === 0) return;
    const added = children.map((child) => [child, now] as const);
    this.#note(id, { writtenInError: new Map([...this.#lately(id, now), ...added]) });
  }

  isDeleted(id: string): boolean {
    return this.#of(id).isDeleted === true;
  }

  noteDeleted(id: string): void {
    this.#note(id, { isDeleted: true });
  }

  #lately(id: string, now: number): ReadonlyMap<string, number> {
    return new Map([...this.#of(id).writtenInError].filter(([, at]) => now - at < WRITTEN_MS));
  }

  #of(id: string): Known {
    return this.#known.get(id) ?? NOTHING;
  }

  #note(id: string, known: Partial<Known>): void {
    this.#known.set(id, { ...this.#of(id), ...known });
  }
}

/** When Octavia last ended a write to the load balancer, in milliseconds since 1970. */
export function writtenAt({ updated_at: updated, created_at: created }: WireResource): number {
  return Date.parse(`${typeof updated === 'string' ? updated : String(created)}Z`);
}

/** Whether no other change can hide behind this `updated_at`, read no earlier than `now` (design.md, "The sweep is cheap"). */
export function isSure(loadBalancer: WireResource, now: number): boolean {
  return now - writtenAt(loadBalancer) >= SURE_AFTER_MS;
}

function readOf({ children, besideMembers }: Known): readonly (KnownChildren | BesideMembers)[] {
  return [...children.values(), ...(besideMembers ? [besideMembers] : [])];
}

function weightOf(known: Known): number {
  return (
    1 + readOf(known).reduce((sum, { children }) => sum + children.length, 0) + known.writtenInError.size
  );
}
