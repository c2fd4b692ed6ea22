import { looksAfterRoutes } from '../../shared/config/controllers.ts';
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
import type { Clock, World } from '../../shared/ports.ts';
import { MemoryQueue } from '../../shared/queue/memory-queue.ts';
import { OctaviaLoad } from '../../shared/queue/octavia-load.ts';
import { ParkedKeys } from '../../shared/queue/parked-keys.ts';
import { PendingPoller } from '../../shared/queue/pending-poller.ts';
import type { SharedPlaces } from '../../shared/queue/places.ts';
import type { Sides } from '../../shared/queue/sides.ts';
import type { QueueView } from '../../shared/report/page.ts';
import type { Sweep } from '../../shared/sweep.ts';
import { DrainingTimers } from './draining-timers.ts';
import { Sweeper, type SweepTurns } from './sweeper.ts';

/** What one of several clusters of a process shares with the others. */
export interface SharedAmongClusters {
  /** The keys that wait for Octavia's room, of all clusters of one project. */
  readonly parked?: ParkedKeys;
  /** The places for runs. */
  readonly places?: SharedPlaces;
  /** When the cluster is swept. */
  readonly turns?: SweepTurns;
  /** No run begins while one of them does not answer. */
  readonly sides?: Sides;
}

export interface LocalQueueOptions extends SharedAmongClusters {
  readonly world: World;
  readonly cluster: () => Promise<ClusterIdentity>;
  /** Sweeps change nothing. */
  readonly readOnly: boolean;
  /** Runs one unit. */
  readonly run: (request: ReconcileRequest) => Promise<Report>;
  /** Called for every sweep that ended. */
  readonly swept: (found: Sweep) => void;
}

/** The delay of a run of the routes after a Node changed. One serves all Nodes that join or leave meanwhile. */
const FOLLOW_MS = 500;

/** How long keys wait and runs take. Who sets the time of day makes neither longer. */
export const MONOTONIC: Clock = { now: () => performance.now() };

/** For those who wait for a run that does not begin any more. */
export const ENDED = 'the work on this cluster ended before the run began: ask again';

/** The queue of one process, in its memory, with the keys that wait for Octavia and the sweeps. */
export class LocalQueue {
  readonly #options: LocalQueueOptions;
  readonly #queue: MemoryQueue;
  readonly #poller: PendingPoller;
  readonly #sweeper: Sweeper;
  readonly #draining = new DrainingTimers((key) => {
    this.#queue.add(requestOf(this.#options.world, { key, trigger: 'requeue' }));
  });
  readonly #asked = new Map<Key, PromiseWithResolvers<Report>[]>();
  #isStopped = false;
  readonly #unfollow: (() => void) | undefined;

  constructor(options: LocalQueueOptions) {
    this.#options = options;
    const { world, cluster, readOnly, turns, places, sides, parked = parkedKeys() } = options;
    const { cloud, log, config, memory } = world;
    const ofCluster = world.cluster === undefined ? {} : { cluster: world.cluster };
    const goOn = (request: ReconcileRequest): void => {
      this.#queue.goOn(request);
    };
    parked.join(world.cluster, goOn, () => sides?.isDoubtful === true);
    this.#poller = new PendingPoller({
      cloud,
      cluster,
      memory,
      clock: MONOTONIC,
      log,
      looked: (look) => {
        parked.looked({ ...look, ...ofCluster });
      },
      ready: (request) => {
        this.#queue.add(request);
      },
    });
    this.#queue = new MemoryQueue({
      ...ofCluster,
      run: (request) => this.#run(request),
      concurrency: config.concurrentServiceSyncs,
      ...(places && { shared: places }),
      clock: MONOTONIC,
      waiting: this.#poller,
      parked,
      ...(sides && { sides }),
      isNew: (key) => !memory.holders.has(key),
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
    this.#unfollow = sides?.follow(() => {
      if (sides.trouble !== undefined) this.#refuseAsked(sides.trouble);
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
      else this.#sweeper.request(scopeOf(request.key), { isDue: isByPerson(request), isAsked: true });
    }
  }

  /** Queues a unit and returns the report of a run that began after that. */
  ask(request: ReconcileRequest): Promise<Report> {
    const why = this.#isStopped ? ENDED : this.#options.sides?.trouble;
    if (why !== undefined) return Promise.reject(new Error(why));
    const asked = Promise.withResolvers<Report>();
    this.#asked.set(request.key, [...(this.#asked.get(request.key) ?? []), asked]);
    this.add([request]);
    return asked.promise;
  }

  view(): QueueView {
    return { depth: this.#queue.depth + this.#poller.size, oldestMs: this.#queue.oldestAgeMs() };
  }

  /** True when nothing is queued, running or waiting for Octavia, and no sweep runs or is about to run. */
  get idle(): boolean {
    return this.#queue.depth + this.#queue.running + this.#poller.size === 0 && !this.#sweeper.busy;
  }

  /** Begins no run any more, and resolves when those under way have ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#unfollow?.();
    this.#poller.stop();
    this.#draining.stop();
    const stopped = Promise.all([this.#sweeper.stop(), this.#queue.stop()]);
    this.#refuseAsked(ENDED);
    await stopped;
  }

  #refuseAsked(why: string): void {
    for (const asked of [...this.#asked.values()].flat()) asked.reject(new Error(why));
    this.#asked.clear();
  }

  async #run(request: ReconcileRequest): Promise<Report> {
    const asked = this.#asked.get(request.key) ?? [];
    this.#asked.delete(request.key);
    const report = await this.#options.run(request);
    if (!request.dryRun) this.#follow(report);
    for (const { resolve } of asked) resolve(report);
    return report;
  }

  #follow({ request, drainedInMs, nodesWithoutAddress = [], membersMoved }: Report): void {
    if (nodesWithoutAddress.length > 0) this.#sweeper.lookAgain();
    if (!this.#isStopped) this.#draining.set(request.key, drainedInMs);
    if (membersMoved) this.#followNodes();
  }

  /**
   * Queues what depends on Nodes after levelset wrote one, since audit events about its own writes are
   * ignored.
   */
  #followNodes(): void {
    this.#sweeper.requestMembersSoon();
    if (looksAfterRoutes(this.#options.world.config))
      this.#queue.add(requestOf(this.#options.world, { key: 'routes', trigger: 'requeue' }), FOLLOW_MS);
  }
}

/** The keys of one project that wait for Octavia's room. */
export function parkedKeys(): ParkedKeys {
  return new ParkedKeys({ load: new OctaviaLoad(MONOTONIC), clock: MONOTONIC });
}
