/** What one process remembers from one run to the next, one for each World. It saves calls: a process without it does the same things. */
import type { NeutronPort, Server } from '../model/node/nova.ts';
import type { Key } from '../model/request.ts';
import type { WireResource } from '../model/resources.ts';
import { Answers } from './answers.ts';
import { BoundedMap } from './bounded-map.ts';
import { LoadBalancers } from './load-balancers.ts';

export interface Memory {
  readonly answers: Answers;
  /** So long one list of Nodes serves all runs of a process: a second, or where changes of Nodes are told until the next look at them. */
  nodesKeptMs: number;
  readonly nodePorts: Answers;
  /** By what objects can do without: until when nobody asks for it again, in milliseconds since 1970. */
  readonly unanswered: BoundedMap<string, number>;

  /** Services that want a load balancer, or of which OpenStack had something, when they were last looked at. */
  readonly holders: BoundedMap<Key, true>;

  readonly loadBalancers: LoadBalancers;

  /** By port: the answer to the last write, or undefined after one that failed. The next write waits for it. */
  readonly portWrites: BoundedMap<string, Promise<WireResource | undefined>>;
  /** By router: how many routes it takes, as Neutron said. */
  readonly fullRouters: BoundedMap<string, FullRouter>;

  /** Whose Nodes the servers of the project are; absent where a process serves one cluster. */
  projectServers?: ServersOfProject;
  readonly servers: Batch<Server>;
  readonly serversByNode: Batch<readonly Server[]>;
  readonly serverPorts: Batch<readonly NeutronPort[]>;
  /** The last run that takes from the deletion budget, for which the next one waits. */
  readonly deletions: { last: Promise<unknown> };
}

interface FullRouter {
  readonly limit: number;
  readonly until: number;
}

export interface Batch<T> {
  waiting: string[];
  /** When an id was last asked for `lately`, in milliseconds since 1970: an earlier list would have done. */
  readonly asked: Map<string, number>;
  next?: Promise<ReadonlyMap<string, T>> | undefined;
  kept?: { readonly until: number; readonly found: ReadonlyMap<string, T> };
}

/** More than a project has of anything. What a full map drops is read again. */
const MOST = 5_000;

/** Of what is on load balancers, a kilobyte or two each. What is dropped costs the next run a look in full. */
const MOST_RESOURCES = 50_000;

const MOST_PORTS = 1_000;

/** Each entry keeps all ports of a project, for one state of its Nodes. */
const MOST_LISTS = 4;

export function newMemory(): Memory {
  return {
    answers: new Answers(MOST),
    nodesKeptMs: 1_000,
    nodePorts: new Answers(MOST_LISTS),
    unanswered: new BoundedMap(MOST),
    holders: new BoundedMap(MOST),
    loadBalancers: new LoadBalancers(MOST_RESOURCES),
    portWrites: new BoundedMap(MOST_PORTS),
    fullRouters: new BoundedMap(MOST),
    servers: newBatch(),
    serversByNode: newBatch(),
    serverPorts: newBatch(),
    deletions: { last: Promise.resolve() },
  };
}

/** Forgets everything, as in a process that starts. No run may be under way. */
export function forgetAll(memory: Memory): void {
  Object.assign(memory, newMemory());
}

export function newBatch<T>(): Batch<T> {
  return { waiting: [], asked: new Map() };
}

/** What one cluster says, and hears, of the servers of its project. */
interface ServersOfProject {
  claim(servers: readonly string[]): void;
  /** The servers that are Nodes of other clusters: the same set until one changes. */
  others(): ReadonlySet<string>;
}

/** The servers of a project, by the cluster that had them as Nodes first, of those that one process serves, and still has them. */
export class NodeServers {
  readonly #holders = new Map<string, string>();
  readonly #others = new Map<string, ReadonlySet<string>>();

  of(cluster: string): ServersOfProject {
    return {
      claim: (servers) => {
        this.#release(cluster, new Set(servers));
        const free = servers.filter((server) => !this.#holders.has(server));
        for (const server of free) this.#holders.set(server, cluster);
        if (free.length > 0) this.#others.clear();
      },
      others: () => {
        const held = [...this.#holders].filter(([, holder]) => holder !== cluster);
        const others = this.#others.get(cluster) ?? new Set(held.map(([server]) => server));
        this.#others.set(cluster, others);
        return others;
      },
    };
  }

  leave(cluster: string): void {
    this.#release(cluster, new Set());
  }

  #release(cluster: string, kept: ReadonlySet<string>): void {
    for (const [server, holder] of this.#holders)
      if (holder === cluster && !kept.has(server)) {
        this.#holders.delete(server);
        this.#others.clear();
      }
  }
}
