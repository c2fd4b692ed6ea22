import type { Report } from '../../model/outcome.ts';
import { clusterIn, queueKeyOf, type Named, type QueueKey } from '../../model/request.ts';

interface Waiter {
  /** From the place of this message on a run counts; undefined while the message is under way. */
  from: number | undefined;
  /** Runs that ended meanwhile. */
  readonly early: (readonly [number, Report])[];
  readonly resolve: (report: Report) => void;
  readonly reject: (error: Error) => void;
}

/** Who waits for the report of a run, in whichever process it is. */
export class Asked {
  readonly #waiters = new Map<QueueKey, Set<Waiter>>();

  /** The report of the first run at the place that `queue` returns, or later. */
  async wait(named: Named, queue: () => Promise<number>): Promise<Report> {
    const key = queueKeyOf(named);
    const { promise, resolve, reject } = Promise.withResolvers<Report>();
    promise.catch(() => undefined); // it may be given up before anybody waits
    const waiter: Waiter = { from: undefined, early: [], resolve, reject };
    const waiters = this.#waiters.get(key) ?? new Set();
    this.#waiters.set(key, waiters.add(waiter));
    try {
      const from = await queue();
      waiter.from = from;
      const early = waiter.early.find(([place]) => place >= from);
      if (early) return early[1];
      return await promise;
    } finally {
      waiters.delete(waiter);
      if (waiters.size === 0) this.#waiters.delete(key);
    }
  }

  ended(place: number, report: Report): void {
    for (const { from, early, resolve } of this.#waiters.get(queueKeyOf(report.request)) ?? []) {
      if (from === undefined) early.push([place, report]);
      else if (place >= from) resolve(report);
    }
  }

  /** Nobody hears of runs any more; with `of`, of those of a cluster. */
  giveUp(error: Error, of?: string): void {
    for (const [key, waiters] of this.#waiters)
      if (of === undefined || clusterIn(key) === of) for (const { reject } of waiters) reject(error);
  }
}
