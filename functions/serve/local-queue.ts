import { looksAfterRoutes } from '../../shared/config/controllers.ts';
import { listNodesNow } from '../../shared/memory/listed-nodes.ts';
import { errorText } from '../../shared/model/errors.ts';
import { fingerprintOf } from '../../shared/model/node/node.ts';
import type { Report } from '../../shared/model/outcome.ts';
import type { ClusterIdentity } from '../../shared/model/ownership.ts';
import {
  isByPerson,
  isUnit,
  requestOf,
  scopeOf,
  type Key,
  type ReconcileRequest,
} from '../../shared/model/request.ts';
import type { World } from '../../shared/ports.ts';
import { BusyLoadBalancers } from '../../shared/queue/busy-load-balancers.ts';
import { Queue, type MayCreate, type QueueOptions } from '../../shared/queue/queue.ts';
import { Room } from '../../shared/queue/room.ts';
import { Window } from '../../shared/queue/window.ts';
import type { QueueView } from '../../shared/report/page.ts';
import type { Sweep } from '../../shared/sweep.ts';
import { MONOTONIC } from '../budget.ts';
import { Sweeper, type SweepTurns } from './sweeper.ts';

/** What one of several clusters of a process shares with the others. */
export interface SharedAmongClusters {
  /** The places for load balancers in Octavia's hands, of all clusters of one project. */
  readonly room?: Room;
  /** When the cluster is swept. */
  readonly turns?: SweepTurns;
}

interface LocalQueueOptions extends SharedAmongClusters {
  readonly world: World;
  readonly cluster: () => Promise<ClusterIdentity>;
  /** Sweeps change nothing. */
  readonly readOnly: boolean;
  /** Runs one unit. */
  readonly run: QueueOptions['run'];
  /** Called for every sweep that ended. */
  readonly swept: (found: Sweep) => void;
}

/** The delay of a run of the routes after a Node changed. One serves all Nodes that join or leave meanwhile. */
const FOLLOW_MS = 500;

/** For those who wait for a run that does not begin any more. */
export const ENDED = 'the work on this cluster ended before the run began: ask again';

/** The queue of one process, in its memory, with the keys that wait for Octavia and the sweeps. */
export class LocalQueue {
  readonly #options: LocalQueueOptions;
  readonly #queue: Queue;
  readonly #busy: BusyLoadBalancers;
  readonly #sweeper: Sweeper;
  /** Of changes of Nodes. */
  readonly #window = new Window((): unknown => this.#lookAtNodes()); // which never rejects
  /** What counts of the Nodes, as they were at the last look. */
  #nodes: string | undefined;
  readonly #asked = new Map<Key, PromiseWithResolvers<Report>[]>();
  #isStopped = false;

  constructor(options: LocalQueueOptions) {
    this.#options = options;
    const { world, cluster, readOnly, turns } = options;
    const { cloud, log, config, memory } = world;
    const { room = new Room(config.concurrentLoadBalancers, MONOTONIC) } = options;
    // runs that come back see the Nodes as the last look did, so that each look is one change of a pool
    memory.nodesKeptMs = config.sweepIntervalMs;
    this.#busy = new BusyLoadBalancers({ cloud, cluster, clock: MONOTONIC, log });
    this.#queue = new Queue({
      run: (request, mayCreate) => this.#run(request, mayCreate),
      concurrency: config.concurrentServiceSyncs,
      clock: MONOTONIC,
      busy: this.#busy,
      room,
    });
    this.#sweeper = new Sweeper({
      world,
      intervalMs: config.sweepIntervalMs,
      readOnly,
      ...(turns && { turns }),
      swept: (found) => {
        this.add(found.requests);
        options.swept(found);
      },
    });
  }

  /** Starts the work, with a sweep first and then at each interval. */
  start(): void {
    this.#sweeper.start();
  }

  /** Units are run, and for any other key a sweep queues what it finds. */
  add(requests: readonly ReconcileRequest[]): void {
    const { readOnly } = this.#options;
    for (const request of requests) {
      if (isUnit(request.key)) this.#queue.add(readOnly ? { ...request, dryRun: true } : request);
      else if (request.key === 'nodeset' && !isByPerson(request)) this.#window.touch();
      else this.#sweeper.request(scopeOf(request.key), { isDue: isByPerson(request), isAsked: true });
    }
  }

  /** Queues a unit and returns the report of a run that began after that. */
  ask(request: ReconcileRequest): Promise<Report> {
    if (this.#isStopped) return Promise.reject(new Error(ENDED));
    const asked = Promise.withResolvers<Report>();
    this.#asked.set(request.key, [...(this.#asked.get(request.key) ?? []), asked]);
    this.add([request]);
    return asked.promise;
  }

  view(): QueueView {
    return { depth: this.#queue.depth, oldestMs: this.#queue.oldestAgeMs() };
  }

  /** True when nothing is queued, running or waiting for Octavia, and no sweep runs or is about to run. */
  get idle(): boolean {
    return this.#queue.depth + this.#queue.running === 0 && !this.#sweeper.busy && !this.#window.isOpen;
  }

  /** Begins no run any more, and resolves when those under way have ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#busy.stop();
    this.#window.stop();
    const stopped = Promise.all([this.#sweeper.stop(), this.#queue.stop()]);
    this.#refuseAsked(ENDED);
    await stopped;
  }

  #refuseAsked(why: string): void {
    for (const asked of [...this.#asked.values()].flat()) asked.reject(new Error(why));
    this.#asked.clear();
  }

  async #run(request: ReconcileRequest, mayCreate: MayCreate): Promise<Report> {
    const asked = this.#asked.get(request.key) ?? [];
    this.#asked.delete(request.key);
    const report = await this.#options.run(request, mayCreate);
    if (!request.dryRun) this.#follow(report);
    for (const { resolve } of asked) resolve(report);
    return report;
  }

  #follow({ nodesWithoutAddress = [], membersMoved }: Report): void {
    if (nodesWithoutAddress.length > 0) this.#sweeper.lookAgain();
    if (membersMoved) this.#followNodes();
  }

  /** Sweeps the Services, if anything of the Nodes has changed that counts: its lists tell of all load balancers what each run would ask for. */
  async #lookAtNodes(): Promise<void> {
    const { world } = this.#options;
    try {
      const nodes = fingerprintOf(await listNodesNow(world));
      if (this.#nodes === nodes) return;
      this.#nodes = nodes;
    } catch (error) {
      world.log.warn('the Nodes cannot be listed: a sweep tries again', { reason: errorText(error) });
    }
    this.#sweeper.request(scopeOf('nodeset'), { isDue: true, isAsked: true });
  }

  /**
   * Queues what depends on Nodes after levelset wrote one, since audit events about its own writes are
   * ignored.
   */
  #followNodes(): void {
    this.#window.touch();
    if (looksAfterRoutes(this.#options.world.config))
      this.#queue.add(requestOf(this.#options.world, { key: 'routes', trigger: 'requeue' }), FOLLOW_MS);
  }
}
