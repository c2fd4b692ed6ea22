/** Counts what was done, for the summary. */
export class Tally {
  readonly #done = new Map<string, number>();
  readonly #missed = new Map<string, number>();

  /** `worked`: false for an edit that found nothing to work on, or was refused. */
  count(what: string, worked: boolean): void {
    const counts = worked ? this.#done : this.#missed;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }

  get total(): number {
    return [...this.#done.values()].reduce((sum, count) => sum + count, 0);
  }

  of(what: string): number {
    return this.#done.get(what) ?? 0;
  }

  lines(): readonly string[] {
    const names = [...new Set([...this.#done.keys(), ...this.#missed.keys()])].sort();
    return names.map((name) => {
      const missed = this.#missed.get(name) ?? 0;
      return `${String(this.of(name)).padStart(5)}  ${name}${missed > 0 ? ` (${missed} more were refused, or found nothing)` : ''}`;
    });
  }
}
