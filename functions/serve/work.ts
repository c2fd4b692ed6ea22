import { reconcile } from '../../shared/reconcile.ts';
import type { Report } from '../../shared/model/outcome.ts';
import { isUnit, scopeOf, type Key, type ReconcileRequest } from '../../shared/model/request.ts';
import { MemoryQueue } from '../../shared/queue/memory-queue.ts';
import { PendingPoller } from '../../shared/queue/pending-poller.ts';
import type { Clock } from '../../shared/ports.ts';
import type { Sweep } from '../../shared/sweep.ts';
import { looksAfterRoutes } from '../../shared/config/controllers.ts';
import { timeBudget } from '../budget.ts';
import type { Connected } from '../world.ts';
import { DrainingTimers } from './draining-timers.ts';
import { DryRuns } from './dry-runs.ts';
import { Sweeper } from './sweeper.ts';

export interface WorkOptions {
  readonly connected: Pick<Connected, 'world' | 'cluster'>;
  /** All runs are dry runs, and sweeps change nothing: nothing is written to Kubernetes or OpenStack. */
  readonly dryRun?: boolean;
  /** Called for every run that ended. */
  readonly reported: (report: Report) => void;
  /** Called for every sweep that ended. */
  readonly swept: (found: Sweep) => void;
}

/**
 * The delay of a run of the routes after a Node changed. One run serves all Nodes that join or leave
 * meanwhile.
 */
const ROUTES_MS = 500;

/** One dry run at a time for so many other runs. */
const RUNS_PER_DRY_RUN = 5;

/** How long keys wait and runs take. Who sets the time of day makes neither longer. */
const MONOTONIC: Clock = { now: () => performance.now() };

/**
 * The work of one process: the queue, the keys that wait for Octavia, and the sweeps. For a key that names no unit a sweep
 * queues what it finds.
 */
export class Work {
  readonly #options: WorkOptions;
  readonly #queue: MemoryQueue;
  readonly #dryRuns: DryRuns;
  readonly #poller: PendingPoller;
  readonly #sweeper: Sweeper;
  readonly #draining = new DrainingTimers((key) => {
    this.enqueue([{ key, trigger: 'requeue' }]);
  });
  readonly #stop = new AbortController();
  readonly #asked = new Map<Key, ((report: Report) => void)[]>();

  constructor(options: WorkOptions) {
    this.#options = options;
    const { world } = options.connected;
    const { cloud, log, config } = world;
    this.#poller = new PendingPoller({
      cloud,
      cluster: () => options.connected.cluster(),
      clock: MONOTONIC,
      log,
      ready: (request) => {
        this.#queue.add(request);
      },
    });
    this.#queue = new MemoryQueue({
      run: (request) => this.#run(request),
      concurrency: config.concurrentServiceSyncs,
      clock: MONOTONIC,
      waiting: this.#poller,
    });
    this.#dryRuns = new DryRuns({
      run: (request) => this.#reconcile(request),
      concurrency: Math.ceil(config.concurrentServiceSyncs / RUNS_PER_DRY_RUN),
      clock: MONOTONIC,
    });
    this.#sweeper = new Sweeper({
      world,
      intervalMs: config.sweepIntervalMs,
      readOnly: options.dryRun === true,
      swept: (found) => {
        this.enqueue(found.requests);
        options.swept(found);
      },
    });
  }

  /** Starts the first sweep and the interval. */
  start(): void {
    this.#sweeper.start();
  }

  enqueue(requests: readonly ReconcileRequest[]): void {
    for (const request of requests) {
      if (isUnit(request.key)) this.#queue.add(this.#asAllowed(request));
      else this.#sweeper.request(scopeOf(request.key));
    }
  }

  /**
   * Queues units to run now, each after a run of it that is under way, and returns the reports in the order of
   * the requests. All are dry runs, or none is. Throws 429 if too many dry runs wait.
   */
  reconcile(requests: readonly ReconcileRequest[]): Promise<readonly Report[]> {
    if (this.#options.dryRun || requests.every(({ dryRun }) => dryRun))
      return this.#dryRuns.runAll(requests.map((request) => ({ ...request, dryRun: true })));
    return Promise.all(requests.map((request) => this.#runNow(request)));
  }

  /** The state of the queue, for metrics and the page. */
  queued(): { readonly depth: number; readonly oldestMs: number } {
    return { depth: this.#queue.depth + this.#poller.size, oldestMs: this.#queue.oldestAgeMs() };
  }

  /** True when no key is queued, running or waiting for Octavia, and no sweep runs or is about to run. */
  get idle(): boolean {
    return this.#queue.depth + this.#queue.running + this.#poller.size === 0 && !this.#sweeper.busy;
  }

  /** Starts no more runs. Those under way finish their write and release their lease. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#poller.stop();
    this.#dryRuns.stop();
    this.#draining.stop();
    await Promise.all([this.#sweeper.stop(), this.#queue.stop()]);
  }

  #runNow(request: ReconcileRequest): Promise<Report> {
    return new Promise((resolve) => {
      this.#asked.set(request.key, [...(this.#asked.get(request.key) ?? []), resolve]);
      this.enqueue([request]);
    });
  }

  #asAllowed(request: ReconcileRequest): ReconcileRequest {
    return this.#options.dryRun ? { ...request, dryRun: true } : request;
  }

  async #run(request: ReconcileRequest): Promise<Report> {
    const asked = this.#asked.get(request.key) ?? [];
    this.#asked.delete(request.key);
    const report = await this.#reconcile(request);
    for (const resolve of asked) resolve(report);
    return report;
  }

  async #reconcile(request: ReconcileRequest): Promise<Report> {
    const { world } = this.#options.connected;
    const budget = timeBudget(world.config.reconcileTimeoutMs, MONOTONIC, this.#stop.signal);
    const report = await reconcile(request, world, budget);
    if (!request.dryRun) this.#follow(report);
    this.#options.reported(report);
    return report;
  }

  #follow({ request, drainedInMs, nodesWithoutAddress = [], membersMoved }: Report): void {
    if (nodesWithoutAddress.length > 0) this.#sweeper.lookAgain();
    if (!this.#stop.signal.aborted) this.#draining.set(request.key, drainedInMs);
    if (membersMoved) this.#followNodes();
  }

  /**
   * Queues what depends on Nodes after levelset wrote one, since audit events about its own writes are
   * ignored.
   */
  #followNodes(): void {
    this.#sweeper.requestMembersSoon();
    if (looksAfterRoutes(this.#options.connected.world.config))
      this.#queue.add({ key: 'routes', trigger: 'requeue' }, ROUTES_MS);
  }
}
