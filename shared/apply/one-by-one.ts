import { within } from '../deadline.ts';
import type { World } from '../ports.ts';

type Queues = World['memory']['queues'];

/** The time of one turn, since other runs wait for theirs. */
const TURN_MS = 10_000;

/**
 * Runs one function after the other. Many runs of one process would all try to take the same thing, and only one of
 * them would get it.
 */
export function oneByOne<T>(
  what: Parameters<Queues['get']>[0],
  { memory: { queues } }: Pick<World, 'memory'>,
  run: () => Promise<T>,
): Promise<T> {
  const turn = (): Promise<T> => within(TURN_MS, run);
  const next = (queues.get(what) ?? Promise.resolve()).then(turn, turn);
  const ended = (): void => undefined;
  queues.set(what, next.then(ended, ended));
  return next;
}
