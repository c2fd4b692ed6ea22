import { isSettledWithin } from '../deadline.ts';
import type { World } from '../ports.ts';

type Queues = World['memory']['queues'];

/** After so long the next turn begins: what hangs holds up no other run. */
const TURN_MS = 10_000;

/** One function after the other: of many runs at once only one would get what all try to take. */
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
