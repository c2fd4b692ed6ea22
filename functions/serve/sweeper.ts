import { requeueDelayMs } from '../../shared/queue/scheduling.ts';
import { scopeOf, widen, type SweepScope } from '../../shared/model/request.ts';
import { sweep, type Sweep } from '../../shared/sweep.ts';
import type { World } from '../../shared/ports.ts';

export interface SweeperOptions {
  readonly world: World;
  readonly intervalMs: number;
  /** Told of every sweep that ended; queues what it found. */
  readonly swept: (found: Sweep) => void;
}

const SOON_MS = 500;
const AGAIN = { status: 'progressing', reason: '', retryAfterMs: 1_000 } as const;

/**
 * Sweeps at start, at every interval and on demand. While one runs at most one more waits, for all that was asked for
 * meanwhile. One that failed, or that saw a Node without an address, is followed by another
 * after 1, 2, ... 30 s.
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
    this.#interval = setInterval(() => {
      this.request();
    }, this.#options.intervalMs).unref();
    this.request();
  }

  get busy(): boolean {
    return this.#running !== undefined || this.#soon !== undefined;
  }

  /** One sweep soon, of everything where nothing is said. */
  request(scope: SweepScope = {}): void {
    if (this.#stopped) return;
    this.#next = this.#next ? widen(this.#next, scope) : scope;
    this.#running ??= this.#run();
  }

  /** A Node was changed: others that join or leave with it are looked at together. */
  requestMembersSoon(): void {
    if (this.#stopped) return;
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined;
      this.request(scopeOf('nodeset'));
    }, SOON_MS).unref();
  }

  /** A reconcile met a Node that has no address yet: the node set is looked at again. */
  lookAgain(): void {
    if (this.#stopped || this.#again) return;
    const delayMs = requeueDelayMs(AGAIN, this.#attempt, Math.random);
    this.#attempt += 1;
    this.#again = setTimeout(() => {
      this.#again = undefined;
      this.request();
    }, delayMs).unref();
  }

  /** Resolves when the sweep in hand has ended. */
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
      this.#options.swept(found);
      if (found.failed !== undefined || found.nodesWithoutAddress.length > 0) this.lookAgain();
      else this.#attempt = 0;
    }
    this.#running = undefined;
  }
}
