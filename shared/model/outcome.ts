import { type ErrorCode, ERRORS, type ReconcileError, type Disposition } from './errors.ts';
import type { CertificateInUse } from './tls/certificate-facts.ts';
import type { ReconcileRequest, Key } from './request.ts';
import type { Step, Plan } from './plan.ts';

/** settled: all is as desired, as far as allowed. progressing: the key is requeued. blocked: the object must change first. */
export type Outcome =
  | { readonly status: 'settled' }
  | {
      readonly status: 'progressing';
      readonly reason: string;
      readonly retryAfterMs: number;
      /** Id of the load balancer that is busy. One list call polls all busy load balancers together. */
      readonly waitingFor?: string;
      /** The run is to make a load balancer, and as many as may be are in Octavia's hands. */
      readonly needsSlot?: true;
      /** The Service shares a load balancer, and its run is not the one of the group (ReconcileRequest.inGroup). */
      readonly needsGroup?: true;
    }
  | { readonly status: 'blocked'; readonly reason: string }
  | {
      readonly status: 'failed';
      readonly code: ErrorCode;
      readonly message: string;
      readonly retryAfterMs: number;
    };

export interface Report {
  readonly request: ReconcileRequest;
  readonly outcome: Outcome;
  readonly plan?: Plan;
  readonly applied: readonly Step[];
  readonly loadBalancerId?: string;
  readonly address?: string;
  /** Names of eligible nodes without an IP address. The node set is read again until there are none. */
  readonly nodesWithoutAddress?: readonly string[];
  readonly certificates?: readonly CertificateInUse[];
  /** Hash of what was desired. Two runs in a row with different ones: somebody changed what is asked for. */
  readonly desired?: string;
  /** A Node changed or gave up its CIDRs, so a sweep checks members, and Nodes that wait for a CIDR. */
  readonly membersMoved?: true;
  /** The object is not there, and has left nothing. */
  readonly missing?: true;
  readonly durationMs: number;
  readonly calls: number;
  readonly failedRequestIds: readonly string[];
}

/** The part of a Report that a controller makes. The shared code adds the request, the duration and the calls. */
export type Run = Pick<
  Report,
  | 'outcome'
  | 'plan'
  | 'applied'
  | 'loadBalancerId'
  | 'address'
  | 'nodesWithoutAddress'
  | 'certificates'
  | 'desired'
  | 'membersMoved'
  | 'missing'
>;

/** What a sweep counts, for the status page, the metrics and the log. */
export interface SweepFigures {
  readonly services: number;
  /** Number of Services that levelset does not look after any more (decision 150). */
  readonly released: number;
  readonly settled: number;
  /** Number of Services that were compared with everything on their load balancers. */
  readonly comparedInFull: number;
  /** Number of changes to adopted load balancers that wait for approval. */
  readonly awaitingApproval: number;
  /** Absent if the load balancers could not be listed. */
  readonly loadBalancersByState?: Readonly<Record<string, number>>;
  readonly nodesWithoutAddress: readonly string[];
  /** Services that began or ceased to want a load balancer, and on which nobody has worked since. */
  readonly changed: readonly Key[];
  readonly certificates: ReadonlyMap<Key, readonly CertificateInUse[]>;
  readonly nodes: number;
  readonly nodesSettled: number;
  /** Nodes that could be compared with their servers. None of many: Nova cannot be read. */
  readonly nodesCompared: number;
}

export interface Found {
  readonly keys: readonly Key[];
  readonly warnings: readonly string[];
  readonly incomplete?: boolean;
  /** This controller's part of the figures; absent if the controller was not part of the sweep. */
  readonly figures?: Partial<SweepFigures>;
}

export const NOTHING_FOUND: Found = { keys: [], warnings: [] };

export function reasonOf(outcome: Outcome): string {
  switch (outcome.status) {
    case 'settled':
      return 'as desired';
    case 'failed':
      return outcome.message;
    case 'progressing':
    case 'blocked':
      return outcome.reason;
  }
}

/** The first delay before another try, in milliseconds. The queue doubles it. */
export const RETRY_MS = 1_000;

export function outcomeOfError(error: ReconcileError): Outcome {
  const retryAfterMs = error.context.retryAfterMs ?? RETRY_MS;
  if (ERRORS[error.code].disposition === 'wait') {
    return { status: 'progressing', reason: error.message, retryAfterMs };
  }
  if (ERRORS[error.code].disposition === 'blocked') {
    return { status: 'blocked', reason: `${error.message} (${ERRORS[error.code].advice})` };
  }
  return { status: 'failed', code: error.code, message: error.message, retryAfterMs };
}

const ACTORS: Readonly<Record<Disposition, string>> = {
  wait: 'nobody',
  retry: 'whoever runs the cluster or the cloud, if it lasts',
  blocked: 'whoever owns the object',
  operator: 'whoever runs levelset or the cloud',
  bug: 'whoever runs levelset',
};

/** Who must act after a run, and what there is to do, in words; undefined if nobody must. */
export function whoActs(outcome: Outcome, plan: Plan | undefined): string | undefined {
  switch (outcome.status) {
    case 'progressing':
      return undefined;
    case 'failed': {
      const { disposition, advice } = ERRORS[outcome.code];
      return `${ACTORS[disposition]}: ${advice}`;
    }
    case 'blocked': {
      const codes = (plan?.problems ?? []).flatMap(({ code }) => code ?? []);
      return codes.some((code) => ERRORS[code].disposition === 'operator') ? ACTORS.operator : ACTORS.blocked;
    }
    case 'settled':
      return plan && (plan.problems.length > 0 || waitsForApproval(plan)) ? ACTORS.blocked : undefined;
  }
}

function waitsForApproval({ awaitingApproval, refused }: Plan): boolean {
  return awaitingApproval.length > 0 || refused.some(({ approval }) => approval !== undefined);
}
