import { budgetSpent, timeLeftMs, timeLeftOfRun } from '../deadline.ts';
import { urgency, type Urgency } from '../urgency.ts';
import { RequestLimit, type Sent } from './request-limit.ts';
import { RetryAfter, type Answer } from './retry-after.ts';

export interface Time {
  pause(ms: number, signal: AbortSignal): Promise<void>;
  now(): number;
}

export interface Asked {
  readonly service: string;
  readonly method: string;
  readonly url: string;
}

/** An endpoint that answers nothing for so long gets one request more, and then after twice as long: what hangs may not be all of it. */
const SILENCE_MS = 2_000;
/** So often somebody looks at the line while nothing else moves it. */
const TICK_MS = 250;
/** Every fourth place goes to who has waited longest, however urgent the others are. */
const TURNS = 4;

/** One request on its way. */
interface Place extends Sent {
  startedMs: number;
  /** Places are numbered as they begin. */
  readonly number: number;
  readonly where: string;
  /** It looks whether the endpoint still wants to be left alone. */
  readonly isLook: boolean;
  readonly hasWaited: boolean;
  /** It took long, and others that began later are answered: it counts no more. */
  isOvertaken: boolean;
}

interface Waiting<A> {
  readonly asked: Asked;
  readonly urgency: Urgency;
  /** The time that its run has left. */
  readonly leftMs: () => number;
  readonly admit: (admitted: Place | A) => void;
  readonly refuse: (error: unknown) => void;
}

/**
 * The requests of this process to one endpoint: no more at once than it bears (RequestLimit), the most urgent first, and none
 * before the time that the endpoint named (RetryAfter).
 *
 * A request that waits holds no place of another endpoint, so no two wait for each other. It waits in the time of its run.
 * A request that hangs keeps its place until others that began later are answered.
 */
export class EndpointLimit<A extends Answer> {
  readonly #time: Time;
  readonly #limit = new RequestLimit();
  readonly #retryAfter = new RetryAfter<A>();
  /** By age. */
  readonly #onTheirWay = new Set<Place>();
  /** How many of them count. */
  #inFlight = 0;
  #begun = 0;
  #line: Waiting<A>[] = [];
  #admitted = 0;
  /** Ends the pause between two looks at the line. */
  #ticking: AbortController | undefined;
  /** When a request last began or ended. */
  #movedMs = -Infinity;
  #silenceMs = SILENCE_MS;
  #lastMs = -Infinity;
  #setBackByMs = 0;

  constructor(time: Time) {
    this.#time = time;
  }

  /** How many may be on their way at once. */
  get limit(): number {
    return this.#limit.value;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** How many stand in line. */
  get waiting(): number {
    return this.#line.length;
  }

  /**
   * Sends a request when its turn has come, or resolves with the answer that told others to wait for longer than it may. Throws
   * BUDGET_SPENT if the time of its run is over before. A request that has waited asks for its permit. One that comes late it
   * awaits without a place: what holds up the permit holds up no other request. Then it stands in line once more.
   */
  async pass(asked: Asked, send: () => Promise<A>, askPermit?: () => Promise<void>): Promise<A> {
    const admitted = this.#enter(asked);
    const place = admitted instanceof Promise ? await admitted : admitted;
    if ('status' in place) return place;
    if (askPermit && place.hasWaited) {
      const permit = askPermit();
      if (!(await this.#isSoon(permit, place))) {
        await permit;
        return this.pass(asked, send, askPermit);
      }
      place.startedMs = this.#now();
    }
    try {
      const answer = await send();
      this.#answered(place, answer);
      return answer;
    } catch (error) {
      if (isTimeout(error)) this.#timedOut(place);
      throw error;
    } finally {
      this.#leave(place);
    }
  }

  /** Whether a permit is there soon. If it is not, or is refused, the place is given back. */
  async #isSoon(permit: Promise<void>, place: Place): Promise<boolean> {
    const patience = new AbortController();
    const late = this.#time.pause(TICK_MS, patience.signal).then(() => false);
    const isThere = await Promise.race([permit.then(() => true), late]).catch(() => false);
    patience.abort();
    if (!isThere) this.#leave(place);
    return isThere;
  }

  #enter(asked: Asked): Place | A | Promise<Place | A> {
    const next = this.#line.length === 0 ? this.#next(timeLeftMs(), urgency()) : 'wait';
    if (next === 'go') return this.#begin(asked, false);
    if (next !== 'wait') return next;
    this.#limit.holdsBack(this.#now());
    return new Promise((admit, refuse) => {
      this.#line.push({ asked, urgency: urgency(), leftMs: timeLeftOfRun(), admit, refuse });
      this.#sift();
      this.#tick().catch(refuse);
    });
  }

  /** What a request may do that has so much time left. */
  #next(leftMs: number, { isByPerson }: Urgency): 'go' | 'wait' | A {
    const next = this.#retryAfter.next(leftMs, isByPerson, this.#now());
    if (next !== 'go') return next;
    return this.#inFlight < this.#limit.value || this.#isSilent() ? 'go' : 'wait';
  }

  #isSilent(): boolean {
    return this.#now() - this.#movedMs >= this.#silenceMs;
  }

  #begin(asked: Asked, hasWaited: boolean): Place {
    const now = this.#now();
    const isLook = this.#retryAfter.begin(now);
    if (this.#inFlight >= this.#limit.value) this.#silenceMs *= 2;
    this.#inFlight += 1;
    this.#begun += 1;
    this.#movedMs = now;
    const isCrowded = this.#limit.isCrowd(this.#inFlight);
    if (isCrowded && !this.#limit.isCrowd(this.#inFlight - 1))
      for (const other of this.#onTheirWay) other.isCrowded = true;
    const place: Place = {
      ...described(asked),
      ...{ number: this.#begun, startedMs: now, among: this.#inFlight },
      ...{ isCrowded, isLook, hasWaited, isOvertaken: false },
    };
    this.#onTheirWay.add(place);
    return place;
  }

  #leave(place: Place): void {
    this.#onTheirWay.delete(place);
    if (!place.isOvertaken) this.#inFlight -= 1;
    if (place.isLook) this.#retryAfter.looked();
    this.#movedMs = this.#now();
    this.#silenceMs = SILENCE_MS;
    this.#move();
  }

  #answered(place: Place, answer: A): void {
    const { status } = answer;
    const now = this.#now();
    if (status === 429 || status === 503 || status === 504) {
      this.#limit.refused(place, now);
      this.#retryAfter.asked(place, answer, now, this.#begun);
    } else if (status < 500) {
      if (this.#line.length > 0) this.#limit.holdsBack(now);
      // a refusal takes less than what it refuses
      if (status < 400) this.#limit.answered(place, now - place.startedMs, now);
      this.#overtake(place, now);
      this.#retryAfter.answered(place);
    }
  }

  #timedOut(place: Place): void {
    const now = this.#now();
    // a run whose time is nearly over gives a request less
    if (!place.isOvertaken && now - place.startedMs >= SILENCE_MS) this.#limit.refused(place, now);
  }

  #overtake({ number }: Place, now: number): void {
    for (const older of this.#onTheirWay) {
      if (older.number >= number || now - older.startedMs < SILENCE_MS) return;
      if (older.isOvertaken) continue;
      older.isOvertaken = true;
      this.#inFlight -= 1;
    }
  }

  /** Lets go whoever may go. */
  #move(): void {
    while (this.#line.length > 0) {
      const waiting = this.#line[this.#turn()];
      if (!waiting) return;
      const leftMs = waiting.leftMs();
      const next = leftMs > 0 ? this.#next(leftMs, waiting.urgency) : 'over';
      if (next === 'wait') return;
      this.#release(waiting, next);
    }
  }

  /** Lets go whoever may go, and sends away who waits in vain. */
  #sift(): void {
    this.#move();
    for (const waiting of [...this.#line]) {
      const leftMs = waiting.leftMs();
      const next = leftMs > 0 ? this.#next(leftMs, waiting.urgency) : 'over';
      if (next !== 'wait' && next !== 'go') this.#release(waiting, next);
    }
  }

  #release(waiting: Waiting<A>, next: 'go' | 'over' | A): void {
    this.#line.splice(this.#line.indexOf(waiting), 1);
    if (this.#line.length === 0) this.#ticking?.abort();
    if (next === 'over')
      waiting.refuse(budgetSpent(`wait for the turn of a request to ${waiting.asked.service}`));
    else if (next !== 'go') waiting.admit(next);
    else {
      this.#admitted += 1;
      waiting.admit(this.#begin(waiting.asked, true));
    }
  }

  /** Who is next in the line. */
  #turn(): number {
    if (this.#admitted % TURNS === TURNS - 1) return 0;
    let next = 0;
    let rank = Infinity;
    for (const [at, { urgency: its }] of this.#line.entries()) {
      if (its.rank >= rank) continue;
      next = at;
      rank = its.rank;
      if (rank === 0) break;
    }
    return next;
  }

  /** Looks at the line as long as there is one: time passes for those who wait. */
  async #tick(): Promise<void> {
    if (this.#ticking) return;
    try {
      while (this.#line.length > 0) {
        this.#ticking = new AbortController();
        const leftMs = Math.min(TICK_MS, ...this.#line.map((waiting) => waiting.leftMs()));
        const holdMs = this.#retryAfter.leftMs(this.#now());
        const pauseMs = Math.max(1, holdMs > 0 ? Math.min(leftMs, holdMs) : leftMs);
        await this.#time.pause(pauseMs, this.#ticking.signal);
        this.#sift();
      }
    } finally {
      this.#ticking = undefined;
    }
  }

  /** The clock of the transport, which never goes back here. */
  #now(): number {
    const now = this.#time.now();
    this.#setBackByMs += Math.max(0, this.#lastMs - now);
    this.#lastMs = now;
    return now + this.#setBackByMs;
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && 'timedOut' in error && error.timedOut === true;
}

const ID = /[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}|[\da-f]{32}/gi;

function described({ method, url }: Asked): Pick<Place, 'kind' | 'object' | 'where'> {
  // the client says what is wrong with a URL that is none
  const { pathname, searchParams } = URL.parse(url) ?? { pathname: url, searchParams: new URLSearchParams() };
  const names = [...new Set(searchParams.keys())].sort().join('&');
  const where = `${method} ${pathname}`;
  return {
    kind: `${method} ${pathname.replaceAll(ID, ':id')}?${names}`,
    object: pathname.match(ID)?.at(-1) ?? where,
    where,
  };
}
