import type { Outcome, Report } from '../model/outcome.ts';
import type { Key, ReconcileRequest } from '../model/request.ts';
import type { Clock } from '../ports.ts';
import { Chain } from './chain.ts';
import type { ParkedKeys } from './parked-keys.ts';
import { kindOf, Places, type ClusterPlaces, type SharedPlaces } from './places.ts';
import { ReadyKeys, type Queued } from './ready-keys.ts';
import { Rests } from './rests.ts';
import { PRIORITY, requeueDelayMs, type Priority } from './scheduling.ts';
import type { Sides } from './sides.ts';

/** Keeps the keys whose load balancer is busy (PendingPoller). */
export interface WaitingKeys {
  /** The key is not ready within `leastMs`, whatever its load balancer does. */
  wait(request: ReconcileRequest, report: Report, leastMs: number): void;
  forget(key: Key): void;
  has(key: Key): boolean;
}

export interface MemoryQueueOptions {
  /** The name of the cluster whose keys these are; absent where there is one. */
  readonly cluster?: string;
  /** Runs one key. A rejection requeues the key as a failure does. */
  readonly run: (request: ReconcileRequest) => Promise<Report>;
  /** How many keys of one kind run at once: Services, Nodes, and the routes each have places of their own. */
  readonly concurrency: number;
  /** The places of the process, where several clusters share them. */
  readonly shared?: SharedPlaces;
  readonly clock: Clock;
  /** Keeps the keys that wait for a load balancer. Without it they are requeued after their own delay. */
  readonly waiting?: WaitingKeys;
  /** Keeps the keys that need more room than Octavia has. Without it nothing waits for room. */
  readonly parked?: ParkedKeys;
  /** Keys wait for their run while one of these does not answer. Without them none does. */
  readonly sides?: Sides;
  /** Whether nothing is known of a Service, so that whoever made it may wait for its first address. */
  readonly isNew?: (key: Key) => boolean;
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
 * while it runs runs once more afterwards. Different keys run in parallel, and Services hold up no Node. One
 * order holds for all (ReadyKeys), and no namespace takes all places. A key whose run ended as progressing or
 * failed is requeued, or waits for its busy load balancer: the longer the more of its runs made no progress. One whose run
 * needs more room than Octavia has is parked (ParkedKeys), which leaves that as it was. Hints and sweeps run a key twice a second
 * at most (Rests). While a side of the cluster rests (Sides), keys stay ready.
 */
export class MemoryQueue {
  readonly #options: MemoryQueueOptions;
  readonly #random: () => number;
  /** By kind of key. */
  readonly #ready = new Map<string, ReadyKeys>();
  readonly #places: Places;
  readonly #shared: ClusterPlaces | undefined;
  readonly #delayed = new Map<Key, Delayed>();
  /** Requests of sweeps for keys that are running. */
  readonly #found = new Map<Key, ReconcileRequest>();
  readonly #chains = new Map<Key, Chain>();
  readonly #rests: Rests;
  readonly #unfollow: (() => void) | undefined;
  #idle: (() => void)[] = [];
  #stopped = false;

  constructor(options: MemoryQueueOptions) {
    this.#options = options;
    this.#random = options.random ?? Math.random;
    this.#places = new Places(options.concurrency);
    this.#shared = options.shared?.of(() => this.#startNext());
    this.#rests = new Rests(options.clock, (request) => {
      this.#enter(request);
      this.#start();
    });
    this.#unfollow = options.sides?.follow(() => {
      this.#start();
    });
  }

  /**
   * Queues a key. Without a delay it replaces a requeue of the key; with a delay, an earlier requeue stays. A
   * sweep replaces nothing that is queued. If a sweep adds a key while it runs, the run may have read what is out of
   * date by now, so the key runs once more unless its run requeues it. After `stop` nothing is queued.
   */
  add(request: ReconcileRequest, delayMs = 0): void {
    const { key, trigger } = request;
    const ready = this.#readyLike(key);
    if (this.#stopped || (trigger === 'sweep' && (ready.has(request) || this.#isComingBack(key)))) return;
    if (trigger === 'sweep' && this.#places.isRunning(key)) {
      this.#found.set(key, request);
      return;
    }
    if (delayMs <= 0) {
      if (!ready.has(request) && this.#rests.keep(request)) return;
      this.#enterRested(request);
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

  /** Runs a key next that was parked, and has room now. */
  goOn(request: ReconcileRequest): void {
    if (!this.#stopped) this.#enterRested(request, 'finishing');
  }

  /** Number of keys that are ready, resting, delayed or parked, without the running ones. */
  get depth(): number {
    const { parked, cluster } = this.#options;
    const later = this.#delayed.size + this.#rests.size + (parked?.sizeOf(cluster) ?? 0);
    return this.#allReady().reduce((sum, { size }) => sum + size, later);
  }

  get running(): number {
    return this.#places.running;
  }

  /** How long the oldest key that is ready or parked has waited, in milliseconds. */
  oldestAgeMs(): number {
    const now = this.#options.clock.now();
    const { parked, cluster } = this.#options;
    const parkedMs = parked?.oldestSinceMs(cluster) ?? now;
    return now - Math.min(now, parkedMs, ...this.#allReady().map((keys) => keys.oldestSinceMs() ?? now));
  }

  /** Resolves when nothing is ready, resting, delayed, parked or running. Keys that wait for a load balancer do not count. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#idle.push(resolve);
      this.#tellIdle();
    });
  }

  /** Forgets what is queued, and resolves when the running keys have ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#unfollow?.();
    this.#ready.clear();
    this.#rests.clear();
    this.#options.parked?.leave(this.#options.cluster);
    for (const key of this.#delayed.keys()) this.#dropDelay(key);
    await this.idle();
  }

  /** Makes a key ready, with the request that its rest kept. */
  #enterRested(request: ReconcileRequest, priority?: Priority): void {
    const rested = this.#rests.take(request.key);
    if (rested) this.#enter(rested);
    this.#enter(request, priority);
    this.#start();
  }

  /** Makes a key ready, in the place of its requeue. A hint begins a new chain. A sweep that finds a parked key does not. */
  #enter(request: ReconcileRequest, priority?: Priority): void {
    const { key, trigger } = request;
    this.#dropDelay(key);
    this.#options.waiting?.forget(key);
    if (trigger !== 'requeue' && trigger !== 'sweep') this.#chains.delete(key);
    const ofChain = trigger === 'requeue' ? this.#chains.get(key)?.priority : undefined;
    const first = priority ?? ofChain ?? this.#firstPriority(request);
    this.#readyLike(key).put({ request, priority: first, sinceMs: this.#options.clock.now() });
  }

  #start(): void {
    while (this.#startNext());
  }

  /** Begins the run of the next key that has a place, if there is one. */
  #startNext(): boolean {
    if (this.#options.sides?.mayBegin === false) return false;
    if (this.#allReady().every(({ size }) => size === 0) || this.#shared?.take() === false) return false;
    const next = this.#takeNext();
    if (next) this.#run(next.request);
    else this.#shared?.leave();
    return next !== undefined;
  }

  /** Kinds take turns, for a place of the process that all of them need. */
  #takeNext(): Queued | undefined {
    for (const [kind, ready] of this.#ready) {
      const next = ready.take(this.#places.freeFor(kind), this.#options.clock.now());
      if (!next) continue;
      this.#ready.delete(kind);
      this.#ready.set(kind, ready);
      return next;
    }
    return undefined;
  }

  #run(request: ReconcileRequest): void {
    this.#places.take(request.key);
    this.#rests.began(request.key);
    const { parked, run, sides } = this.#options;
    const mayBegin = parked?.admit(request) ?? true;
    const met = sides?.begin();
    const ended = (report?: Report): void => {
      met?.();
      this.#ended(request, report, parked?.ended(request, mayBegin, report) ?? false);
    };
    run(mayBegin ? request : { ...request, mayBegin }).then(ended, () => {
      ended();
    });
  }

  #ended(request: ReconcileRequest, report: Report | undefined, isParked: boolean): void {
    const { key } = request;
    this.#places.leave(key);
    if (isParked) this.#lookAgain(key);
    else this.#comeBack(request, report);
    this.#options.parked?.release();
    this.#start();
    this.#shared?.leave();
    this.#tellIdle();
  }

  #comeBack(request: ReconcileRequest, report: Report | undefined): void {
    const { key } = request;
    const outcome = report?.outcome ?? REJECTED;
    const chain = this.#chains.get(key) ?? new Chain(request.trigger);
    const idleRuns = chain.note(report ?? { outcome, applied: [] });
    const delayMs = requeueDelayMs(outcome, idleRuns, this.#random);
    const found = this.#found.get(key);
    this.#found.delete(key);
    if (delayMs === undefined) {
      this.#chains.delete(key);
      if (found && !this.#readyLike(key).has(request)) this.add(found);
      return;
    }
    if (this.#stopped || this.#readyLike(key).has(request)) return;
    this.#chains.set(key, chain);
    const requeue: ReconcileRequest = { ...request, trigger: 'requeue' };
    const { waiting } = this.#options;
    if (report && waiting && outcome.status === 'progressing' && outcome.waitingFor !== undefined) {
      waiting.wait(requeue, report, idleRuns === 0 ? 0 : delayMs);
      return;
    }
    this.add(requeue, Math.max(1, delayMs));
  }

  /** A parked key keeps its chain. A sweep that found it while it looked has it look once more. */
  #lookAgain(key: Key): void {
    const found = this.#found.get(key);
    this.#found.delete(key);
    if (found) this.add(found);
  }

  /** The priority of a key whose last runs do not count. What has room goes on, also for a hint. */
  #firstPriority(request: ReconcileRequest): Priority {
    const { key, trigger } = request;
    if (this.#options.parked?.isGoing(request)) return 'finishing';
    const priority = PRIORITY[trigger];
    return priority === 'event' && this.#options.isNew?.(key) ? 'new' : priority;
  }

  #readyLike(key: Key): ReadyKeys {
    const kind = kindOf(key);
    const ready = this.#ready.get(kind) ?? new ReadyKeys();
    this.#ready.set(kind, ready);
    return ready;
  }

  #allReady(): readonly ReadyKeys[] {
    return [...this.#ready.values()];
  }

  #isComingBack(key: Key): boolean {
    return this.#options.waiting?.has(key) === true || this.#delayed.has(key) || this.#rests.has(key);
  }

  #dropDelay(key: Key): void {
    clearTimeout(this.#delayed.get(key)?.timer);
    this.#delayed.delete(key);
  }

  #tellIdle(): void {
    if (this.depth + this.running > 0) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  }
}
