import { LONGEST_TIMER_MS } from '../../shared/deadline.ts';
import { requeueDelayMs } from '../../shared/queue/scheduling.ts';
import { widen, type SweepScope } from '../../shared/model/request.ts';
import { sweep, type Sweep } from '../../shared/sweep.ts';
import type { World } from '../../shared/ports.ts';

export interface SweepTimetable {
  untilNextMs(everyMs: number): number;
  /** Runs a sweep when there is a place; or at once when it is to stop, which it sees by itself. */
  take<T>(run: () => Promise<T>, stopping: AbortSignal): Promise<T>;
}

interface SweeperOptions {
  readonly world: World;
  readonly intervalMs: number;
  /** Sweeps change nothing, not even the state of objects that are gone. */
  readonly readOnly?: boolean;
  readonly swept: (found: Sweep) => void;
  /** Absent where there is one cluster: it is swept at each interval from the start. */
  readonly timetable?: SweepTimetable;
}

/** What a sweep has not read by then, the next one reads. */
export const LONGEST_SWEEP_MS = 10 * 60_000;
/** Before a sweep that events ask for; longer after one that took longer. */
const LEAST_BACKOFF_MS = 500;
const AGAIN_MS = 1_000;

/**
 * Sweeps at start, at every interval and on demand. At most one more waits, as long as the last took, unless asked for or due.
 * After a failure, or for a Node without an address, another follows in 1, 2, ... 30 s, or when the answer says, within five minutes.
 */
export class Sweeper {
  readonly #options: SweeperOptions;
  #running: Promise<void> | undefined;
  #next: SweepScope | undefined;
  #isDue = false;
  #backoffUntilMs = 0;
  #rest: NodeJS.Timeout | undefined;
  #interval: NodeJS.Timeout | undefined;
  #again: NodeJS.Timeout | undefined;
  #attempt = 0;
  readonly #stopping = new AbortController();

  constructor(options: SweeperOptions) {
    this.#options = options;
  }

  start(): void {
    const everyMs = Math.min(LONGEST_TIMER_MS, this.#options.intervalMs);
    const { timetable } = this.#options;
    const next = (): void => {
      const inMs = timetable?.untilNextMs(everyMs) ?? everyMs;
      this.#interval = setTimeout(() => {
        next();
        this.request({}, { isDue: true });
      }, inMs).unref();
    };
    next();
    this.request();
  }

  get #stopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  get busy(): boolean {
    return this.#running !== undefined || this.#next !== undefined;
  }

  /** Sweeps `scope`, or everything. `isDue`: without a rest. */
  request(scope: SweepScope = {}, { isDue = false } = {}): void {
    if (this.#stopped) return;
    this.#next = this.#next ? widen(this.#next, scope) : scope;
    this.#isDue ||= isDue;
    this.#begin();
  }

  /** Sweeps again after a delay that grows: a Node has no address yet, or the last sweep failed. */
  lookAgain(retryAfterMs = 0): void {
    if (this.#stopped || this.#again) return;
    const outcome = {
      status: 'progressing',
      reason: '',
      retryAfterMs: Math.max(AGAIN_MS, retryAfterMs),
    } as const;
    const delayMs = requeueDelayMs(outcome, this.#attempt, Math.random);
    this.#attempt += 1;
    this.#again = setTimeout(() => {
      this.#again = undefined;
      this.request();
    }, delayMs).unref();
  }

  /** Resolves when the sweep that runs has ended, which begins no request any more. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#next = undefined;
    clearTimeout(this.#interval);
    clearTimeout(this.#again);
    clearTimeout(this.#rest);
    await this.#running;
  }

  #begin(): void {
    const scope = this.#next;
    if (this.#running || scope === undefined) return;
    clearTimeout(this.#rest);
    const leftMs = this.#isDue ? 0 : this.#backoffUntilMs - performance.now();
    if (leftMs > 0) {
      this.#rest = setTimeout(() => {
        this.#begin();
      }, Math.ceil(leftMs)).unref();
      return;
    }
    this.#next = undefined;
    this.#isDue = false;
    const began = performance.now();
    this.#running = this.#run(scope).finally(() => {
      const now = performance.now();
      this.#backoffUntilMs = now + Math.max(LEAST_BACKOFF_MS, now - began);
      this.#running = undefined;
      this.#begin();
    });
  }

  async #run(scope: SweepScope): Promise<void> {
    const { timetable } = this.#options;
    const found = await (timetable
      ? timetable.take(() => this.#sweep(scope), this.#stopping.signal)
      : this.#sweep(scope));
    if (this.#stopped) return;
    try {
      this.#options.swept(found);
    } catch (error) {
      this.#options.world.log.error('what a sweep found could not be queued', { error: String(error) });
      this.lookAgain();
      return;
    }
    if (found.failed !== undefined || found.nodesWithoutAddress.length > 0)
      this.lookAgain(found.retryAfterMs);
    else this.#attempt = 0;
  }

  #sweep(scope: SweepScope): Promise<Sweep> {
    const { timetable, intervalMs } = this.#options;
    const end = performance.now() + (timetable ? Math.min(LONGEST_SWEEP_MS, intervalMs) : LONGEST_SWEEP_MS);
    const remainingMs = (): number => (this.#stopped ? 0 : Math.max(0, end - performance.now()));
    const { world, readOnly } = this.#options;
    return sweep(world, readOnly ? { ...scope, readOnly } : scope, { remainingMs });
  }
}
