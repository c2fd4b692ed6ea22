import type { Operation } from '../memory/durations.ts';
import type { Key } from '../model/request.ts';
import type { Clock } from '../ports.ts';

/** The least and the first number at once: any cloud bears two, and what two take is what a work takes without a queue. */
const LEAST = 2;
/** A work that takes so much longer than without a queue, and half the time between two looks more, has waited for others. */
const TOLERATED = 1.4;
const LATE_MS = 500;
/** The weight of the newest work in what one takes without a queue. */
const NEWEST = 0.25;
/** The number at once falls to no less than this share of it by one step back. */
const MOST_BACK = 0.5;
/** Work that takes so many times as long as expected is stuck: others need not wait for it. */
const STUCK = 4;
/** The same where nothing is known of how long it takes. */
const STUCK_UNKNOWN_MS = 180_000;

/** The weight of the newest run in the share of those that put Octavia to work. */
const NEWEST_LOOK = 1 / 8;

/** Runs that have not put Octavia to work so far. */
export interface Begun {
  /** Of new Services: nearly each of them does. */
  readonly makes: number;
  /** Of what may well be as it should be. */
  readonly looks: number;
}

/** Whatever one service says, others and people wait no longer for it. */
const LONGEST_REST_MS = 60_000;

interface Work {
  readonly operation: Operation;
  readonly sinceMs: number;
  /** More than LEAST were at work together while it was. */
  isCrowded: boolean;
}

/**
 * How many load balancers this process keeps Octavia at work on at once: as many as do not slow each other down.
 *
 * Additive increase and multiplicative decrease (Chiu and Jain, "Analysis of the increase and decrease algorithms for
 * congestion avoidance in computer networks", 1989), with latency as the signal, as TCP Vegas (Brakmo and Peterson, 1995) and
 * the gradient limit of Netflix's concurrency-limits (github.com/Netflix/concurrency-limits) have it. It begins with two and
 * grows by one with each work that took no longer than without a queue, which doubles it in the time of one work (slow
 * start), until one took longer. From then on it grows by the square root of itself in that time. What took longer sets it
 * back by the share by which it did. That happens once for all that were at work together. It grows
 * only while it is what holds work back.
 *
 * What a work takes without a queue is told apart for creates, changes and deletes. It is learned of those beside which
 * there was one more at most, and so follows a cloud that becomes faster or slower; of others only what took less counts.
 */
export class OctaviaLoad {
  readonly #clock: Clock;
  readonly #working = new Map<Key, Work>();
  readonly #unqueuedMs = new Map<Operation, number>();
  #limit = LEAST;
  /** Of the runs that looked at what was there lately: the share that put Octavia to work. */
  #share = 1;
  /** Until when OpenStack wants to be left alone. */
  #notBeforeMs = -Infinity;
  /** When something last had to wait for room. */
  #heldBackMs = -Infinity;
  /** When the number at once was set back last. */
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
    for (const [key, work] of this.#working) {
      if (now - work.sinceMs <= this.#stuckMs(work)) continue;
      this.#working.delete(key);
      this.#setBack(work.sinceMs, MOST_BACK);
    }
    return this.#working.size;
  }

  /** Whether one more may begin beside the runs that go on and may yet put Octavia to work. */
  hasRoom({ makes, looks }: Begun): boolean {
    const now = this.#clock.now();
    if (now < this.#notBeforeMs) return false;
    const hasRoom = this.working + makes + looks * this.#share < this.limit;
    if (!hasRoom) this.#heldBackMs = now;
    return hasRoom;
  }

  /** How a run ended that looked at what was there. */
  looked(putToWork: boolean): void {
    this.#share += NEWEST_LOOK * (Number(putToWork) - this.#share);
  }

  /** A run that took `durationMs` has put Octavia to work for this key. */
  begin(key: Key, operation: Operation, durationMs: number): void {
    const sinceMs = this.#clock.now() - durationMs;
    const isCrowded = this.#working.size >= LEAST;
    if (isCrowded) for (const work of this.#working.values()) work.isCrowded = true;
    this.#working.set(key, { operation, sinceMs, isCrowded });
  }

  /** Whether Octavia is at work for this key. */
  has(key: Key): boolean {
    return this.#working.has(key);
  }

  /** Octavia was seen to be done. */
  end(key: Key): void {
    const work = this.#working.get(key);
    if (!work) return;
    this.#working.delete(key);
    const tookMs = this.#clock.now() - work.sinceMs;
    const unqueuedMs = this.#unqueuedMs.get(work.operation) ?? tookMs;
    this.#learn(work, tookMs, unqueuedMs);
    const toleratedMs = TOLERATED * unqueuedMs + LATE_MS;
    if (tookMs > toleratedMs) this.#setBack(work.sinceMs, toleratedMs / tookMs);
    else if (work.sinceMs <= this.#heldBackMs)
      this.#limit += this.#setBackMs === -Infinity ? 1 : 1 / Math.sqrt(this.#limit);
  }

  /** OpenStack refused a run that took `durationMs` for its rate: nothing begins before the time that it named, or a minute. */
  refused(durationMs: number, retryAfterMs: number): void {
    const now = this.#clock.now();
    this.#setBack(now - durationMs, MOST_BACK);
    this.#notBeforeMs = Math.max(this.#notBeforeMs, now + Math.min(LONGEST_REST_MS, retryAfterMs));
  }

  /** A run of this key did not wait for Octavia. */
  forget(key: Key): void {
    this.#working.delete(key);
  }

  #learn({ operation, isCrowded }: Work, tookMs: number, unqueuedMs: number): void {
    const moved = unqueuedMs + NEWEST * (tookMs - unqueuedMs);
    if (!isCrowded || tookMs < unqueuedMs) this.#unqueuedMs.set(operation, moved);
    else this.#unqueuedMs.set(operation, unqueuedMs);
  }

  /** What began before the last time was at work together with what caused that. */
  #setBack(sinceMs: number, share: number): void {
    if (sinceMs < this.#setBackMs) return;
    this.#setBackMs = this.#clock.now();
    this.#limit = Math.max(LEAST, this.#limit * Math.max(MOST_BACK, share));
  }

  #stuckMs({ operation }: Work): number {
    const unqueuedMs = this.#unqueuedMs.get(operation);
    return unqueuedMs === undefined ? STUCK_UNKNOWN_MS : STUCK * unqueuedMs + LATE_MS;
  }
}
