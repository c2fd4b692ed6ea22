import { createHash } from 'node:crypto';
import type { Report } from '../model/outcome.ts';
import type { Trigger } from '../model/request.ts';
import { PRIORITY, type Priority } from './scheduling.ts';

/** What the runs of a chain leave to the next one, where that may be in another process. */
export interface ChainState {
  /** How many runs in a row made no progress. */
  readonly attempt: number;
  /** Marks of what the runs have written, the newest last. */
  readonly written?: readonly string[];
  /** Mark of what the last run desired. */
  readonly desired?: string;
}

/** More steps than a unit takes. Beyond these a step that is done again counts as progress once more. */
const MOST_MARKS = 500;

/** The runs of one key, from the first one until the key is settled or blocked. */
export class Chain {
  #priority: Priority;
  #idleRuns: number;
  /** Marks of what the runs have written so far. */
  readonly #written: Set<string>;
  #desired: string | undefined;

  constructor(trigger: Trigger, { attempt, written = [], desired }: ChainState = { attempt: 0 }) {
    this.#priority = PRIORITY[trigger];
    this.#idleRuns = attempt;
    this.#written = new Set(written);
    this.#desired = desired;
  }

  get state(): ChainState {
    const written = [...this.#written].slice(-MOST_MARKS);
    return {
      attempt: this.#idleRuns,
      ...(written.length > 0 && { written }),
      ...(this.#desired !== undefined && { desired: this.#desired }),
    };
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
  note({ outcome, applied, desired }: Pick<Report, 'outcome' | 'applied' | 'desired'>): number {
    const before = this.#written.size;
    for (const { verb, address } of applied) this.#written.add(markOf(`${verb} ${address}`));
    const mark = desired === undefined ? this.#desired : markOf(desired);
    const isAnother = this.#desired !== undefined && mark !== this.#desired;
    this.#desired = mark;
    const progressed = this.#written.size > before || isAnother;
    if (outcome.status === 'failed') this.#priority = 'background';
    else if (progressed) this.#priority = 'soon';
    const idleRuns = progressed ? 0 : this.#idleRuns;
    this.#idleRuns = progressed ? 0 : this.#idleRuns + 1;
    return idleRuns;
  }
}

/** Eight characters: two of the few hundred steps of a unit are hardly the same. */
function markOf(step: string): string {
  return createHash('sha256').update(step).digest('base64url').slice(0, 8);
}
