import type { KubeObject, ResourceType } from './kube-objects.ts';

export interface ObjectChange {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly resource: ResourceType;
  /** As it is from now on; of a deleted object what it was last, with the version of its deletion. */
  readonly object: KubeObject;
  /** As a modified one was before. */
  readonly before?: KubeObject;
}

interface OpenWatch {
  readonly show: (change: ObjectChange) => void;
  readonly end: () => void;
}

const MOST = 10_000;

/** What changed in the cluster, in order, for watches: the last ten thousand changes. */
export class ChangeLog {
  #changes: ObjectChange[] = [];
  /** The newest version of which nothing is known any more. */
  #compacted: number;
  readonly #watches = new Set<OpenWatch>();

  constructor(compacted: number) {
    this.#compacted = compacted;
  }

  add(change: ObjectChange): void {
    this.#changes.push(change);
    const [oldest] = this.#changes.length > MOST ? this.#changes.splice(0, MOST / 2).slice(-1) : [];
    if (oldest) this.#compacted = Number(oldest.object.metadata.resourceVersion);
    for (const { show } of this.#watches) show(change);
  }

  /** All changes after a version; undefined if some of them are forgotten. */
  since(version: number): readonly ObjectChange[] | undefined {
    if (version < this.#compacted) return undefined;
    return this.#changes.filter(({ object }) => Number(object.metadata.resourceVersion) > version);
  }

  /** Forgets the changes up to a version, as etcd's compaction does. */
  compact(version: number): void {
    this.#compacted = version;
    this.#changes = this.#changes.filter(({ object }) => Number(object.metadata.resourceVersion) > version);
  }

  /** Shows each further change to a watch, until what it returns is called. */
  follow(watch: OpenWatch): () => void {
    this.#watches.add(watch);
    return () => this.#watches.delete(watch);
  }

  /** Ends all watches, as an apiserver does that restarts. */
  endWatches(): void {
    for (const { end } of [...this.#watches]) end();
  }
}
