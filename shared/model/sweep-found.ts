import type { Key } from './request.ts';
import type { CertificateInUse } from './tls/certificates.ts';

/** What a sweep counted on its way, for the page, the metrics and the log. */
export interface SweepFigures {
  /** Services that want a load balancer. */
  readonly services: number;
  readonly settled: number;
  /** Changes to settled load balancers of other controllers that wait for approval. */
  readonly awaitingApproval: number;
  readonly loadBalancersByState: Readonly<Record<string, number>>;
  readonly nodesWithoutAddress: readonly string[];
  /** Of the Services that were looked at. */
  readonly certificates: ReadonlyMap<Key, readonly CertificateInUse[]>;
  /** All of the cluster, where they are looked after. */
  readonly nodes: number;
  /** As their servers say; neither those in keys nor those that were told already what is wrong with them. */
  readonly nodesSettled: number;
}

/** What one controller's part of a sweep found: the keys that need work, and why others could not be looked at. */
export interface Found {
  readonly keys: readonly Key[];
  readonly warnings: readonly string[];
  /** What this controller counts of them; nothing where it was not asked to look. */
  readonly figures?: Partial<SweepFigures>;
}

export const NOTHING_FOUND: Found = { keys: [], warnings: [] };
