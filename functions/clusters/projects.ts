import { within } from '../../shared/deadline.ts';
import type { ParkedKeys } from '../../shared/queue/parked-keys.ts';
import { parkedKeys } from '../serve/local-queue.ts';
import type { Connected } from '../world.ts';

/** The time of Keystone to say which project it is. */
const ANSWER_MS = 5_000;

/**
 * The keys that wait for Octavia's room, by project. While Keystone does not answer, a cluster has its own, until it is connected
 * again: no work for Octavia begins without a token.
 */
export class Projects {
  readonly #parked = new Map<string, WeakRef<ParkedKeys>>();

  async of(connected: Pick<Connected, 'project'>): Promise<ParkedKeys> {
    const project = await within(ANSWER_MS, () => connected.project()).catch(() => undefined);
    const known = project === undefined ? undefined : this.#parked.get(project)?.deref();
    if (known) return known;
    const made = parkedKeys();
    if (project !== undefined) this.#parked.set(project, new WeakRef(made));
    return made;
  }
}
