import { isPending } from '../model/load-balancer/octavia.ts';
import type { Clock, Cloud } from '../ports.ts';

/** Who has a slot, or waits for one: a key of one queue. */
export interface Claimant {
  /** Those of one flow share what is free: the Services of a namespace, in several clusters with the cluster's name. */
  readonly flow: string;
  /** Called when it waited and has a slot now. */
  readonly begin: () => void;
}

/** Where keys have slots for load balancers in Octavia's hands, or wait for them. */
export interface Slots {
  /** Takes a slot. False: none is free. */
  take(claimant: Claimant): boolean | Promise<boolean>;
  /** Has a slot, whatever is free. */
  hold(claimant: Claimant): void;
  /** Waits for a slot. Who waits already keeps its age. */
  wait(claimant: Claimant): void;
  /** Gives up the slot, or the wait for one. */
  leave(claimant: Claimant): void;
}

/** Whoever has had a slot for so long is stuck: others need not wait for it any more. */
const STUCK_MS = 180_000;

/**
 * The slots for load balancers in Octavia's hands, `--concurrent-load-balancers` for each project (decision 271). A key takes one when its run makes a
 * load balancer, or makes it anew; it holds one, whatever is free, while Octavia is at work on what any run has begun. Of those that
 * wait one whose flow has the fewest slots comes first, then who waited longest.
 */
export class MemorySlots implements Slots {
  readonly #most: number;
  readonly #clock: Clock;
  /** Since when. */
  readonly #held = new Map<Claimant, number>();
  readonly #waiting = new Set<Claimant>();
  #timer: NodeJS.Timeout | undefined;

  constructor(most: number, clock: Clock) {
    this.#most = most;
    this.#clock = clock;
  }

  take(claimant: Claimant): boolean {
    if (!this.#held.has(claimant) && this.#used() >= this.#most) return false;
    this.hold(claimant);
    return true;
  }

  hold(claimant: Claimant): void {
    this.#waiting.delete(claimant);
    if (!this.#held.has(claimant)) this.#held.set(claimant, this.#clock.now());
  }

  wait(claimant: Claimant): void {
    this.#waiting.add(claimant);
    this.#offer();
  }

  leave(claimant: Claimant): void {
    this.#waiting.delete(claimant);
    this.#held.delete(claimant);
    this.#offer();
  }

  #used(): number {
    const now = this.#clock.now();
    return [...this.#held.values()].filter((sinceMs) => now - sinceMs < STUCK_MS).length;
  }

  #offer(): void {
    clearTimeout(this.#timer);
    while (this.#waiting.size > 0 && this.#used() < this.#most) {
      const next = this.#next();
      if (!next) return;
      this.hold(next);
      next.begin();
    }
    if (this.#waiting.size === 0) return;
    const now = this.#clock.now();
    const ends = [...this.#held.values()].map((sinceMs) => sinceMs + STUCK_MS).filter((at) => at > now);
    this.#timer = setTimeout(
      () => {
        this.#offer();
      },
      Math.min(...ends) - now,
    ).unref();
  }

  #next(): Claimant | undefined {
    const slotsOf = (flow: string): number =>
      [...this.#held.keys()].filter((claimant) => claimant.flow === flow).length;
    const counts = new Map([...this.#waiting].map(({ flow }) => [flow, slotsOf(flow)]));
    const fewest = Math.min(...counts.values());
    return [...this.#waiting].find(({ flow }) => counts.get(flow) === fewest);
  }
}

/** Who finds no slot looks again after so long. */
const AGAIN_MS = 5_000;

/**
 * The same slots for processes that share no memory: one list of the project's load balancers says how many are in Octavia's
 * hands. Those who count at the same moment overshoot by a few (decision 271).
 */
export class CountedSlots implements Slots {
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
