import { LONGEST_TIMER_MS, withDeadline } from '../../shared/deadline.ts';
import { requeueDelayMs } from '../../shared/queue/scheduling.ts';
import { scopeOf, widen, type SweepScope } from '../../shared/model/request.ts';
import { sweep, type Sweep } from '../../shared/sweep.ts';
import type { World } from '../../shared/ports.ts';

export interface SweeperOptions {
  readonly world: World;
  readonly intervalMs: number;
  /** Sweeps change nothing, not even the state of units that are gone. */
  readonly readOnly?: boolean;
  /** Called for every sweep that ended. It queues what the sweep found. */
  readonly swept: (found: Sweep) => void;
}

/** What a sweep has not read by then, the next one reads. */
export const LONGEST_SWEEP_MS = 10 * 60_000;
const SOON_MS = 500;
const AGAIN_MS = 1_000;

/**
 * Sweeps at start, at every interval and on demand. While one sweep runs, at most one more waits, for everything that was asked
 * for meanwhile. After a sweep that failed, or that found a Node without an address, another one follows in 1, 2, ... 30 s,
 * or later where an answer of what failed asked for it, after five minutes at the latest.
 */
export class Sweeper {
  readonly #options: SweeperOptions;
  #running: Promise<void> | undefined;
  #next: SweepScope | undefined;
  #interval: NodeJS.Timeout | undefined;
  #again: NodeJS.Timeout | undefined;
  #soon: NodeJS.Timeout | undefined;
  #attempt = 0;
  #stopped = false;

  constructor(options: SweeperOptions) {
    this.#options = options;
  }

  start(): void {
    const everyMs = Math.min(LONGEST_TIMER_MS, this.#options.intervalMs);
    this.#interval = setInterval(() => {
      this.request();
    }, everyMs).unref();
    this.request();
  }

  get busy(): boolean {
    return this.#running !== undefined || this.#soon !== undefined;
  }

  /** Sweeps soon; everything, if no scope is given. */
  request(scope: SweepScope = {}): void {
    if (this.#stopped) return;
    this.#next = this.#next ? widen(this.#next, scope) : scope;
    this.#running ??= this.#run();
  }

  /** Sweeps the node set after a moment, in which other Nodes may join or leave, too. */
  requestMembersSoon(): void {
    if (this.#stopped) return;
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      this.request(scopeOf('nodeset'));
    }, SOON_MS).unref();
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
    this.#stopped = true;
    this.#next = undefined;
    clearInterval(this.#interval);
    clearTimeout(this.#again);
    clearTimeout(this.#soon);
    await this.#running;
  }

  async #run(): Promise<void> {
    for (let scope = this.#next; scope !== undefined; scope = this.#next) {
      this.#next = undefined;
      const found = await this.#sweep(scope);
      if (this.#stopped) break;
      try {
        this.#options.swept(found);
      } catch (error) {
        this.#options.world.log.error('what a sweep found could not be queued', { error: String(error) });
        this.lookAgain();
        continue;
      }
      if (found.failed !== undefined || found.nodesWithoutAddress.length > 0)
        this.lookAgain(found.retryAfterMs);
      else this.#attempt = 0;
    }
    this.#running = undefined;
  }

  #sweep(scope: SweepScope): Promise<Sweep> {
    const end = performance.now() + LONGEST_SWEEP_MS;
    const remainingMs = (): number => (this.#stopped ? 0 : Math.max(0, end - performance.now()));
    const { world, readOnly } = this.#options;
    return withDeadline({ remainingMs }, () => sweep(world, readOnly ? { ...scope, readOnly } : scope));
  }
}
