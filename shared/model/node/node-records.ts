/**
 * A deletion of a Node that levelset began. All processes share one record of these, for the deletion budget (decision
 * 27).
 */
export interface NodeDeletion {
  readonly uid: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface RecordedDeletions {
  readonly deletions: readonly NodeDeletion[];
  /** Version of the record as it was read; undefined if there was none. */
  readonly version: string | undefined;
}

const HOUR_MS = 3_600_000;

/** The deletions of the last hour. */
export function recent(deletions: readonly NodeDeletion[], now: number): readonly NodeDeletion[] {
  return deletions.filter(({ at }) => now - at < HOUR_MS);
}

/** A CIDR that is claimed for a Node, whether the Node has it yet or not (decision 29). */
export interface CidrClaim {
  readonly cidr: string;
  /** Name of the Node. */
  readonly node: string;
  /** UID of the Node. */
  readonly uid: string;
  /** The Lease that is the claim, as it was listed. */
  readonly lease: { readonly uid: string; readonly resourceVersion: string };
}
