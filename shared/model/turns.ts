/**
 * Work on what others wrote, which may be megabytes long, in pieces. It pauses at each `yield`, at the latest after a
 * millisecond or two, so that whoever does the work can let others have the event loop (decision 170).
 */
export type InTurns<T> = Generator<undefined, T, undefined>;

/** Does all of the work at once. */
export function allAtOnce<T>(work: InTurns<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

const AT_ONCE = 256;

/** What `read` makes of each item. */
export function* eachInTurns<A, B>(items: readonly A[], read: (item: A) => B): InTurns<readonly B[]> {
  const found: B[] = [];
  for (const [index, item] of items.entries()) {
    found.push(read(item));
    if (index % AT_ONCE === AT_ONCE - 1) yield;
  }
  return found;
}

/** The texts in the order of their code units, each once. */
export function* sortedInTurns(texts: readonly string[]): InTurns<readonly string[]> {
  if (texts.length <= AT_ONCE) return [...new Set(texts)].sort();
  const middle = texts.length >> 1;
  const low = yield* sortedInTurns(texts.slice(0, middle));
  const high = yield* sortedInTurns(texts.slice(middle));
  const merged: string[] = [];
  let [left, right] = [0, 0];
  while (left < low.length || right < high.length) {
    const [a, b] = [low[left], high[right]];
    const next = b === undefined || (a !== undefined && a <= b) ? a : b;
    if (next === undefined) break;
    if (a === next) left += 1;
    if (b === next) right += 1;
    merged.push(next);
    if (merged.length % AT_ONCE === 0) yield;
  }
  return merged;
}
