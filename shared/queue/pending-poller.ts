import type { Report } from '../model/outcome.ts';
import type { Key, ReconcileRequest } from '../model/request.ts';
import type { Clock, Cloud, Log } from '../ports.ts';
import { FIRST_REQUEUE_MS, LONGEST_REQUEUE_MS } from './scheduling.ts';
import type { WaitingKeys } from './memory-queue.ts';
import { LEAST_GAP_MS, nextLookMs, operationOf } from './next-look.ts';
import type { Look } from './octavia-load.ts';
import type { Operation } from '../memory/durations.ts';
import type { Memory } from '../memory/memory.ts';
import { isPending } from '../model/load-balancer/octavia.ts';
import { clusterTag, type ClusterIdentity } from '../model/ownership.ts';
import { Silence, type Delays } from '../silence.ts';

/** The first look at a load balancer comes after so long: then Octavia may be done with a change. */
const FIRST_LOOK_MS = 500;
/** It comes no later, however long a report or this cloud's past says: a list costs the same for one more. */
const LATEST_FIRST_LOOK_MS = 1_500;
/** After lists that fail in a row, besides the least gap. */
const OF_FAILURE: Delays = { firstMs: 2 * FIRST_REQUEUE_MS, longestMs: LONGEST_REQUEUE_MS };

export interface PendingPollerOptions {
  readonly cloud: Pick<Cloud, 'list' | 'get'>;
  readonly cluster: () => Promise<ClusterIdentity>;
  readonly memory: Pick<Memory, 'durations' | 'freed'>;
  /** The monotonic clock: who sets the time of day back holds up no key. */
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
  /** Called with what each list says of all load balancers. */
  readonly looked?: (look: Look) => void;
  /** Called with a key whose load balancer is no longer busy, or gone. */
  readonly ready: (request: ReconcileRequest) => void;
  /** [0, 1), for the jitter. */
  readonly random?: () => number;
}

interface Waiting {
  readonly request: ReconcileRequest;
  readonly loadBalancer: string;
  readonly sinceMs: number;
  readonly operation: Operation | undefined;
  /** The key is not ready before, whatever its load balancer does. */
  readonly notBeforeMs: number;
  dueMs: number;
}

/**
 * Polls all busy load balancers with one list call at a time, at most one a second, and for no more than half of the time
 * where a list takes long. A load balancer without the cluster's tag is in no such list: it is read by its id when its key is
 * due, unless it is being deleted. Each key has its own times (nextLookMs), so that it is late by a second or by a fortieth of the duration; every poll
 * counts for all keys. Keys that share a load balancer are requeued one at a time. After a second list in a row that fails,
 * the keys that are due run and look for themselves.
 */
export class PendingPoller implements WaitingKeys {
  readonly #options: PendingPollerOptions;
  readonly #random: () => number;
  readonly #waiting = new Map<Key, Waiting>();
  readonly #silence: Silence;
  #timer: NodeJS.Timeout | undefined;
  #listing = false;
  #notBeforeMs = 0;
  #stopped = false;

  constructor(options: PendingPollerOptions) {
    this.#options = options;
    this.#random = options.random ?? Math.random;
    this.#silence = new Silence(() => options.clock.now());
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Keeps the key of a Report that is progressing with `waitingFor`. Any other key is ready at once. */
  wait(request: ReconcileRequest, report: Report, leastMs = 0): void {
    const { outcome } = report;
    if (outcome.status !== 'progressing' || outcome.waitingFor === undefined) {
      this.#options.ready(request);
      return;
    }
    const operation = operationOf(report);
    const expectedMs = operation && this.#options.memory.durations.quickest(operation);
    const guessMs = Math.min(
      LATEST_FIRST_LOOK_MS,
      Math.max(FIRST_LOOK_MS, expectedMs ?? outcome.retryAfterMs),
    );
    const now = this.#options.clock.now();
    this.#waiting.set(request.key, {
      request,
      loadBalancer: outcome.waitingFor,
      sinceMs: now,
      operation,
      notBeforeMs: now + leastMs,
      dueMs: now + Math.max(guessMs, leastMs),
    });
    this.#schedule();
  }

  has(key: Key): boolean {
    return this.#waiting.has(key);
  }

  forget(key: Key): void {
    if (this.#waiting.delete(key)) this.#schedule();
  }

  stop(): void {
    this.#stopped = true;
    this.#waiting.clear();
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#stopped || this.#listing || this.#waiting.size === 0) return;
    const dueMs = [...this.#waiting.values()].reduce((first, { dueMs }) => Math.min(first, dueMs), Infinity);
    const delayMs = Math.max(dueMs, this.#notBeforeMs) - this.#options.clock.now();
    const poll = (): void => {
      this.#poll().catch((error: unknown) => {
        this.#options.log.warn('the poll of busy load balancers failed', { error: String(error) });
      });
    };
    this.#timer = setTimeout(poll, Math.max(0, Math.ceil(delayMs)));
    this.#timer.unref();
  }

  async #poll(): Promise<void> {
    const { cloud, cluster, clock, log, looked = () => undefined } = this.#options;
    this.#listing = true;
    const asked = [...this.#waiting.values()];
    const begunMs = clock.now();
    try {
      const now = clock.now();
      const due = asked.filter(({ dueMs, operation }) => dueMs <= now && operation !== 'delete');
      const unlisted = due.map(({ loadBalancer }) => loadBalancer);
      const found = await findStatuses(unlisted, cloud, await cluster());
      this.#silence.end();
      const taken = new Set<string>();
      const tookMs = clock.now() - begunMs;
      this.#notBeforeMs = begunMs + Math.max(LEAST_GAP_MS, 2 * tookMs);
      looked({ statuses: found, atMs: begunMs });
      for (const waiting of asked) {
        // what is deleted leaves the list; the run of its key looks for itself
        const gone = waiting.operation === 'delete' ? 'DELETED' : undefined;
        this.#judge(waiting, found.get(waiting.loadBalancer) ?? gone, taken);
      }
    } catch (error) {
      const silentMs = this.#silence.begin(OF_FAILURE, this.#random());
      if (this.#silence.failures > 1) this.#letThemLook(asked);
      this.#notBeforeMs = clock.now() + LEAST_GAP_MS + Math.round(silentMs);
      log.warn('cannot list the busy load balancers', { error: String(error) });
    } finally {
      this.#listing = false;
      this.#schedule();
    }
  }

  /** Requeues the keys whose time has come: their own runs look at their load balancers. */
  #letThemLook(asked: readonly Waiting[]): void {
    const now = this.#options.clock.now();
    for (const waiting of asked) {
      const { key } = waiting.request;
      if (this.#waiting.get(key) !== waiting || Math.max(waiting.dueMs, waiting.notBeforeMs) > now) continue;
      this.#waiting.delete(key);
      this.#options.ready(waiting.request);
    }
  }

  /**
   * Requeues a key whose load balancer is ready. Of several keys with one load balancer only the first is
   * requeued, since its write makes the others wait. If the load balancer is still busy, the key gets its
   * next time. `status` undefined: this poll did not look at the load balancer.
   */
  #judge(waiting: Waiting, status: string | undefined, taken: Set<string>): void {
    const { key } = waiting.request;
    const now = this.#options.clock.now();
    if (status === undefined || this.#waiting.get(key) !== waiting) return;
    const isBusy = isPending(status);
    if (!isBusy && now < waiting.notBeforeMs) return;
    if (!isBusy && taken.has(waiting.loadBalancer)) {
      waiting.dueMs = now + LEAST_GAP_MS;
      return;
    }
    if (!isBusy) {
      taken.add(waiting.loadBalancer);
      if (waiting.operation) this.#options.memory.durations.learn(waiting.operation, now - waiting.sinceMs);
      this.#waiting.delete(key);
      if (status === 'ACTIVE') this.#options.memory.freed.set(waiting.loadBalancer, key);
      this.#options.ready(waiting.request);
      return;
    }
    waiting.dueMs = Math.max(waiting.dueMs, now + nextLookMs(now - waiting.sinceMs));
  }
}

/** At most so many load balancers are read by their ids at a time. The others wait for the next poll. */
const READ_AT_ONCE = 20;

/**
 * The provisioning statuses of load balancers, by their ids: one list call for those of the cluster, and one
 * GET for each other one of `ids`, which another controller made or which is gone. One that cannot be read
 * is gone or UNKNOWN, which is free: the run of its key says why.
 */
export async function findStatuses(
  ids: readonly string[],
  cloud: Pick<Cloud, 'list' | 'get'>,
  cluster: ClusterIdentity,
): Promise<ReadonlyMap<string, string>> {
  const query = { tags: clusterTag(cluster), fields: ['id', 'provisioning_status'] };
  const listed = await cloud.list('loadbalancer', query);
  const found = new Map(listed.map((lb) => [lb.id, String(lb['provisioning_status'])]));
  const others = [...new Set(ids)].filter((id) => !found.has(id)).slice(0, READ_AT_ONCE);
  const read = async (id: string): Promise<readonly [string, string]> => {
    const lb = await cloud.get('loadbalancer', id);
    return [id, lb ? String(lb['provisioning_status']) : 'DELETED'];
  };
  const answers = await Promise.all(others.map((id) => read(id).catch(() => [id, 'UNKNOWN'] as const)));
  return new Map([...found, ...answers]);
}
