import { within } from '../../shared/deadline.ts';
import { Room } from '../../shared/queue/room.ts';
import { MONOTONIC } from '../budget.ts';
import type { Connected } from '../world.ts';

/** The time of Keystone to say which project it is. */
const ANSWER_MS = 5_000;

/** The places for load balancers in Octavia's hands, which the clusters of one project share. */
export class Projects {
  readonly #rooms = new Map<string, WeakRef<Room>>();

  /**
   * That of a cluster's project. While Keystone does not answer, a cluster has one of its own until it is connected again: no work for
   * Octavia begins without a token. The first cluster of a project says how many places there are.
   */
  async roomOf({ world, project }: Pick<Connected, 'world' | 'project'>): Promise<Room> {
    const id = await within(ANSWER_MS, () => project()).catch(() => undefined);
    const known = id === undefined ? undefined : this.#rooms.get(id)?.deref();
    if (known) return known;
    const room = new Room(world.config.concurrentLoadBalancers, MONOTONIC);
    if (id !== undefined) this.#rooms.set(id, new WeakRef(room));
    return room;
  }
}
