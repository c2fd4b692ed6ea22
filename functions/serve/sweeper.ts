import { LONGEST_TIMER_MS } from '../../shared/deadline.ts';
import { requeueDelayMs } from '../../shared/queue/scheduling.ts';
import { scopeOf, widen, type SweepScope } from '../../shared/model/request.ts';
import { sweep, type Sweep } from '../../shared/sweep.ts';
import type { World } from '../../shared/ports.ts';

export interface SweeperOptions {
  readonly world: World;
  readonly intervalMs: number;
  /** Called for every sweep that ended. It queues what the sweep found. */
  readonly swept: (found: Sweep) => void;
}

const SOON_MS = 500;
const AGAIN = { status: 'progressing', reason: '', retryAfterMs: 1_000 } as const;

/**
 * Sweeps at start, at every interval and on demand. While one sweep runs, at most one more waits, for everything that was asked
 * for meanwhile. After a sweep that failed, or that found a Node without an address, another one follows in 1, 2, ... 30 s.
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
  lookAgain(): void {
    if (this.#stopped || this.#again) return;
    const delayMs = requeueDelayMs(AGAIN, this.#attempt, Math.random);
    this.#attempt += 1;
    this.#again = setTimeout(() => {
      this.#again = undefined;
      this.request();
    }, delayMs).unref();
  }

  /** Resolves when the sweep that runs has ended. */
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
      const found = await sweep(this.#options.world, scope);
      if (this.#stopped) break;
      try {
        this.#options.swept(found);
      } catch (error) {
        this.#options.world.log.error('what a sweep found could not be queued', { error: String(error) });
        this.lookAgain();
        continue;
      }
      if (found.failed !== undefined || found.nodesWithoutAddress.length > 0) this.lookAgain();
      else this.#attempt = 0;
    }
    this.#running = undefined;
  }
}
