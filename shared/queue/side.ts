import type { Clock } from '../ports.ts';
import { Silence, type Delays } from '../silence.ts';

/** So many runs in a row. Fewer are a restart, or a connection that was lost. */
const ENOUGH = 3;
const OF_NO_ANSWER: Delays = { firstMs: 1_000, longestMs: 30_000 };
/** A proxy answers so for who does not answer. */
const GATEWAY_TIMEOUT = 504;

/**
 * What runs talk to: the kube-apiserver of a cluster, or the OpenStack of the clusters of one project. One that has not answered three
 * runs in a row rests: no run begins but one at a time, after 1, 2, ... 30 s, which looks whether it answers; of the clusters of a
 * project another one after each. A run that asked it nothing was no look, and the next one begins. The first answer to anybody
 * ends the rest. A sweep is a run, too.
 */
export class Side {
  readonly name: string;
  readonly #clock: Clock;
  readonly #silence: Silence;
  readonly #listeners = new Set<() => void>();
  /** When it last gave an answer, and when a request last ended without one. */
  #answeredMs = -Infinity;
  #unansweredMs = -Infinity;
  /** Runs in a row. */
  #unanswered = 0;
  /** The time of day when the first of them began, in milliseconds since 1970. */
  #sinceMs = 0;
  /** The next look is due, and nobody looks. */
  #mayLook = false;
  #timer: NodeJS.Timeout | undefined;

  /** @param name in messages, such as `the kube-apiserver` */
  constructor(name: string, clock: Clock) {
    this.name = name;
    this.#clock = clock;
    this.#silence = new Silence(() => clock.now());
  }

  get rests(): boolean {
    return this.#unanswered >= ENOUGH;
  }

  /** The last run had no answer. */
  get isDoubtful(): boolean {
    return this.#unanswered > 0;
  }

  /** Why no run begins. */
  get trouble(): string {
    const since = `${new Date(this.#sinceMs).toISOString().slice(0, 19)}Z`;
    return `${this.name} has not answered since ${since}: runs and sweeps wait until it does`;
  }

  get mayBegin(): boolean {
    return !this.rests || this.#mayLook;
  }

  /** `changed` is called when it came to rest, and whenever a run may begin that might not before. Returns what ends that. */
  follow(changed: () => void): () => void {
    this.#listeners.add(changed);
    return () => this.#listeners.delete(changed);
  }

  /** Notes the end of any request. */
  asked(status: number | undefined): void {
    const now = this.#clock.now();
    if (status === undefined || status === GATEWAY_TIMEOUT) {
      this.#unansweredMs = now;
      return;
    }
    this.#answeredMs = now;
    const { rests } = this;
    this.#unanswered = 0;
    if (!rests) return;
    clearTimeout(this.#timer);
    this.#silence.end();
    this.#tell();
  }

  /** A run begins. Returns what notes its end. */
  begin(): () => void {
    const beganMs = this.#clock.now();
    const looks = this.rests;
    if (looks) this.#mayLook = false;
    return () => {
      this.#ended(beganMs, looks);
    };
  }

  #ended(beganMs: number, looked: boolean): void {
    const { rests } = this;
    if (looked !== rests) return;
    const isUnanswered = this.#unansweredMs >= beganMs && this.#answeredMs < beganMs;
    if (looked && !isUnanswered) {
      this.#mayLook = true;
      this.#tell();
      return;
    }
    if (!rests) {
      if (!isUnanswered) return;
      if (this.#unanswered === 0) this.#sinceMs = Date.now() - (this.#clock.now() - beganMs);
      this.#unanswered += 1;
    }
    if (this.rests) this.#rest();
  }

  #rest(): void {
    this.#mayLook = false;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#mayLook = true;
      this.#tell();
    }, this.#silence.begin(OF_NO_ANSWER)).unref();
    this.#tell();
  }

  /** Who begins a look comes after all others the next time. */
  #tell(): void {
    for (const listener of [...this.#listeners]) {
      const couldLook = this.#mayLook;
      listener();
      if (couldLook && !this.#mayLook && this.#listeners.delete(listener)) this.#listeners.add(listener);
    }
  }
}
