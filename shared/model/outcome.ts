import type { CertificateInUse } from './tls/certificate-facts.ts';
import type { ErrorCode } from './errors.ts';
import type { Plan, Step } from './plan.ts';
import type { ReconcileRequest, Key } from './request.ts';

export type Outcome =
  | { readonly status: 'settled' }
  | {
      readonly status: 'progressing';
      readonly reason: string;
      readonly retryAfterMs: number;
      /** The load balancer that is waited for; pending ones are polled together with one list call. */
      readonly waitingFor?: string;
    }
  | { readonly status: 'blocked'; readonly reason: string }
  | {
      readonly status: 'failed';
      readonly code: ErrorCode;
      readonly message: string;
      readonly retryAfterMs: number;
    };

/** What one run of the pipeline found, did and left. */
export interface Report {
  readonly request: ReconcileRequest;
  readonly outcome: Outcome;
  /** Undefined when the run ended before there was a plan. */
  readonly plan?: Plan;
  readonly applied: readonly Step[];
  readonly loadBalancerId?: string;
  /** What is published; several with a comma between them. */
  readonly address?: string;
  /** Eligible nodes that cannot be members yet; the node set is looked at again until there are none. */
  readonly nodesWithoutAddress?: readonly string[];
  /** When the first member of a node that leaves is to go: the key is looked at again then. */
  readonly drainedInMs?: number;
  /** That its listeners are to use; undefined when that was not found out. */
  readonly certificates?: readonly CertificateInUse[];
  /** A Node was changed, or left its CIDRs: members of load balancers, and who waits for a CIDR, are to be looked at. */
  readonly membersMoved?: true;
  readonly durationMs: number;
  /** OpenStack requests made by this run. */
  readonly calls: number;
  /** OpenStack request ids of the calls that failed. */
  readonly failedRequestIds: readonly string[];
}

/** What a unit's own page answers; who ran it, when and at what cost is added to it. */
export type Run = Pick<
  Report,
  | 'outcome'
  | 'plan'
  | 'applied'
  | 'loadBalancerId'
  | 'address'
  | 'nodesWithoutAddress'
  | 'drainedInMs'
  | 'certificates'
  | 'membersMoved'
>;

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
