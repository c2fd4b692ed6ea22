import type { Entry } from '../../shared/clusters/entry.ts';
import { Backoff } from '../../shared/connection-backoff.ts';
import type { Connected } from '../world.ts';

export interface Served {
  stop(): Promise<void>;
}

/** An entry of the registry, from when it was first seen until its last run has ended. */
export class Slot<S extends Served> {
  readonly name: string;
  /** As it was read last. */
  entry: Entry | undefined;
  /** What is wrong with its texts. */
  ofEntry: readonly string[] = [];
  /** Why it is not served as its texts say. */
  ofCluster: readonly string[] = [];
  told = '';
  /** The entry as it is now, and not served yet. */
  next: { readonly entry: Entry; connected: Connected | undefined } | undefined;
  served: { readonly settings: Entry['settings']; readonly its: S } | undefined;
  readonly backoff = new Backoff();
  unanswered = '';
  underWay: Promise<void> | undefined;
  isGone = false;
  ending: Promise<void> | undefined;

  constructor(name: string) {
    this.name = name;
  }

  get problems(): readonly string[] {
    return [...this.ofEntry, ...this.ofCluster];
  }
}
