import type { World } from '../ports.ts';

type Queues = World['memory']['queues'];

/**
 * One run after the other. Many Nodes that one process works on at once would all try to take the same thing, and only one of
 * them would get it.
 */
export function oneByOne<T>(
  what: Parameters<Queues['get']>[0],
  { memory: { queues } }: Pick<World, 'memory'>,
  run: () => Promise<T>,
): Promise<T> {
  const next = (queues.get(what) ?? Promise.resolve()).then(run, run);
  queues.set(
    what,
    next.catch(() => undefined),
  );
  return next;
}
