import { looksAfterRoutes } from '../../shared/config/controllers.ts';
import type { Report } from '../../shared/model/outcome.ts';
import {
  isByPerson,
  isUnit,
  requestOf,
  scopeOf,
  type Key,
  type ReconcileRequest,
} from '../../shared/model/request.ts';
import { MemoryQueue } from '../../shared/queue/memory-queue.ts';
import { OctaviaLoad } from '../../shared/queue/octavia-load.ts';
import { ParkedKeys } from '../../shared/queue/parked-keys.ts';
import { PendingPoller } from '../../shared/queue/pending-poller.ts';
import type { QueueView } from '../../shared/report/page.ts';
import { DrainingTimers } from './draining-timers.ts';
import { ENDED, FOLLOW_MS, MONOTONIC, type ServeQueue, type ServeQueueOptions } from './serve-queue.ts';
import { Sweeper } from './sweeper.ts';

/** The queue of one process, in its memory, with the keys that wait for Octavia and the sweeps. */
export class LocalQueue implements ServeQueue {
  readonly #options: ServeQueueOptions;
  readonly #queue: MemoryQueue;
  readonly #poller: PendingPoller;
  readonly #sweeper: Sweeper;
  readonly #draining = new DrainingTimers((key) => {
    this.#queue.add(requestOf(this.#options.world, { key, trigger: 'requeue' }));
  });
  readonly #asked = new Map<Key, PromiseWithResolvers<Report>[]>();
  #isStopped = false;
  readonly #unfollow: (() => void) | undefined;

  constructor(options: ServeQueueOptions) {
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
        this.#put(found.requests);
        options.swept(found);
      },
    });
    this.#unfollow = sides?.follow(() => {
      if (this.trouble !== undefined) this.#refuseAsked(this.trouble);
    });
  }

  get trouble(): string | undefined {
    return this.#options.sides?.trouble;
  }

  start(): void {
    this.#sweeper.start();
  }

  add(requests: readonly ReconcileRequest[]): Promise<void> {
    this.#put(requests);
    return Promise.resolve();
  }

  ask(request: ReconcileRequest): Promise<Report> {
    const why = this.#isStopped ? ENDED : this.trouble;
    if (why !== undefined) return Promise.reject(new Error(why));
    const asked = Promise.withResolvers<Report>();
    this.#asked.set(request.key, [...(this.#asked.get(request.key) ?? []), asked]);
    this.#put([request]);
    return asked.promise;
  }

  view(): Promise<QueueView> {
    const depth = this.#queue.depth + this.#poller.size;
    return Promise.resolve({ depth, oldestMs: this.#queue.oldestAgeMs() });
  }

  get idle(): boolean {
    return this.#queue.depth + this.#queue.running + this.#poller.size === 0 && !this.#sweeper.busy;
  }

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

  #put(requests: readonly ReconcileRequest[]): void {
    const { readOnly } = this.#options;
    for (const request of requests) {
      if (isUnit(request.key)) this.#queue.add(readOnly ? { ...request, dryRun: true } : request);
      else this.#sweeper.request(scopeOf(request.key), { isDue: isByPerson(request), isAsked: true });
    }
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
