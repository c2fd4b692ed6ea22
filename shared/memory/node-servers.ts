/** What one cluster says, and hears, of the servers of its project. */
export interface ServersOfProject {
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
