import { looksAfterRoutes } from '../../shared/config/config.ts';
import { listNodesNow } from '../../shared/observe/reads.ts';
import { errorText } from '../../shared/model/errors.ts';
import { fingerprintOf } from '../../shared/model/node/node.ts';
import type { Report } from '../../shared/model/outcome.ts';
import {
  isByPerson,
  isObjectKey,
  requestOf,
  scopeOf,
  type ReconcileRequest,
} from '../../shared/model/request.ts';
import { BusyLoadBalancers } from '../../shared/queue/busy-load-balancers.ts';
import { Queue, type MayCreate } from '../../shared/queue/queue.ts';
import { MemorySlots } from '../../shared/queue/slots.ts';
import { Window } from '../../shared/queue/scheduling.ts';
import { reconcile } from '../../shared/reconcile.ts';
import type { QueueView } from '../../shared/report/page.ts';
import type { Sweep } from '../../shared/sweep.ts';
import { MONOTONIC, timeBudget } from '../budget.ts';
import { HttpError } from '../http/exchange.ts';
import type { Connected } from '../world.ts';
import { Sweeper, type SweepTimetable } from './sweeper.ts';

export interface SharedAmongClusters {
  /** The slots for load balancers in Octavia's hands, of all clusters of one project. */
  readonly slots?: MemorySlots;
  readonly timetable?: SweepTimetable;
}

interface WorkOptions {
  readonly connected: Pick<Connected, 'world' | 'cluster'>;
  /** All runs are dry runs, and sweeps change nothing: nothing is written to Kubernetes or OpenStack. */
  readonly dryRun?: boolean;
  readonly reported: (report: Report) => void;
  readonly swept: (found: Sweep) => void;
  readonly shared?: SharedAmongClusters;
}

/** The delay of a run of the routes after a Node changed. One serves all Nodes that join or leave meanwhile. */
const FOLLOW_MS = 500;
/** Dry runs that people wait for: two requests of as many objects as one may name. */
const MOST_DRY = 200;
/** One dry run at a time for so many other runs. */
const RUNS_PER_DRY_RUN = 5;
const ENDED = 'the work on this cluster ended before the run began: ask again';

/** The work on one cluster in one process: the queue in its memory, the keys that wait for Octavia, the sweeps, and dry runs beside them. */
export class Work {
  readonly #options: WorkOptions;
  readonly #queue: Queue;
  readonly #busy: BusyLoadBalancers;
  readonly #sweeper: Sweeper;
  readonly #window = new Window((): unknown => this.#lookAtNodes()); // which never rejects
  #nodes: string | undefined;
  readonly #dryRuns: DryRuns;
  readonly #stop = new AbortController();

  constructor(options: WorkOptions) {
    this.#options = options;
    const { connected, dryRun = false, shared = {}, swept } = options;
    const { world } = connected;
    const { cloud, log, config, memory } = world;
    const { slots = new MemorySlots(config.concurrentLoadBalancers, MONOTONIC), timetable } = shared;
    // runs that come back see the Nodes as the last look did, so that each look is one change of a pool
    memory.nodesKeptMs = config.sweepIntervalMs;
    this.#busy = new BusyLoadBalancers({
      ...{ cloud, log, clock: MONOTONIC },
      cluster: () => connected.cluster(),
    });
    this.#queue = new Queue({
      run: (request, mayCreate) => this.#run(request, mayCreate),
      concurrency: config.concurrentServiceSyncs,
      clock: MONOTONIC,
      busy: this.#busy,
      slots,
    });
    this.#sweeper = new Sweeper({
      ...{ world, intervalMs: config.sweepIntervalMs, readOnly: dryRun },
      ...(timetable && { timetable }),
      swept: (found) => {
        this.enqueue(found.requests);
        swept(found);
      },
    });
    this.#dryRuns = new DryRuns(Math.ceil(config.concurrentServiceSyncs / RUNS_PER_DRY_RUN));
  }

  start(): void {
    this.#sweeper.start();
  }

  /** Objects are run, and for any other key a sweep queues what it finds. */
  enqueue(requests: readonly ReconcileRequest[]): void {
    const { connected, dryRun } = this.#options;
    for (const asked of requests) {
      const request = requestOf(connected.world, asked);
      if (isObjectKey(request.key)) this.#queue.add(dryRun ? { ...request, dryRun } : request);
      else if (request.key === 'nodeset' && !isByPerson(request)) this.#window.touch();
      else this.#sweeper.request(scopeOf(request.key), { isDue: isByPerson(request) });
    }
  }

  /** Runs objects dry, and reports in the order of requests. Throws 429 with too many waiting, 503 at the end. */
  async dryRun(requests: readonly ReconcileRequest[]): Promise<readonly Report[]> {
    const { wanted } = this.#dryRuns;
    if (wanted + requests.length > MOST_DRY)
      throw refusal(
        429,
        `${wanted} dry runs are waited for, and at most ${MOST_DRY} may be: ask again later, or for fewer objects`,
      );
    return Promise.all(requests.map((request) => this.#dryRun(request)));
  }

  queued(): QueueView {
    return { depth: this.#queue.depth, oldestMs: this.#queue.oldestAgeMs() };
  }

  get idle(): boolean {
    return this.#queue.depth + this.#queue.running === 0 && !this.#sweeper.busy && !this.#window.isOpen;
  }

  /** Begins no run any more, and resolves when those under way have ended: they finish their write. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#busy.stop();
    this.#window.stop();
    await Promise.all([this.#sweeper.stop(), this.#queue.stop()]);
  }

  #dryRun(request: ReconcileRequest): Promise<Report> {
    return this.#dryRuns.run(() => {
      if (this.#stop.signal.aborted) throw refusal(503, ENDED);
      return this.#reconcile({ ...requestOf(this.#options.connected.world, request), dryRun: true });
    });
  }

  async #run(request: ReconcileRequest, mayCreate: MayCreate): Promise<Report> {
    const report = await this.#reconcile(request, mayCreate);
    if (!request.dryRun) this.#follow(report);
    return report;
  }

  async #reconcile(request: ReconcileRequest, mayCreate?: MayCreate): Promise<Report> {
    const { connected, reported } = this.#options;
    const { world } = connected;
    const budget = timeBudget(world.config.reconcileTimeoutMs, MONOTONIC, this.#stop.signal);
    const report = await reconcile(request, world, { ...budget, ...(mayCreate && { mayCreate }) });
    reported(report);
    return report;
  }

  /** Queues what depends on Nodes after levelset wrote one, since audit events about its own writes are ignored. */
  #follow({ nodesWithoutAddress = [], membersMoved }: Report): void {
    const { world } = this.#options.connected;
    if (nodesWithoutAddress.length > 0) this.#sweeper.lookAgain();
    if (!membersMoved) return;
    this.#window.touch();
    if (looksAfterRoutes(world.config))
      this.#queue.add(requestOf(world, { key: 'routes', trigger: 'requeue' }), FOLLOW_MS);
  }

  /** Sweeps the Services, if anything of the Nodes has changed that counts: its lists tell of all load balancers what each run would ask for. */
  async #lookAtNodes(): Promise<void> {
    const { world } = this.#options.connected;
    try {
      const nodes = fingerprintOf(await listNodesNow(world));
      if (this.#nodes === nodes) return;
      this.#nodes = nodes;
    } catch (error) {
      world.log.warn('the Nodes cannot be listed: a sweep tries again', { reason: errorText(error) });
    }
    this.#sweeper.request(scopeOf('nodeset'), { isDue: true });
  }
}

class DryRuns {
  #free: number;
  readonly #waiting: (() => void)[] = [];
  wanted = 0;

  constructor(most: number) {
    this.#free = most;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    this.wanted += 1;
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      this.wanted -= 1;
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}

function refusal(status: 429 | 503, message: string): HttpError {
  return new HttpError(status, message, { headers: { 'Retry-After': '5' } });
}
