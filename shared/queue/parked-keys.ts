import { needsRoom } from '../model/load-balancer/octavia.ts';
import type { Report } from '../model/outcome.ts';
import {
  asServiceKey,
  clusterIn,
  isByPerson,
  queueKeyOf,
  type Named,
  type QueueKey,
  type ReconcileRequest,
} from '../model/request.ts';
import type { Clock } from '../ports.ts';
import { operationOf } from './next-look.ts';
import type { Look, OctaviaLoad } from './octavia-load.ts';
import { ReadyKeys, type Free } from './ready-keys.ts';
import { PRIORITY } from './scheduling.ts';

/** So often it is looked whether Octavia has room, whatever nobody told. */
const AGAIN_MS = 1_000;

export interface ParkedKeysOptions {
  readonly load: OctaviaLoad;
  readonly clock: Clock;
}

/** Called with a key that has room now. */
export type HasRoom = (request: ReconcileRequest) => void;

/**
 * The Services whose next step is work for Octavia that somebody wishes, while Octavia has no room for it (decision 271).
 * Each run of a Service is admitted: with room it may begin such work; without it looks all the same, does what needs no
 * room, and its key is parked if there is more. A parked key keeps its age, whatever hints come. People, new Services,
 * changes and what sweeps found go in this order, clusters and namespaces in turns (ReadyKeys). What has begun needs no more room until it has ended.
 * The queues of all clusters of one project join, each by the name of its cluster; the only one has none.
 */
export class ParkedKeys {
  readonly #options: ParkedKeysOptions;
  readonly #parked = new ReadyKeys();
  readonly #queues = new Map<
    string | undefined,
    { readonly hasRoom: HasRoom; readonly isDoubtful: () => boolean }
  >();
  /** Keys that got room and have not ended, and whether they have begun. */
  readonly #going = new Map<QueueKey, boolean>();
  #timer: NodeJS.Timeout | undefined;
  readonly #free: Free = {
    key: () => true,
    turn: () => true,
    cluster: (cluster) => !this.#isDoubtful(cluster),
  };

  constructor(options: ParkedKeysOptions) {
    this.#options = options;
  }

  /** Takes the keys of a cluster, until it leaves. While it `isDoubtful` whether its runs get answers they keep no room from others. */
  join(cluster: string | undefined, hasRoom: HasRoom, isDoubtful = (): boolean => false): void {
    this.#queues.set(cluster, { hasRoom, isDoubtful });
  }

  /** Forgets the keys of a cluster and what they began, and parks no more of them. */
  leave(cluster: string | undefined): void {
    this.#queues.delete(cluster);
    this.#parked.clear(cluster);
    for (const key of this.#going.keys()) if (clusterIn(key) === cluster) this.#going.delete(key);
    this.#options.load.forget(cluster);
    this.release();
  }

  /** How many keys of a cluster wait. */
  sizeOf(cluster: string | undefined): number {
    return this.#parked.sizeOf(cluster);
  }

  oldestSinceMs(cluster: string | undefined): number | undefined {
    return this.#parked.oldestSinceMs(cluster);
  }

  /** Whether the key got room, and has not ended. */
  isGoing(named: Named): boolean {
    return this.#going.has(queueKeyOf(named));
  }

  /** Whether a run that starts now may begin work for Octavia. */
  admit(request: ReconcileRequest): boolean {
    const key = queueKeyOf(request);
    if (!isBounded(request) || this.#going.has(key)) return true;
    if (this.#isDoubtful(request.cluster) || !this.#options.load.reserve(key)) return false;
    this.#going.set(key, false);
    this.#parked.delete(request);
    return true;
  }

  /** Notes the end of a run. Without a report it was rejected. Returns whether its key has to wait for room. */
  ended(request: ReconcileRequest, mayBegin: boolean, report: Report | undefined): boolean {
    const key = queueKeyOf(request);
    if (!isBounded(request)) return false;
    if (!this.#queues.has(request.cluster)) {
      this.#options.load.giveBack(key);
      this.#going.delete(key);
      return false;
    }
    const hasBegun = this.#noteWork(key, report);
    const { outcome } = report ?? {};
    const goesOn = outcome?.status === 'progressing';
    if (!mayBegin) {
      // it may have got room since
      if (goesOn && outcome.needsRoom !== undefined && !this.#going.has(key))
        this.#park(request, outcome.needsRoom);
      else if (!goesOn) this.#parked.delete(request);
      return goesOn && outcome.needsRoom !== undefined;
    }
    this.#options.load.giveBack(key);
    const begun = hasBegun || this.#going.get(key) === true;
    const failed = outcome === undefined || outcome.status === 'failed';
    if (goesOn || (failed && begun)) this.#going.set(key, begun);
    else this.#going.delete(key);
    return false;
  }

  /** Notes a look at load balancers. */
  looked(look: Look): void {
    this.#options.load.looked(look);
    this.release();
  }

  /** Gives what room there is to those that wait for it. */
  release(): void {
    const { load, clock } = this.#options;
    clearTimeout(this.#timer);
    while (load.hasRoom()) {
      const next = this.#parked.take(this.#free, clock.now());
      if (!next) break;
      const { request } = next;
      const key = queueKeyOf(request);
      load.reserve(key);
      this.#going.set(key, false);
      this.#queues.get(request.cluster)?.hasRoom(request);
    }
    if (this.#parked.size === 0) return;
    if (!load.hasRoom()) load.holdsBack();
    this.#timer = setTimeout(() => {
      this.release();
    }, AGAIN_MS).unref();
  }

  #isDoubtful(cluster: string | undefined): boolean {
    return this.#queues.get(cluster)?.isDoubtful() === true;
  }

  #park(request: ReconcileRequest, what: 'create' | 'change'): void {
    const isNew = what === 'create' && !isByPerson(request);
    const priority = isNew ? 'new' : PRIORITY[request.trigger];
    this.#parked.put({ request, priority, sinceMs: this.#options.clock.now() });
  }

  /** Tells what the run means for Octavia: it is at work, is not any more, or refuses. Returns whether the run put it to work. */
  #noteWork(key: QueueKey, report: Report | undefined): boolean {
    if (!report) return false;
    const { load, clock } = this.#options;
    const { outcome, durationMs, loadBalancerId } = report;
    const busy = outcome.status === 'progressing' ? outcome.waitingFor : undefined;
    const saw = outcome.status === 'settled' || busy !== undefined;
    load.ran({ key, loadBalancer: loadBalancerId, busy, sinceMs: clock.now() - durationMs, saw });
    const operation = operationOf({ applied: report.applied.filter(needsRoom) });
    if (operation && busy !== undefined) load.begin(busy, operation, key);
    if (outcome.status === 'failed' && outcome.code === 'RATE_LIMITED')
      load.refused(durationMs, outcome.retryAfterMs);
    return operation !== undefined;
  }
}

function isBounded({ key, dryRun }: ReconcileRequest): boolean {
  return asServiceKey(key) !== undefined && dryRun !== true;
}
