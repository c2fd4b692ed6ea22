import { within } from '../../shared/deadline.ts';
import type { ParkedKeys } from '../../shared/queue/parked-keys.ts';
import { Side } from '../../shared/queue/side.ts';
import { MONOTONIC, parkedKeys } from '../serve/local-queue.ts';
import type { Connected } from '../world.ts';

/** The time of Keystone to say which project it is. */
const ANSWER_MS = 5_000;

/** What the clusters of one project share. */
export interface Project {
  /** The keys that wait for Octavia's room. */
  readonly parked: ParkedKeys;
  /** Its OpenStack, as the runs for all of them have met it. */
  readonly cloud: Side;
}

export function newProject(): Project {
  return { parked: parkedKeys(), cloud: new Side('OpenStack', MONOTONIC) };
}

/** The projects of the clusters of one process. */
export class Projects {
  readonly #projects = new Map<string, WeakRef<Project>>();

  /**
   * That of a cluster: `own`, if no other cluster is in it. While Keystone does not answer, a cluster has its own until it is
   * connected again: no work for Octavia begins without a token.
   */
  async of(connected: Pick<Connected, 'project'>, own: Project): Promise<Project> {
    const met = own.cloud.begin();
    const project = await within(ANSWER_MS, () => connected.project()).catch(() => undefined);
    met();
    const known = project === undefined ? undefined : this.#projects.get(project)?.deref();
    if (known) return known;
    if (project !== undefined) this.#projects.set(project, new WeakRef(own));
    return own;
  }
}
