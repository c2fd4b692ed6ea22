import type { Report } from '../model/outcome.ts';
import type { Trigger } from '../model/request.ts';
import { PRIORITY, type Priority } from './scheduling.ts';

/** The runs of one key, from the first one until the key is settled or blocked. */
export class Chain {
  #priority: Priority;
  /** How many runs in a row made no progress. */
  #idleRuns = 0;
  /** What the runs have written so far. */
  readonly #written = new Set<string>();
  /** What the last run desired. */
  #desired: string | undefined;

  constructor(trigger: Trigger) {
    this.#priority = PRIORITY[trigger];
  }

  /** The priority of the next run. */
  get priority(): Priority {
    return this.#priority;
  }

  /**
   * Notes a run. Returns how many runs in a row before it made no progress, 0 if this one did. Progress is a
   * step that no run of the chain did before, a write that never takes effect is none; or that something else is desired than by
   * the last run, as while Nodes come and go.
   */
  note({
    outcome,
    applied,
    desired = this.#desired,
  }: Pick<Report, 'outcome' | 'applied' | 'desired'>): number {
    const before = this.#written.size;
    for (const { verb, address } of applied) this.#written.add(`${verb} ${address}`);
    const isAnother = this.#desired !== undefined && desired !== this.#desired;
    this.#desired = desired;
    const progressed = this.#written.size > before || isAnother;
    if (outcome.status === 'failed') this.#priority = 'background';
    else if (progressed) this.#priority = 'soon';
    const idleRuns = progressed ? 0 : this.#idleRuns;
    this.#idleRuns = progressed ? 0 : this.#idleRuns + 1;
    return idleRuns;
  }
}
