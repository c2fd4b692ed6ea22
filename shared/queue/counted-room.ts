import { isPending } from '../model/load-balancer/octavia.ts';
import type { Cloud } from '../ports.ts';
import type { Claimant, Places } from './room.ts';

/** Who finds no place looks again after so long. */
const AGAIN_MS = 5_000;

/**
 * The same places for processes that share no memory: one list of the project's load balancers says how many are in Octavia's
 * hands. Those who count at the same moment overshoot by a few (decision 271).
 */
export class CountedRoom implements Places {
  readonly #most: number;
  readonly #cloud: Pick<Cloud, 'list'>;
  readonly #waiting = new Map<Claimant, NodeJS.Timeout>();

  constructor(most: number, cloud: Pick<Cloud, 'list'>) {
    this.#most = most;
    this.#cloud = cloud;
  }

  async take(): Promise<boolean> {
    const all = await this.#cloud.list('loadbalancer', { fields: ['id', 'provisioning_status'] });
    return all.filter((lb) => isPending(String(lb['provisioning_status']))).length < this.#most;
  }

  /** Octavia's list has it. */
  hold(): void {
    return;
  }

  wait(claimant: Claimant): void {
    this.leave(claimant);
    const begin = (): void => {
      claimant.begin();
    };
    this.#waiting.set(claimant, setTimeout(begin, AGAIN_MS).unref());
  }

  leave(claimant: Claimant): void {
    clearTimeout(this.#waiting.get(claimant));
    this.#waiting.delete(claimant);
  }
}
