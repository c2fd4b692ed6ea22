/** Counts what was done, for the summary. */
export class Tally {
  total = 0;
  readonly #counts = new Map<string, { done: number; missed: number }>();

  /** `worked`: false for an edit that found nothing to work on, or was refused. */
  count(what: string, worked: boolean): void {
    const counts = this.#counts.get(what) ?? { done: 0, missed: 0 };
    counts[worked ? 'done' : 'missed']++;
    this.#counts.set(what, counts);
    if (worked) this.total++;
  }

  lines(): readonly string[] {
    return [...this.#counts].toSorted().map(([name, { done, missed }]) => {
      const more = missed > 0 ? ` (${missed} more were refused, or found nothing)` : '';
      return `${String(done).padStart(5)}  ${name}${more}`;
    });
  }
}
