/** What Octavia is busy with, in the words of PENDING_*. */
export type Operation = 'create' | 'update' | 'delete' | 'failover';

const REMEMBERED = 9;

/** How long Octavia took lately for each kind of write, as this process saw it. */
export class Durations {
  readonly #seen = new Map<Operation, readonly number[]>();

  learn(operation: Operation, durationMs: number): void {
    const seen = this.#seen.get(operation) ?? [];
    this.#seen.set(operation, [...seen, durationMs].slice(-REMEMBERED));
  }

  /** The first quartile of the durations, in milliseconds; undefined before the first one. */
  quickest(operation: Operation): number | undefined {
    const sorted = [...(this.#seen.get(operation) ?? [])].sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 4)];
  }
}
