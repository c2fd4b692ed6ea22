import { BoundedMap } from '../memory/bounded-map.ts';

/** The least number: any cloud bears two, and what two take is what a request takes without a queue. */
const LEAST = 2;
/** The first number: a sweep reads for ten Services at a time, and a run asks for less. */
const FIRST = 10;
/** So many sockets a process has for one service at most. */
export const MOST = 256;
/** The limit falls to this share of what was at once. */
const BACK = 0.75;
/** After a step back the number that was too many is not tried again for so long. */
const PLATEAU_MS = 10_000;
/** A request that takes so many times as long as without a queue, and so much longer, has waited for others. */
const TOLERATED = 2;
const SLACK_MS = 100;
/** The weight of the newest request in what one takes without a queue. */
const NEWEST = 0.25;
/** What requests of a kind take among others counts as theirs without a queue when so many of so many in a row took no longer. */
const MOST_OF = 12;
const IN_A_ROW = 16;
/** Of so many answers in a row two thirds have to be slow. */
const SAMPLES = 8;
/** More kinds of request than there are. */
const KINDS = 500;

/** One request on its way. */
export interface Sent {
  /** Requests that take alike: the method, and the path and the names of the query without ids and values. */
  readonly kind: string;
  /** What it is about: an object, or with the method a collection. */
  readonly object: string;
  readonly startedMs: number;
  /** How many were on their way when it began, itself among them. */
  readonly among: number;
  /** More than LEAST were on their way together while it was. */
  isCrowded: boolean;
}

/** What requests of one kind take, in milliseconds. */
interface Taken {
  unqueued: number;
  /** The latest ones among others. */
  crowded: number[];
}

/**
 * How many requests an endpoint bears at once: as many as it neither refuses nor answers slowly.
 *
 * Additive increase and multiplicative decrease (Chiu and Jain, "Analysis of the increase and decrease algorithms for
 * congestion avoidance in computer networks", 1989). A step back to three quarters follows from a 429, 503 or 504, from a timeout, and
 * from latency, as in TCP Vegas (Brakmo and Peterson, 1995) and the limits of Netflix's concurrency-limits
 * (github.com/Netflix/concurrency-limits). Until the first step back the limit grows by one with each good answer, which doubles it in the time of one
 * request (slow start); from then on by one in that time, up to what was too many. That is tried again after ten seconds, and the longer it goes well from
 * there the faster it grows, as in CUBIC (RFC 9438). It grows only while requests wait for it. What is refused with one other
 * beside it at most is not refused for their number.
 *
 * Latency is a weak signal, so only most of the answers together count, each against what requests of its own kind take without a queue: that is
 * learned of those that had one more beside them at most, and of others only what most of them took, if it was less: a list of nothing, or
 * an object without parts, says little of the others of its kind.
 */
export class RequestLimit {
  readonly #kinds = new BoundedMap<string, Taken>(KINDS);
  #limit = FIRST;
  /** As many at once were too many. */
  #tooMany = Infinity;
  #isStarting = true;
  #setBackMs = -Infinity;
  /** When a request last had to wait. */
  #heldBackMs = -Infinity;
  /** How many good answers there had been when an object was refused that is not answered since: what is refused again while others are answered says nothing of them. */
  readonly #refused = new BoundedMap<string, number>(KINDS);
  #good = 0;
  #samples = { all: 0, slow: 0 };

  /** How many may be on their way at once. */
  get value(): number {
    return Math.floor(this.#limit);
  }

  /** A request waits for its turn. */
  holdsBack(nowMs: number): void {
    this.#heldBackMs = nowMs;
  }

  /** Whether so many at once crowd each other. */
  isCrowd(inFlight: number): boolean {
    return inFlight > LEAST;
  }

  /** A good answer came, after so many milliseconds. */
  answered(sent: Sent, tookMs: number, nowMs: number): void {
    this.#good += 1;
    this.#refused.delete(sent.object);
    const isSlow = this.#isSlow(sent, tookMs);
    if (sent.startedMs >= this.#setBackMs) this.#sample(sent, isSlow, nowMs);
    if (isSlow || sent.startedMs > this.#heldBackMs || sent.startedMs < this.#setBackMs) return;
    const beyondMs = nowMs - this.#setBackMs - PLATEAU_MS;
    if (beyondMs > 0) this.#tooMany = Infinity;
    const step = this.#isStarting ? 1 : Math.min(1, Math.max(1, beyondMs / 1_000) / this.#limit);
    this.#limit = Math.max(this.#limit, Math.min(this.#limit + step, this.#tooMany - 1, MOST));
  }

  /** It was refused for the load, or its time was over. */
  refused(sent: Sent, nowMs: number): void {
    const goodBefore = this.#refused.get(sent.object);
    const isItsOwn = goodBefore !== undefined && goodBefore < this.#good;
    if (goodBefore === undefined) this.#refused.set(sent.object, this.#good);
    if (!isItsOwn) this.#setBack(sent, nowMs);
  }

  /** What began before the last step back was on its way together with what caused that. */
  #setBack({ startedMs, among }: Sent, nowMs: number): void {
    if (startedMs < this.#setBackMs || !this.isCrowd(among)) return;
    const tooMany = Math.min(this.#limit, among);
    this.#isStarting = false;
    this.#setBackMs = nowMs;
    this.#tooMany = tooMany;
    this.#limit = Math.max(LEAST, BACK * tooMany);
    this.#samples = { all: 0, slow: 0 };
  }

  #sample(sent: Sent, isSlow: boolean, nowMs: number): void {
    const samples = this.#samples;
    samples.all += 1;
    if (isSlow) samples.slow += 1;
    if (samples.all < SAMPLES) return;
    const areSlow = 3 * samples.slow >= 2 * samples.all;
    this.#samples = { all: 0, slow: 0 };
    if (areSlow) this.#setBack(sent, nowMs);
  }

  #isSlow({ kind, isCrowded }: Sent, tookMs: number): boolean {
    const taken = this.#kinds.get(kind) ?? { unqueued: tookMs, crowded: [] };
    this.#kinds.set(kind, taken);
    if (isCrowded) taken.crowded.push(tookMs);
    else taken.unqueued += NEWEST * (tookMs - taken.unqueued);
    if (taken.crowded.length === IN_A_ROW) {
      const most = taken.crowded.sort((a, b) => a - b)[MOST_OF - 1] ?? Infinity;
      taken.unqueued = Math.min(taken.unqueued, most);
      taken.crowded = [];
    }
    return isCrowded && tookMs > TOLERATED * taken.unqueued + SLACK_MS;
  }
}
