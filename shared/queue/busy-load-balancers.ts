import { inTime } from '../deadline.ts';
import { isPending } from '../model/load-balancer/octavia.ts';
import { clusterTag, type ClusterIdentity } from '../model/ownership.ts';
import type { Report } from '../model/outcome.ts';
import type { Key } from '../model/request.ts';
import type { Clock, Cloud, Log } from '../ports.ts';
import { LONGEST_REQUEUE_MS } from './scheduling.ts';

/** The first look at a load balancer comes after so long: then Octavia may be done with a change. */
const FIRST_LOOK_MS = 500;
/** It comes no later, however long a report says: a list costs the same for one more. */
const LATEST_FIRST_LOOK_MS = 1_500;
/** One list call serves all that wait. */
const LEAST_GAP_MS = 1_000;
/** The next look comes after this share of the time so far. */
const SHARE = 1 / 40;
/** A list that hangs is given up after so long. */
const LONGEST_LIST_MS = 5_000;
const AFTER_FAILURE_MS = 2_000;

interface BusyLoadBalancersOptions {
  readonly cloud: Pick<Cloud, 'list' | 'get'>;
  readonly cluster: () => Promise<ClusterIdentity>;
  /** The monotonic clock: who sets the time of day back holds up no key. */
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
}

interface Waiting {
  readonly key: Key;
  readonly ready: () => void;
  readonly loadBalancer: string;
  readonly sinceMs: number;
  readonly isDeleted: boolean;
  /** The key is not ready before, whatever its load balancer does. */
  readonly notBeforeMs: number;
  dueMs: number;
}

/**
 * The keys whose load balancer is busy. One list call at a time looks at all of them, at most one a second, and for no more than half of
 * the time where a list takes long. A load balancer without the cluster's tag is in no such list: it is read by its id when its
 * key is due, unless it is being deleted. Each key is late by a second or by a fortieth of the duration. Of keys that share a
 * load balancer one is ready at a time. After a second list in a row that fails, the keys that are due are ready: their runs look for
 * themselves.
 */
export class BusyLoadBalancers {
  readonly #options: BusyLoadBalancersOptions;
  readonly #waiting = new Map<Key, Waiting>();
  #timer: NodeJS.Timeout | undefined;
  #listing = false;
  #notBeforeMs = 0;
  #failures = 0;
  #stopped = false;

  constructor(options: BusyLoadBalancersOptions) {
    this.#options = options;
  }

  /** Calls `ready` when the load balancer that a run waits for is not busy any more, or gone, and `leastMs` are over. */
  wait({ request: { key }, outcome, applied }: Report, leastMs: number, ready: () => void): void {
    if (outcome.status !== 'progressing' || outcome.waitingFor === undefined) {
      ready();
      return;
    }
    const firstMs = Math.min(LATEST_FIRST_LOOK_MS, Math.max(FIRST_LOOK_MS, outcome.retryAfterMs));
    const now = this.#options.clock.now();
    this.#waiting.set(key, {
      key,
      ready,
      loadBalancer: outcome.waitingFor,
      sinceMs: now,
      isDeleted: applied.some(({ verb, kind }) => verb === 'delete' && kind === 'loadbalancer'),
      notBeforeMs: now + leastMs,
      dueMs: now + Math.max(firstMs, leastMs),
    });
    this.#schedule();
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
    const look = (): void => {
      this.#look().catch((error: unknown) => {
        this.#options.log.warn('the list of busy load balancers failed', { error: String(error) });
      });
    };
    this.#timer = setTimeout(look, Math.max(0, Math.ceil(delayMs))).unref();
  }

  async #look(): Promise<void> {
    const { clock, log } = this.#options;
    this.#listing = true;
    const asked = [...this.#waiting.values()];
    const begunMs = clock.now();
    try {
      const due = asked.filter(({ dueMs, isDeleted }) => dueMs <= begunMs && !isDeleted);
      const found = await inTime(this.#statuses(due), 'list the busy load balancers', LONGEST_LIST_MS);
      this.#failures = 0;
      this.#notBeforeMs = begunMs + Math.max(LEAST_GAP_MS, 2 * (clock.now() - begunMs));
      const taken = new Set<string>();
      for (const one of asked) this.#judge(one, found.get(one.loadBalancer), taken);
    } catch (error) {
      this.#failures += 1;
      this.#notBeforeMs = clock.now() + AFTER_FAILURE_MS;
      log.warn('cannot list the busy load balancers', { error: String(error) });
      const isDue = ({ dueMs, notBeforeMs }: Waiting): boolean => Math.max(dueMs, notBeforeMs) <= clock.now();
      if (this.#failures > 1) for (const one of asked.filter(isDue)) this.#free(one);
    } finally {
      this.#listing = false;
      this.#schedule();
    }
  }

  /** `status` undefined: it is in no list, and nobody has read it. What is deleted leaves the list. */
  #judge(one: Waiting, status: string | undefined, taken: Set<string>): void {
    const now = this.#options.clock.now();
    if (status === undefined && !one.isDeleted) return;
    if (status !== undefined && isPending(status))
      one.dueMs = Math.max(one.dueMs, now + nextLookMs(now - one.sinceMs));
    else if (taken.has(one.loadBalancer)) one.dueMs = now + LEAST_GAP_MS;
    else if (now >= one.notBeforeMs) {
      taken.add(one.loadBalancer);
      this.#free(one);
    }
  }

  #free(one: Waiting): void {
    if (this.#waiting.get(one.key) !== one) return; // it waits anew, or not any more
    this.#waiting.delete(one.key);
    one.ready();
  }

  async #statuses(due: readonly Waiting[]): Promise<ReadonlyMap<string, string>> {
    const { cloud, cluster } = this.#options;
    return findStatuses(
      due.map(({ loadBalancer }) => loadBalancer),
      cloud,
      await cluster(),
    );
  }
}

/** Milliseconds until the next look at a load balancer that Octavia has been at work on for `elapsedMs`. */
function nextLookMs(elapsedMs: number): number {
  return Math.round(Math.min(LONGEST_REQUEUE_MS, Math.max(LEAST_GAP_MS, elapsedMs * SHARE)));
}

/** At most so many load balancers are read by their ids at a time. The others wait for the next look. */
const READ_AT_ONCE = 20;

/**
 * The provisioning statuses of load balancers, by their ids: one list call for those of the cluster, and one
 * GET for each other one of `ids`, which another controller made or which is gone. One that cannot be read
 * is gone or UNKNOWN, which is free: the run of its key says why.
 */
async function findStatuses(
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
