import { BoundedMap } from '../../shared/memory/bounded-map.ts';
import type { Outcome, Report } from '../../shared/model/outcome.ts';
import { isBlocked } from '../../shared/model/plan.ts';
import { asServiceKey, type Key } from '../../shared/model/request.ts';

export const UNSETTLED = ['progressing', 'failed', 'blocked'] as const satisfies readonly Outcome['status'][];
type State = (typeof UNSETTLED)[number];

/** How many objects are in each state, and how long the oldest of them is; 0 where none is. */
export interface UnsettledView {
  readonly count: Readonly<Record<State, number>>;
  readonly oldestMs: Readonly<Record<State, number>>;
}

const MOST_OBJECTS = 20_000;

interface Unsettled {
  readonly state: State;
  /** Since when levelset works on it, or a person has to: what was blocked and is not any more begins anew. */
  readonly sinceMs: number;
  /** A Service that had no address when it was first read; undefined until then. */
  readonly wantsAddress: boolean | undefined;
}

export class UnsettledObjects {
  readonly #objects = new BoundedMap<Key, Unsettled>(MOST_OBJECTS);
  readonly #now: () => number;

  /** @param now milliseconds of a clock that never goes back */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Returns how long a Service waited for its address, if this run gave it: milliseconds, without those when it was blocked. */
  note({ request, outcome, plan, address, durationMs }: Report): number | undefined {
    const { key, dryRun } = request;
    if (dryRun) return undefined;
    const before = this.#objects.get(key);
    // whoever is blocked is so while members follow the Nodes
    const state = outcome.status === 'progressing' && plan && isBlocked(plan) ? 'blocked' : outcome.status;
    const isAddressed = before?.wantsAddress === true && before.state !== 'blocked' && address !== undefined;
    const waitedMs = isAddressed ? this.#now() - before.sinceMs : undefined;
    if (state === 'settled') this.#objects.delete(key);
    else {
      const goesOn = before && (before.state === 'blocked') === (state === 'blocked');
      const sinceMs = goesOn ? before.sinceMs : this.#now() - durationMs;
      const wants =
        plan && (before?.wantsAddress ?? asServiceKey(key) !== undefined) && address === undefined;
      this.#objects.set(key, { state, sinceMs, wantsAddress: plan ? wants : before?.wantsAddress });
    }
    return waitedMs;
  }

  view(): UnsettledView {
    const count = { progressing: 0, failed: 0, blocked: 0 };
    const oldestMs = { progressing: 0, failed: 0, blocked: 0 };
    const now = this.#now();
    for (const { state, sinceMs } of this.#objects.values()) {
      count[state] += 1;
      oldestMs[state] = Math.max(oldestMs[state], now - sinceMs);
    }
    return { count, oldestMs };
  }
}
