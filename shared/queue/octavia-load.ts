import type { Operation } from '../memory/durations.ts';
import { isPending } from '../model/load-balancer/octavia.ts';
import { clusterIn, type QueueKey } from '../model/request.ts';
import type { Clock } from '../ports.ts';

/** The least and the first number at once: any cloud bears two, and what two take is what a work takes without a queue. */
const LEAST = 2;
/** A work that takes so many times as long as without a queue has waited for others. */
const TOLERATED = 1.5;
/** The weight of the newest work in what one takes without a queue. */
const NEWEST = 0.25;
/** The limit falls to no less than this share of it by one step back. */
const MOST_BACK = 0.5;
/** Work that takes so many times as long as expected, and a few looks, is stuck: others need not wait for it. */
const STUCK = 4;
const LOOKS_MS = 5_000;
/** The same where nothing is known of how long it takes. */
const STUCK_UNKNOWN_MS = 180_000;
/** A run that lasts longer hangs: its room is given to others. */
const HANGS_MS = 10_000;
/** A key whose work is over keeps its room for its next run, which may write again. */
const GOES_ON_MS = 3_000;
/** After a 429 nothing begins for so long at most, and for as long again no 429 counts: one key's does not stop the others. */
const LONGEST_REST_MS = 10_000;

/** What Octavia is at work on: one load balancer. */
interface Work {
  readonly operation: Operation;
  /** Whose run wrote last. */
  readonly by: QueueKey;
  readonly sinceMs: number;
  /** When a list last showed Octavia at work on it. */
  busyMs: number;
  /** More than LEAST were at work together while it was. */
  isCrowded: boolean;
  /** Others need not wait for it any more. How long it takes is still learned. */
  isStuck: boolean;
}

/** What a run of a key says. */
export interface Ran {
  readonly key: QueueKey;
  readonly loadBalancer: string | undefined;
  /** The load balancer that it waits for. */
  readonly busy: string | undefined;
  /** When it began. */
  readonly sinceMs: number;
  /** It came far enough to see what Octavia is at. */
  readonly saw: boolean;
}

/** What a look at the load balancers of one cluster found. */
export interface Look {
  /** Its name; absent if it has none. */
  readonly cluster?: string;
  /** The provisioning statuses, by id. */
  readonly statuses: ReadonlyMap<string, string>;
  /** When it began. */
  readonly atMs: number;
}

/**
 * On how many load balancers this process keeps Octavia at work at once: as many as do not slow each other down. Clusters that
 * have a project in common share it.
 *
 * Additive increase and multiplicative decrease (Chiu and Jain, "Analysis of the increase and decrease algorithms for
 * congestion avoidance in computer networks", 1989), with latency as the signal, as TCP Vegas (Brakmo and Peterson, 1995) and
 * the gradient limit of Netflix's concurrency-limits (github.com/Netflix/concurrency-limits) have it. It begins with two and
 * grows by one with each work that took no longer than without a queue, which doubles it in the time of one work (slow
 * start), until one took longer. From then on it grows by the square root of itself in that time. Each work that took longer takes
 * a share of one off, at most a half: where all did, the limit falls by that share; where a few did, it goes on growing. Load balancers
 * differ, so one is late for its own sake if another that began later was in time, or if it was the last that was late, too. It grows only
 * while it is what holds keys back.
 *
 * What a work takes without a queue is told apart for creates, changes and deletes. It is learned of those beside which
 * there was one more at most, and so follows a cloud that becomes faster or slower; of others only what took less counts.
 * The end of a work lies between two looks: nothing is set back for what only the later one proves.
 */
export class OctaviaLoad {
  readonly #clock: Clock;
  /** By the load balancer's id. */
  readonly #works = new Map<string, Work>();
  /** Until when a key has room that it has not used yet. */
  readonly #reserved = new Map<QueueKey, number>();
  readonly #unqueuedMs = new Map<Operation, number>();
  /** When the newest work began that was in time. */
  #inTimeSinceMs = -Infinity;
  /** The load balancer that was late last. */
  #lastLate: string | undefined;
  #limit = LEAST;
  /** Until when OpenStack wants to be left alone, and until when it may not ask for it again. */
  #restsUntilMs = -Infinity;
  #heedsFromMs = -Infinity;
  /** When something last had to wait for room. */
  #heldBackMs = -Infinity;
  /** When the limit was set back last. */
  #setBackMs = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many may be at work at once. */
  get limit(): number {
    return Math.floor(this.#limit);
  }

  /** How many are at work, without those that are stuck. */
  get working(): number {
    const now = this.#clock.now();
    let working = 0;
    for (const work of this.#works.values()) {
      if (!work.isStuck && now - work.sinceMs > this.#stuckMs(work)) {
        work.isStuck = true;
        if (this.#unqueuedMs.has(work.operation)) this.#setBack(work.sinceMs, MOST_BACK);
      }
      if (!work.isStuck) working += 1;
    }
    return working;
  }

  /** Whether one more may begin. */
  hasRoom(): boolean {
    const now = this.#clock.now();
    const reserved = [...this.#reserved.values()].filter((untilMs) => now <= untilMs);
    return now >= this.#restsUntilMs && this.working + reserved.length < this.limit;
  }

  /** Takes room for a key, if there is some, until it is given back. */
  reserve(key: QueueKey): boolean {
    if (!this.hasRoom()) return false;
    this.#reserved.set(key, this.#clock.now() + HANGS_MS);
    return true;
  }

  giveBack(key: QueueKey): void {
    this.#reserved.delete(key);
  }

  /** Forgets what keys of a cluster began: nobody looks any more when it ends. */
  forget(cluster: string | undefined): void {
    for (const [id, { by }] of this.#works) if (clusterIn(by) === cluster) this.#works.delete(id);
    for (const key of this.#reserved.keys()) if (clusterIn(key) === cluster) this.#reserved.delete(key);
  }

  /** Somebody waits for room. */
  holdsBack(): void {
    this.#heldBackMs = this.#clock.now();
  }

  /** A run of this key has put Octavia to work on the load balancer. Octavia took the write, so what was before is over. */
  begin(loadBalancer: string, operation: Operation, by: QueueKey): void {
    this.#end(loadBalancer);
    const now = this.#clock.now();
    const isCrowded = this.working >= LEAST;
    if (isCrowded) for (const work of this.#works.values()) work.isCrowded = true;
    this.#works.set(loadBalancer, { operation, by, sinceMs: now, busyMs: now, isCrowded, isStuck: false });
  }

  /**
   * Ends the works that Octavia was not seen at. Load balancers that are deleted are in no list; of others that a look did not
   * see it says nothing, nor of works that began after it did, nor of other clusters.
   */
  looked({ cluster, statuses, atMs }: Look): void {
    for (const [id, work] of this.#works) {
      if (clusterIn(work.by) !== cluster) continue;
      const status = statuses.get(id);
      if (work.sinceMs > atMs || (status === undefined && work.operation !== 'delete')) continue;
      if (status !== undefined && isPending(status)) work.busyMs = atMs;
      else if (status === 'ERROR') this.#works.delete(id);
      else {
        this.#end(id);
        this.#reserved.set(work.by, this.#clock.now() + GOES_ON_MS);
      }
    }
  }

  /**
   * A run of a key ended. So the works that the key began, and that on its load balancer, are over, but for the one that it waits for. A run
   * that did not see that, since it failed, says nothing of how long they took.
   */
  ran({ key, loadBalancer, busy, sinceMs, saw }: Ran): void {
    for (const [id, work] of this.#works) {
      const isIts = work.by === key || id === loadBalancer;
      if (!isIts || id === busy || work.sinceMs > sinceMs) continue;
      if (saw) this.#end(id);
      else this.#works.delete(id);
    }
  }

  /** OpenStack refused a run that took `durationMs` for its rate: nothing begins before the time that it named. */
  refused(durationMs: number, retryAfterMs: number): void {
    const now = this.#clock.now();
    if (now - durationMs < this.#heedsFromMs) return;
    const restMs = Math.min(LONGEST_REST_MS, retryAfterMs);
    this.#setBack(now - durationMs, MOST_BACK);
    this.#restsUntilMs = now + restMs;
    this.#heedsFromMs = now + 2 * restMs;
  }

  #end(id: string): void {
    const work = this.#works.get(id);
    if (!work) return;
    this.#works.delete(id);
    const atLeastMs = work.busyMs - work.sinceMs;
    const toleratedMs = TOLERATED * this.#learn(work, atLeastMs, this.#clock.now() - work.sinceMs);
    const isLate = atLeastMs > toleratedMs;
    const isItsOwn = work.sinceMs < this.#inTimeSinceMs || this.#lastLate === id;
    if (isLate) this.#lastLate = id;
    else this.#inTimeSinceMs = Math.max(this.#inTimeSinceMs, work.sinceMs);
    if (isLate && !isItsOwn) {
      this.#setBackMs = this.#clock.now();
      this.#limit = Math.max(LEAST, this.#limit - 1 + Math.max(MOST_BACK, toleratedMs / atLeastMs));
    } else if (work.sinceMs <= this.#heldBackMs)
      this.#limit += this.#setBackMs === -Infinity ? 1 : 1 / Math.sqrt(this.#limit);
  }

  /** Learns from a work that took something between two times. Returns what one takes without a queue. */
  #learn({ operation, isCrowded }: Work, atLeastMs: number, atMostMs: number): number {
    const tookMs = (atLeastMs + atMostMs) / 2;
    const known = this.#unqueuedMs.get(operation) ?? tookMs;
    const learned = !isCrowded || atMostMs < known ? known + NEWEST * (tookMs - known) : known;
    this.#unqueuedMs.set(operation, learned);
    return learned;
  }

  /** What began before the last time was at work together with what caused that. */
  #setBack(sinceMs: number, share: number): void {
    if (sinceMs < this.#setBackMs) return;
    this.#setBackMs = this.#clock.now();
    this.#limit = Math.max(LEAST, this.#limit * Math.max(MOST_BACK, share));
  }

  #stuckMs({ operation }: Work): number {
    const unqueuedMs = this.#unqueuedMs.get(operation);
    return unqueuedMs === undefined ? STUCK_UNKNOWN_MS : STUCK * unqueuedMs + LOOKS_MS;
  }
}
