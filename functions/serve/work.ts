import { reconcile } from '../../shared/reconcile.ts';
import { errorText } from '../../shared/model/errors.ts';
import type { Report } from '../../shared/model/outcome.ts';
import { requestOf, type ReconcileRequest } from '../../shared/model/request.ts';
import type { MayCreate } from '../../shared/queue/queue.ts';
import type { QueueView } from '../../shared/report/page.ts';
import type { Sweep } from '../../shared/sweep.ts';
import { MONOTONIC, timeBudget } from '../budget.ts';
import { HttpError } from '../http/http-error.ts';
import type { Connected } from '../world.ts';
import { DryRuns } from './dry-runs.ts';
import { LocalQueue, type SharedAmongClusters } from './local-queue.ts';

interface WorkOptions {
  readonly connected: Pick<Connected, 'world' | 'cluster'>;
  /** All runs are dry runs, and sweeps change nothing: nothing is written to Kubernetes or OpenStack. */
  readonly dryRun?: boolean;
  /** Called for every run that ended. */
  readonly reported: (report: Report) => void;
  /** Called for every sweep that ended. */
  readonly swept: (found: Sweep) => void;
  /** What it shares with other clusters of the process; nothing without it. */
  readonly shared?: SharedAmongClusters;
}

/** Runs that people wait for: ten requests of as many objects as one may name. */
const MOST_ASKED = 1_000;
/** One dry run at a time for so many other runs. */
const RUNS_PER_DRY_RUN = 5;

/** The work of one process: runs of the keys in its queue, and dry runs beside them. */
export class Work {
  readonly #options: WorkOptions;
  readonly #queue: LocalQueue;
  readonly #dryRuns: DryRuns;
  readonly #stop = new AbortController();
  #asked = 0;

  constructor(options: WorkOptions) {
    this.#options = options;
    const { connected, dryRun = false, shared, swept } = options;
    const { world } = connected;
    this.#queue = new LocalQueue({
      world,
      cluster: () => connected.cluster(),
      ...shared,
      readOnly: dryRun,
      run: (request, mayCreate) => this.#reconcile(request, mayCreate),
      swept,
    });
    this.#dryRuns = new DryRuns({
      run: (request) => this.#reconcile(request),
      concurrency: Math.ceil(world.config.concurrentServiceSyncs / RUNS_PER_DRY_RUN),
      clock: MONOTONIC,
    });
  }

  /** Starts the first sweep and the interval. */
  start(): void {
    this.#queue.start();
  }

  enqueue(requests: readonly ReconcileRequest[]): void {
    this.#queue.add(this.#named(requests));
  }

  /**
   * Queues units to run now, each after a run of it that is under way, and returns the reports in the order of
   * the requests. All are dry runs, or none is. Throws 429 if too many are waited for, and 503 at the end.
   */
  async reconcile(asked: readonly ReconcileRequest[]): Promise<readonly Report[]> {
    const requests = this.#named(asked);
    if (this.#options.dryRun || requests.every(({ dryRun }) => dryRun))
      return this.#dryRuns.runAll(requests.map((request) => ({ ...request, dryRun: true })));
    if (this.#asked + requests.length > MOST_ASKED) {
      const message = `${this.#asked} runs are waited for, and at most ${MOST_ASKED} may be: ask again later, or for fewer objects`;
      throw new HttpError(429, message, { headers: { 'Retry-After': String(RETRY_AFTER_S) } });
    }
    this.#asked += requests.length;
    try {
      return await Promise.all(requests.map((request) => this.#queue.ask(request)));
    } catch (error) {
      throw new HttpError(503, errorText(error), { headers: { 'Retry-After': String(RETRY_AFTER_S) } });
    } finally {
      this.#asked -= requests.length;
    }
  }

  /** The state of the queue, for metrics and the page. */
  queued(): QueueView {
    return this.#queue.view();
  }

  /** True when no key is queued, running or waiting for Octavia, and no sweep runs or is about to run. */
  get idle(): boolean {
    return this.#queue.idle;
  }

  /** Starts no more runs. Those under way finish their write. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#dryRuns.stop();
    await this.#queue.stop();
  }

  #named(requests: readonly ReconcileRequest[]): readonly ReconcileRequest[] {
    return requests.map((request) => requestOf(this.#options.connected.world, request));
  }

  async #reconcile(request: ReconcileRequest, mayCreate?: MayCreate): Promise<Report> {
    const { world } = this.#options.connected;
    const budget = timeBudget(world.config.reconcileTimeoutMs, MONOTONIC, this.#stop.signal);
    const report = await reconcile(request, world, { ...budget, ...(mayCreate && { mayCreate }) });
    this.#options.reported(report);
    return report;
  }
}

const RETRY_AFTER_S = 5;
