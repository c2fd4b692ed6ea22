import { clusterIn, queueKeyOf, type Named, type QueueKey } from '../../model/request.ts';
import type { Hold } from './hold.ts';

/** So many runs of a cluster go on here that have left their partitions. Its other keys come back later. */
const MOST_LEFT = 8;

interface Running {
  readonly ended: Promise<void>;
  readonly hold: Hold;
}

/** The runs of this process, at most one for each key. */
export class Runs {
  readonly #running = new Map<QueueKey, Running>();

  /** The run of this key that has left its partition and goes on. */
  leftOf(named: Named): Hold | undefined {
    const { hold } = this.#running.get(queueKeyOf(named)) ?? {};
    return hold?.isLeft ? hold : undefined;
  }

  /** False: too many runs of its cluster have left their partitions and go on. */
  mayBegin(named: Named): boolean {
    return this.#ofCluster(named.cluster).filter(({ hold }) => hold.isLeft).length < MOST_LEFT;
  }

  /** Runs a key after its run in this process has ended, whose message was handed out anew while the connection was away. */
  async alone(named: Named, hold: Hold, run: () => Promise<void>): Promise<void> {
    const key = queueKeyOf(named);
    const ran = Promise.resolve(this.#running.get(key)?.ended).then(run);
    const running = { ended: ran.catch(() => undefined), hold };
    this.#running.set(key, running);
    try {
      await ran;
    } finally {
      hold.close();
      if (this.#running.get(key) === running) this.#running.delete(key);
    }
  }

  countOf(cluster: string | undefined): number {
    return this.#ofCluster(cluster).length;
  }

  /** Resolves when those that go on have ended. */
  async ended(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }

  async endedOf(cluster: string): Promise<void> {
    await Promise.all(this.#ofCluster(cluster).map(({ ended }) => ended));
  }

  #ofCluster(cluster: string | undefined): readonly Running[] {
    return [...this.#running].flatMap(([key, running]) => (clusterIn(key) === cluster ? [running] : []));
  }
}
