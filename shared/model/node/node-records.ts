/** Deletions of Nodes that were begun: all functions draw from the same record (decision 27). */
export interface NodeDeletion {
  readonly uid: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface RecordedDeletions {
  readonly deletions: readonly NodeDeletion[];
  /** Of the record as it was read; undefined: there was none. */
  readonly version: string | undefined;
}

const HOUR_MS = 3_600_000;

/** Of the last hour. */
export function recent(deletions: readonly NodeDeletion[], now: number): readonly NodeDeletion[] {
  return deletions.filter(({ at }) => now - at < HOUR_MS);
}

/** A CIDR that was taken for a Node, whether the Node has it yet or not (decision 29). */
export interface CidrClaim {
  readonly cidr: string;
  /** The Node's name and UID. */
  readonly node: string;
  readonly uid: string;
  /** Of the Lease as it was listed. */
  readonly lease: { readonly uid: string; readonly resourceVersion: string };
}
