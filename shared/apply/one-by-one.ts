import { isSettledWithin } from '../deadline.ts';
import type { World } from '../ports.ts';

type Queues = World['memory']['queues'];

/** After so long the next turn begins: what hangs holds up no other run. */
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
  const before = queues.get(what) ?? Promise.resolve();
  const turn = before.then(run);
  queues.set(
    what,
    before.then(() => isSettledWithin(turn, TURN_MS)),
  );
  return turn;
}
