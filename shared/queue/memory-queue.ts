import type { Outcome, Report } from '../model/outcome.ts';
import type { Key, ReconcileRequest } from '../model/request.ts';
import type { Clock } from '../ports.ts';
import { requeueDelayMs, ReadyKeys } from './scheduling.ts';

/** Keeps the keys whose load balancer is busy (PendingPoller). */
export interface WaitingKeys {
  wait(request: ReconcileRequest, report: Report): void;
  forget(key: Key): void;
  has(key: Key): boolean;
}

export interface MemoryQueueOptions {
  /** Runs one key. A rejection requeues the key as a failure does. */
  readonly run: (request: ReconcileRequest) => Promise<Report>;
  /** How many keys run at once. */
  readonly concurrency: number;
  readonly clock: Clock;
  /** Keeps the keys that wait for a load balancer. Without it they are requeued after their own delay. */
  readonly waiting?: WaitingKeys;
  /** [0, 1), for the jitter. */
  readonly random?: () => number;
}

const REJECTED: Outcome = { status: 'failed', code: 'UNEXPECTED_RESPONSE', message: '', retryAfterMs: 0 };

interface Delayed {
  readonly dueMs: number;
  readonly timer: NodeJS.Timeout;
}

/**
 * The work queue of one process. A key is in it once and never runs twice at a time; a key that is added
 * while it runs runs once more afterwards. Different keys run in parallel. People's changes overtake
 * everything else (PRIORITY). A key whose run ended as progressing or failed is requeued, with a longer delay
 * each time, or when its busy load balancer is ready.
 */
export class MemoryQueue {
  readonly #options: MemoryQueueOptions;
  readonly #random: () => number;
  readonly #ready = new ReadyKeys();
  readonly #delayed = new Map<Key, Delayed>();
  readonly #running = new Set<Key>();
  /** Requests of sweeps for keys that are running. */
  readonly #found = new Map<Key, ReconcileRequest>();
  readonly #attempts = new Map<Key, number>();
  #idle: (() => void)[] = [];
  #stopped = false;

  constructor(options: MemoryQueueOptions) {
    this.#options = options;
    this.#random = options.random ?? Math.random;
  }

  /**
   * Queues a key. Without a delay it replaces a requeue of the key; with a delay, an earlier requeue stays. A
   * sweep never replaces a requeue. If a sweep adds a key while it runs, the run may have read what is out of
   * date by now, so the key runs once more unless its run requeues it. After `stop` nothing is queued.
   */
  add(request: ReconcileRequest, delayMs = 0): void {
    const { key, trigger } = request;
    if (this.#stopped || (trigger === 'sweep' && this.#isComingBack(key))) return;
    if (trigger === 'sweep' && this.#running.has(key)) {
      this.#found.set(key, request);
      return;
    }
    if (delayMs <= 0) {
      this.#dropDelay(key);
      this.#options.waiting?.forget(key);
      if (trigger !== 'requeue') this.#attempts.delete(key);
      this.#ready.put({ request, sinceMs: this.#options.clock.now() });
      this.#start();
      return;
    }
    const dueMs = this.#options.clock.now() + delayMs;
    if ((this.#delayed.get(key)?.dueMs ?? Infinity) <= dueMs) return;
    this.#dropDelay(key);
    const timer = setTimeout(() => {
      this.#delayed.delete(key);
      this.add(request);
    }, delayMs);
    timer.unref();
    this.#delayed.set(key, { dueMs, timer });
  }

  /** Number of keys that are ready or delayed, without the running ones. */
  get depth(): number {
    return this.#ready.size + this.#delayed.size;
  }

  get running(): number {
    return this.#running.size;
  }

  /** How long the oldest ready key has waited, in milliseconds. */
  oldestAgeMs(): number {
    const since = this.#ready.oldestSinceMs();
    return since === undefined ? 0 : this.#options.clock.now() - since;
  }

  /** Resolves when nothing is ready, delayed or running. Keys that wait for a load balancer do not count. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#idle.push(resolve);
      this.#tellIdle();
    });
  }

  /** Forgets what is queued, and resolves when the running keys have ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#ready.clear();
    for (const key of this.#delayed.keys()) this.#dropDelay(key);
    await this.idle();
  }

  #start(): void {
    while (this.#running.size < this.#options.concurrency) {
      const next = this.#ready.take((key) => !this.#running.has(key));
      if (!next) return;
      const { request } = next;
      this.#running.add(request.key);
      this.#options.run(request).then(
        (report) => {
          this.#ended(request, report);
        },
        () => {
          this.#ended(request, undefined);
        },
      );
    }
  }

  #ended(request: ReconcileRequest, report: Report | undefined): void {
    this.#running.delete(request.key);
    this.#comeBack(request, report);
    this.#start();
    this.#tellIdle();
  }

  #comeBack(request: ReconcileRequest, report: Report | undefined): void {
    const { key } = request;
    const outcome = report?.outcome ?? REJECTED;
    const attempt = this.#attempts.get(key) ?? 0;
    const delayMs = requeueDelayMs(outcome, attempt, this.#random);
    const found = this.#found.get(key);
    this.#found.delete(key);
    if (delayMs === undefined) {
      this.#attempts.delete(key);
      if (found && !this.#ready.has(key)) this.add(found);
      return;
    }
    if (this.#stopped || this.#ready.has(key)) return;
    const requeue: ReconcileRequest = { ...request, trigger: 'requeue' };
    const { waiting } = this.#options;
    if (report && waiting && outcome.status === 'progressing' && outcome.waitingFor !== undefined) {
      this.#attempts.delete(key);
      waiting.wait(requeue, report);
      return;
    }
    this.#attempts.set(key, attempt + 1);
    this.add(requeue, Math.max(1, delayMs));
  }

  #isComingBack(key: Key): boolean {
    return this.#delayed.has(key) || (this.#options.waiting?.has(key) ?? false);
  }

  #dropDelay(key: Key): void {
    clearTimeout(this.#delayed.get(key)?.timer);
    this.#delayed.delete(key);
  }

  #tellIdle(): void {
    if (this.depth + this.#running.size > 0) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}
