import { budgetSpent, type RunContext } from '../deadline.ts';
import { BoundedMap } from '../memory/bounded-map.ts';

/** As many as a sweep reads for at a time. A run asks for less at once, and any cloud bears it. */
const PLACES = 10;
/** A request without an answer for so long gives its place back, and goes on without one. */
const PATIENCE_MS = 2_000;
/** Every fourth place goes to who has waited longest, whatever its priority. */
const FAIR_EVERY = 4;
/** So often who waits looks for places that were given back, and at the time of its run. */
const TICK_MS = 250;
/** The longest wait for the end of a rest: waiting in the queue is cheaper than waiting in a function. */
export const LONGEST_WAIT_MS = 5_000;
/** The longest rest: a key that fails again and again comes back as often (decision 140). */
const LONGEST_REST_MS = 30_000;

interface Time {
  pause(ms: number, signal: AbortSignal): Promise<void>;
  now(): number;
}

interface Answer {
  readonly status: number;
  readonly retryAfterMs?: number;
}

interface Place {
  readonly sinceMs: number;
}

interface Waiting<A> {
  readonly run: RunContext;
  readonly called: AbortController;
  outcome?: Place | A | 'over';
}

/**
 * The requests to one endpoint: ten at once, those of people and events before a sweep's, and none before the time
 * that a Retry-After named.
 */
export class EndpointSemaphore<A extends Answer> {
  readonly #time: Time;
  readonly #onTheirWay = new Set<Place>();
  #line: Waiting<A>[] = [];
  #called = 0;
  #rest: { readonly untilMs: number; readonly answer: A } | undefined;

  constructor(time: Time) {
    this.#time = time;
  }

  get load(): EndpointLoad {
    return { inFlight: this.#onTheirWay.size, waiting: this.#line.length, restMs: this.#restMs() };
  }

  /**
   * Resolves with the answer that began a rest which lasts longer than this request may wait. Throws BUDGET_SPENT if
   * its run is over first.
   */
  async pass(service: string, run: RunContext, send: () => Promise<A>): Promise<A> {
    const called = new AbortController();
    const waiting: Waiting<A> = { run, called };
    this.#line.push(waiting);
    this.#move();
    while (waiting.outcome === undefined) {
      const ms = Math.min(TICK_MS, run.remainingMs(), this.#restMs() || TICK_MS);
      await this.#time.pause(Math.max(1, ms), called.signal);
      this.#move();
    }
    const { outcome } = waiting;
    if (outcome === 'over') throw budgetSpent(`wait for the turn of a request to ${service}`);
    if ('status' in outcome) return outcome;
    try {
      const answer = await send();
      this.#heed(answer);
      return answer;
    } finally {
      this.#onTheirWay.delete(outcome);
      this.#move();
    }
  }

  #heed(answer: A): void {
    const { status, retryAfterMs = 0 } = answer;
    const ms = Math.min(LONGEST_REST_MS, retryAfterMs);
    const isAsked = (status === 429 || status === 503) && ms > this.#restMs();
    if (isAsked) this.#rest = { untilMs: this.#time.now() + ms, answer };
  }

  #restMs(): number {
    return Math.max(0, (this.#rest?.untilMs ?? -Infinity) - this.#time.now());
  }

  /** Sends away who waits in vain, and gives free places to the others. */
  #move(): void {
    const restMs = this.#restMs();
    for (const waiting of [...this.#line]) {
      const leftMs = waiting.run.remainingMs();
      if (leftMs <= 0) this.#call(waiting, 'over');
      else if (this.#rest && restMs > Math.min(LONGEST_WAIT_MS, leftMs))
        this.#call(waiting, { ...this.#rest.answer, retryAfterMs: restMs });
    }
    while (restMs === 0 && this.#hasPlace()) {
      const isFair = this.#called % FAIR_EVERY === FAIR_EVERY - 1;
      const soon = isFair ? undefined : this.#line.find(({ run: { priority } }) => priority === 'soon');
      const next = soon ?? this.#line[0];
      if (!next) return;
      this.#called += 1;
      const place = { sinceMs: this.#time.now() };
      this.#onTheirWay.add(place);
      this.#call(next, place);
    }
  }

  #hasPlace(): boolean {
    const sinceMs = this.#time.now() - PATIENCE_MS;
    return [...this.#onTheirWay].filter((place) => place.sinceMs > sinceMs).length < PLACES;
  }

  #call(waiting: Waiting<A>, outcome: Place | A | 'over'): void {
    this.#line = this.#line.filter((other) => other !== waiting);
    waiting.outcome = outcome;
    waiting.called.abort(outcome);
  }
}

/** The requests of a process to one service of OpenStack, wherever its endpoints are. */
export interface EndpointLoad {
  readonly inFlight: number;
  readonly waiting: number;
  readonly restMs: number;
}

/** More than a process talks to at a time: five of each cloud, for each account. What was asked longest ago goes. */
const ENDPOINTS = 50_000;

/** The semaphores of all endpoints that a process talks to. Connections with one account share them. */
export class EndpointSemaphores<A extends Answer> {
  readonly #time: Time;
  readonly #semaphores = new BoundedMap<string, EndpointSemaphore<A>>(ENDPOINTS);

  constructor(time: Time) {
    this.#time = time;
  }

  /** That of a service at one address for one account: what it refuses to one account it may answer to another one. */
  of(
    { service, url }: { readonly service: string; readonly url: string },
    account: string,
  ): EndpointSemaphore<A> {
    const key = `${service} ${URL.parse(url)?.origin ?? url} ${account}`;
    const known = this.#semaphores.get(key) ?? new EndpointSemaphore<A>(this.#time);
    this.#semaphores.set(key, known);
    return known;
  }

  /** By service, such as `load-balancer`: the sums, and the longest rest. */
  loads(): ReadonlyMap<string, EndpointLoad> {
    const loads = new Map<string, EndpointLoad>();
    for (const [key, { load }] of this.#semaphores) {
      const [service = ''] = key.split(' ');
      const { inFlight, waiting, restMs } = loads.get(service) ?? { inFlight: 0, waiting: 0, restMs: 0 };
      loads.set(service, {
        inFlight: inFlight + load.inFlight,
        waiting: waiting + load.waiting,
        restMs: Math.max(restMs, load.restMs),
      });
    }
    return loads;
  }
}
