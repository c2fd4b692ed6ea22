import { asServiceKey, type Key } from '../model/request.ts';
import { PRIORITIES, type Priority } from './scheduling.ts';

export interface Wanted {
  readonly key: Key;
  readonly priority: Priority;
  /** When it was first wanted, in milliseconds. */
  readonly sinceMs: number;
}

/** For so long a key is overtaken by what is more urgent, at most. */
export const AGED_MS = 10_000;
const LATER_MS: Readonly<Record<Priority, number>> = { soon: 0, event: AGED_MS / 2, background: AGED_MS };

/** The keys that take turns with others: the Services of one namespace; all Nodes and the routes. */
export function turnOf(key: Key): string {
  return asServiceKey(key)?.namespace ?? '';
}

/**
 * Keys that may run now. Which priority goes next follows from the age of its oldest key, less what its urgency is worth. Of one
 * priority namespaces take turns, and within a namespace keys go in their order.
 */
export class Ready<W extends Wanted> {
  readonly #classes = PRIORITIES.map((priority) => new Class<W>(LATER_MS[priority]));

  put(wanted: W): void {
    this.#classOf(wanted).put(wanted);
  }

  /** Call it before the priority of a key changes. */
  delete(wanted: W): void {
    this.#classOf(wanted).delete(wanted);
  }

  /** Removes and returns the next key. */
  take(): W | undefined {
    const ranks = this.#classes.map(({ rank }) => rank);
    const next = this.#classes[ranks.indexOf(Math.min(...ranks))];
    return next?.take();
  }

  #classOf({ priority }: W): Class<W> {
    const found = this.#classes[PRIORITIES.indexOf(priority)];
    if (!found) throw new Error(`there is no priority ${priority}`);
    return found;
  }
}

/** The keys of one priority. */
class Class<W extends Wanted> {
  readonly #laterMs: number;
  /** By age. */
  readonly #all = new Set<W>();
  readonly #turns = new Map<string, Set<W>>();

  constructor(laterMs: number) {
    this.#laterMs = laterMs;
  }

  /** When its oldest key came, and so much later; Infinity without one. */
  get rank(): number {
    const [oldest] = this.#all;
    return oldest ? oldest.sinceMs + this.#laterMs : Infinity;
  }

  put(wanted: W): void {
    const turn = turnOf(wanted.key);
    this.#all.add(wanted);
    this.#turns.set(turn, (this.#turns.get(turn) ?? new Set<W>()).add(wanted));
  }

  delete(wanted: W): void {
    const turn = turnOf(wanted.key);
    this.#all.delete(wanted);
    this.#turns.get(turn)?.delete(wanted);
    if (this.#turns.get(turn)?.size === 0) this.#turns.delete(turn);
  }

  /** The first key of the turn that is next, which comes last after that. */
  take(): W | undefined {
    const [[turn, keys] = []] = this.#turns;
    const [next] = keys ?? [];
    if (turn === undefined || !keys || !next) return undefined;
    this.delete(next);
    if (!this.#turns.delete(turn)) return next;
    this.#turns.set(turn, keys);
    return next;
  }
}
