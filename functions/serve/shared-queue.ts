import { randomUUID } from 'node:crypto';
import { looksAfterRoutes } from '../../shared/config/controllers.ts';
import { LONGEST_TIMER_MS, withDeadline } from '../../shared/deadline.ts';
import { forgetNodes } from '../../shared/memory/listed-nodes.ts';
import type { Outcome, Report } from '../../shared/model/outcome.ts';
import { isUnit, requestOf, scopeOf, type Key, type ReconcileRequest } from '../../shared/model/request.ts';
import type { JetStreamQueue } from '../../shared/queue/jetstream/jetstream-queue.ts';
import { PendingPoller } from '../../shared/queue/pending-poller.ts';
import type { QueueView } from '../../shared/report/page.ts';
import { sweep } from '../../shared/sweep.ts';
import { ENDED, FOLLOW_MS, MONOTONIC, type ServeQueue, type ServeQueueOptions } from './serve-queue.ts';
import { LONGEST_SWEEP_MS } from './sweeper.ts';

const AGAIN_MS = 1_000;
/** So begins the cause of what a sweep finds, whatever the trigger: what is urgent comes as news. */
const OF_SWEEP = 'found by sweep ';

/**
 * The part of one cluster in a queue of several processes, in a NATS JetStream. Sweeps are keys in it, too: one at a time, by
 * whichever process, and one at each interval for all of them.
 */
export class SharedQueue implements ServeQueue {
  readonly #options: ServeQueueOptions;
  readonly #queue: JetStreamQueue;
  readonly #poller: PendingPoller;
  readonly #stopping = new AbortController();
  #next: NodeJS.Timeout | undefined;
  /** What is queued a moment after a Node changed, for all that change meanwhile. */
  readonly #soon = new Map<Key, NodeJS.Timeout>();
  #again: NodeJS.Timeout | undefined;
  #unfollow: (() => void) | undefined;
  /** The sweep, of whichever process, whose keys ran here last. */
  #sweepOfNodes: string | undefined;

  /** @param queue of this cluster alone, or where that has a name, of several. */
  constructor(options: ServeQueueOptions, queue: JetStreamQueue) {
    this.#options = options;
    this.#queue = queue;
    const { world, cluster } = options;
    const { cloud, log } = world;
    this.#poller = new PendingPoller({
      cloud,
      cluster,
      memory: world.memory,
      clock: MONOTONIC,
      log,
      ready: (request) => {
        this.#put(request);
      },
    });
  }

  /** From now on keys of the cluster run here. */
  start(): void {
    const { world, told, sides } = this.#options;
    this.#unfollow = sides?.follow(() => {
      if (sides.trouble !== undefined && world.cluster !== undefined)
        this.#queue.refuseAsked(world.cluster, new Error(sides.trouble));
    });
    this.#queue.join(world.cluster, {
      ...(sides && { sides }),
      run: (request) => (isUnit(request.key) ? this.#run(request) : this.#sweep(request)),
      waiting: this.#poller,
      told: (report) => {
        if (isUnit(report.request.key)) told(report);
      },
    });
    this.#queue.start();
    this.#put({ key: 'all', trigger: 'sweep' });
    this.#scheduleSweep();
  }

  async add(requests: readonly ReconcileRequest[]): Promise<void> {
    await Promise.all(requests.map((request) => this.#queue.add(request)));
  }

  ask(request: ReconcileRequest): Promise<Report> {
    const silence = this.#options.sides?.trouble;
    return silence === undefined ? this.#queue.ask(request) : Promise.reject(new Error(silence));
  }

  async view(): Promise<QueueView> {
    const isShared = this.#options.world.cluster === undefined ? {} : { ofAllClusters: true as const };
    const { trouble } = this.#queue;
    if (trouble !== undefined) return { trouble, ...isShared };
    try {
      return { ...(await this.#queue.depth()), ofAllReplicas: true, ...isShared };
    } catch (error) {
      return { trouble: String(error), ...isShared };
    }
  }

  /** That of a queue of several clusters is the process's. */
  get trouble(): string | undefined {
    return this.#options.world.cluster === undefined ? this.#queue.trouble : undefined;
  }

  get idle(): boolean {
    return this.#queue.runningOf(this.#options.world.cluster) + this.#poller.size + this.#soon.size === 0;
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#unfollow?.();
    this.#poller.stop();
    clearTimeout(this.#next);
    clearTimeout(this.#again);
    for (const [key, timer] of this.#soon) {
      clearTimeout(timer);
      this.#put({ key, trigger: 'requeue' }); // for another process
    }
    this.#soon.clear();
    const { cluster } = this.#options.world;
    await (cluster === undefined ? this.#queue.stop() : this.#queue.leave(cluster, new Error(ENDED)));
  }

  /**
   * At the full interval by the time of day, or the cluster's moment in it: all processes ask at about the same time, and JetStream
   * takes the first message of one cause alone.
   */
  #scheduleSweep(): void {
    const { world, turns } = this.#options;
    const everyMs = Math.min(LONGEST_TIMER_MS, world.config.sweepIntervalMs);
    const momentMs = turns?.momentMs(everyMs) ?? 0;
    const turn = Math.floor((Date.now() - momentMs) / everyMs) + 1;
    const wait = (): void => {
      const leftMs = Math.ceil(turn * everyMs + momentMs - Date.now());
      if (leftMs > 0) {
        this.#next = setTimeout(wait, leftMs).unref();
        return;
      }
      this.#put({ key: 'all', trigger: 'sweep', cause: `sweep ${turn}` });
      this.#scheduleSweep();
    };
    wait();
  }

  async #run(request: ReconcileRequest): Promise<Report> {
    const { trigger, cause } = request;
    // another process may have swept, since a Node changed: the Nodes listed here may be those of before
    const isSwept = trigger === 'sweep' || cause?.startsWith(OF_SWEEP) === true;
    if (isSwept && (cause === undefined || cause !== this.#sweepOfNodes)) {
      forgetNodes(this.#options.world);
      this.#sweepOfNodes = cause;
    }
    const report = await this.#options.run(request);
    const { membersMoved, nodesWithoutAddress = [] } = report;
    if (nodesWithoutAddress.length > 0) this.#lookAgain();
    if (membersMoved) {
      const follow: readonly Key[] = looksAfterRoutes(this.#options.world.config)
        ? ['nodeset', 'routes']
        : ['nodeset'];
      for (const key of follow) this.#putSoon(key);
    }
    return report;
  }

  #putSoon(key: Key): void {
    if (this.#soon.has(key)) return;
    const put = (): void => {
      this.#soon.delete(key);
      this.#put({ key, trigger: 'requeue' });
    };
    if (this.#stopping.signal.aborted) put();
    else this.#soon.set(key, setTimeout(put, FOLLOW_MS).unref());
  }

  /** Sweeps the node set, unless its next sweep is scheduled: that one comes later each time, for all replicas. */
  #lookAgain(): void {
    if (this.#again || this.#stopping.signal.aborted) return;
    this.#again = setTimeout(() => {
      this.#again = undefined;
      this.#put({ key: 'nodeset', trigger: 'sweep' });
    }, AGAIN_MS).unref();
  }

  /** A sweep that failed, or that found a Node without an address, comes back later each time. */
  async #sweep(request: ReconcileRequest): Promise<Report> {
    const began = performance.now();
    const { world, swept, turns } = this.#options;
    const intervalMs = world.config.sweepIntervalMs;
    const end = began + (turns ? Math.min(LONGEST_SWEEP_MS, intervalMs) : LONGEST_SWEEP_MS);
    const { signal } = this.#stopping;
    const remainingMs = (): number => (signal.aborted ? 0 : Math.max(0, end - performance.now()));
    const found = await withDeadline({ remainingMs }, () => sweep(world, scopeOf(request.key)));
    const cause = `${OF_SWEEP}${randomUUID()}`;
    await this.add(found.requests.map((one) => ({ ...one, cause })));
    if (!signal.aborted) swept(found);
    const isDone = found.failed === undefined && found.nodesWithoutAddress.length === 0;
    const retryAfterMs = Math.max(AGAIN_MS, found.retryAfterMs ?? 0);
    const outcome: Outcome = isDone
      ? { status: 'settled' }
      : { status: 'progressing', reason: found.failed ?? 'a Node has no address yet', retryAfterMs };
    const durationMs = performance.now() - began;
    return { request, outcome, applied: [], durationMs, calls: 0, failedRequestIds: [] };
  }

  #put(request: ReconcileRequest): void {
    this.#queue.add(requestOf(this.#options.world, request)).catch((error: unknown) => {
      this.#options.world.log.error('a key could not be queued', {
        object: request.key,
        error: String(error),
      });
    });
  }
}
