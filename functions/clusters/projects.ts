import { valueWithin } from '../../shared/deadline.ts';
import { NodeServers } from '../../shared/memory/node-servers.ts';
import { MemorySlots } from '../../shared/queue/slots.ts';
import { MONOTONIC } from '../budget.ts';
import type { Connected } from '../world.ts';

const ANSWER_MS = 5_000;

/** What the clusters of one project share: the slots for load balancers in Octavia's hands, and whose Nodes its servers are. */
export class Projects {
  readonly #rooms = new Map<string, WeakRef<MemorySlots>>();
  readonly #servers = new Map<string, WeakRef<NodeServers>>();

  /** Brings a cluster into its project; the first one says how many slots there are. While Keystone does not answer it has its own project. */
  async enter({ world, project }: Pick<Connected, 'world' | 'project'>): Promise<MemorySlots> {
    const { cluster = '', config, memory } = world;
    const id = await valueWithin(ANSWER_MS, project()).catch(() => undefined);
    const servers = kept(this.#servers, id, () => new NodeServers());
    this.leave(cluster, servers);
    memory.projectServers = servers.of(cluster);
    return kept(this.#rooms, id, () => new MemorySlots(config.concurrentLoadBalancers, MONOTONIC));
  }

  /** Forgets a cluster, but for the project that it is in by now. */
  leave(cluster: string, now?: NodeServers): void {
    for (const known of this.#servers.values()) {
      const servers = known.deref();
      if (servers !== now) servers?.leave(cluster);
    }
  }
}

function kept<T extends object>(all: Map<string, WeakRef<T>>, id: string | undefined, make: () => T): T {
  const known = id === undefined ? undefined : all.get(id)?.deref();
  const its = known ?? make();
  if (id !== undefined && !known) all.set(id, new WeakRef(its));
  return its;
}
