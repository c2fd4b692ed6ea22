const queues = new WeakMap<object, Promise<unknown>>();

/** What many Nodes that one process works on at once would all try at the same time, and only one of them get. */
export function oneByOne<T>(what: object, run: () => Promise<T>): Promise<T> {
  const next = (queues.get(what) ?? Promise.resolve()).then(run, run);
  queues.set(
    what,
    next.catch(() => undefined),
  );
  return next;
}
