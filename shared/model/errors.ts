/**
 * What happens after an error. Code branches on the error's code, never on its text.
 *
 * - wait: nothing is wrong, and the key is requeued soon.
 * - retry: the key is requeued with backoff.
 * - blocked: the object must change.
 * - operator: whoever runs levelset must act.
 * - bug: levelset or an API broke a promise.
 */
export type Disposition = 'wait' | 'retry' | 'blocked' | 'operator' | 'bug';

interface ErrorRow {
  readonly disposition: Disposition;
  /** Reason of the Event and of the condition on the Service. */
  readonly reason: string;
  /** HTTP status with which a dry run of `POST /resync` answers. */
  readonly status: number;
  readonly advice: string;
  /** It is an answer about one step, and says nothing of who asks, or of whether the service is there. */
  readonly ofOneStep?: true;
}

// prettier-ignore
export const ERRORS = {
  CLUSTER_HELD:        { disposition: 'wait',     reason: 'EnsuringLoadBalancer',   status: 503, advice: 'let one process at a time write to a cluster' },
  LEASE_LOST:          { disposition: 'wait',     reason: 'EnsuringLoadBalancer',   status: 202, advice: 'nothing to do: another process leads' },
  CHANGED_MEANWHILE:   { disposition: 'wait',     reason: 'EnsuringLoadBalancer',   status: 202, advice: 'nothing to do: somebody else changed it meanwhile, and it is read again', ofOneStep: true },
  LOAD_BALANCER_BUSY:  { disposition: 'wait',     reason: 'EnsuringLoadBalancer',   status: 202, advice: 'nothing to do: Octavia is still working on it' },
  FAILOVER_REFUSED:    { disposition: 'wait',     reason: 'EnsuringLoadBalancer',   status: 202, advice: 'nothing to do: the next run repairs it in another way, or says who has to' },
  BUDGET_SPENT:        { disposition: 'retry',    reason: 'SyncLoadBalancerFailed', status: 503, advice: 'check that OpenStack and the kube-apiserver answer in time; if they do, raise --reconcile-timeout (on AWS the timeout of the function reconcile)' },
  KUBE_CONFLICT:       { disposition: 'wait',     reason: 'EnsuringLoadBalancer',   status: 202, advice: 'nothing to do: the object changed meanwhile and is read again' },
  KUBE_UNAVAILABLE:    { disposition: 'retry',    reason: 'SyncLoadBalancerFailed', status: 503, advice: 'check that the kube-apiserver answers' },
  KUBE_FORBIDDEN:      { disposition: 'operator', reason: 'SyncLoadBalancerFailed', status: 500, advice: 'give the ServiceAccount the right that the message names (infra/kubernetes has all of them), or after a 401 a valid credential' },
  KUBE_DENIED:         { disposition: 'operator', reason: 'SyncLoadBalancerFailed', status: 500, advice: 'exempt levelset’s ServiceAccount from the policy, webhook or quota that the message names' },
  KUBE_WEBHOOK_FAILED: { disposition: 'retry',    reason: 'SyncLoadBalancerFailed', status: 503, advice: 'correct the admission webhook that the message names, or exempt levelset from its rules' },
  KUBE_NAMESPACE_ENDS: { disposition: 'retry',    reason: 'SyncLoadBalancerFailed', status: 503, advice: 'nothing to do if the namespace is to go: Kubernetes makes nothing new in it' },
  KUBE_REJECTED:       { disposition: 'bug',      reason: 'SyncLoadBalancerFailed', status: 500, advice: 'report this with the log line' },
  CLOUD_UNAVAILABLE:   { disposition: 'retry',    reason: 'SyncLoadBalancerFailed', status: 503, advice: 'check that the OpenStack service answers' },
  RATE_LIMITED:        { disposition: 'retry',    reason: 'SyncLoadBalancerFailed', status: 503, advice: 'nothing to do: tried again when the service allows it' },
  GONE:                { disposition: 'retry',    reason: 'SyncLoadBalancerFailed', status: 503, advice: 'nothing to do: it vanished meanwhile and is looked for again', ofOneStep: true },
  CONFLICT:            { disposition: 'retry',    reason: 'SyncLoadBalancerFailed', status: 503, advice: 'read the message: OpenStack says what is in the way', ofOneStep: true },
  ADDRESSES_EXHAUSTED: { disposition: 'retry',    reason: 'SyncLoadBalancerFailed', status: 503, advice: 'free addresses of the external network, or name another subnet of it', ofOneStep: true },
  QUOTA_EXCEEDED:      { disposition: 'retry',    reason: 'SyncLoadBalancerFailed', status: 503, advice: 'raise the quota of the project, or remove what is not used', ofOneStep: true },
  LOAD_BALANCER_ERROR: { disposition: 'operator', reason: 'SyncLoadBalancerFailed', status: 500, advice: 'ask whoever runs the cloud to run: openstack loadbalancer failover ID' },
  LOAD_BALANCER_STUCK: { disposition: 'operator', reason: 'SyncLoadBalancerFailed', status: 500, advice: 'levelset goes on by itself when that is done' },
  REJECTED:            { disposition: 'blocked',  reason: 'SyncLoadBalancerFailed', status: 422, advice: 'read the message of OpenStack and change the Service, or what cloud.conf has for it', ofOneStep: true },
  NOT_FOUND:           { disposition: 'blocked',  reason: 'SyncLoadBalancerFailed', status: 422, advice: 'name a resource that exists and that the project may see, on the Service or in cloud.conf', ofOneStep: true },
  UNAUTHORIZED:        { disposition: 'operator', reason: 'SyncLoadBalancerFailed', status: 500, advice: 'correct the user and password, or the application credential and its access rules (cloud.conf, clouds.yaml or OS_*)' },
  FORBIDDEN:           { disposition: 'operator', reason: 'SyncLoadBalancerFailed', status: 500, advice: 'unless the message names another remedy, give the OpenStack user the role that allows this call (member, for an older Octavia load-balancer_member too; creator for certificates)', ofOneStep: true },
  CONFIG_INVALID:      { disposition: 'operator', reason: 'SyncLoadBalancerFailed', status: 500, advice: 'correct the configuration' },
  UNEXPECTED_RESPONSE: { disposition: 'bug',      reason: 'SyncLoadBalancerFailed', status: 500, advice: 'report this with the log line', ofOneStep: true },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof ERRORS;

/** The advice, with the load balancer's id in the command that it has. */
export function adviceOn(code: ErrorCode, id: string | undefined): string {
  const { advice } = ERRORS[code];
  return id === undefined ? advice : advice.replace(/\bID$/, id);
}

export interface ErrorContext {
  readonly requestId?: string;
  readonly status?: number;
  /** How long the answer asked to wait (Retry-After), in milliseconds. */
  readonly retryAfterMs?: number;
  /** When the answer was sent, by the clock of the service (Date). */
  readonly serverTimeMs?: number;
  readonly isWithoutTls?: boolean;
  /** The answer was longer than any that is read: fewer objects at once may do. */
  readonly isTooLong?: true;
  /** The quota that was reached; absent if the answer does not say it. */
  readonly limit?: number;
  readonly cause?: unknown;
}

/** A failure of OpenStack, Kubernetes or the configuration. A user's mistake is a Problem in the plan instead. */
export class ReconcileError extends Error {
  override readonly name = 'ReconcileError';
  readonly code: ErrorCode;
  readonly context: ErrorContext;

  constructor(code: ErrorCode, message: string, context: ErrorContext = {}) {
    super(message, context.cause === undefined ? undefined : { cause: context.cause });
    this.code = code;
    this.context = context;
  }

  get disposition(): Disposition {
    return ERRORS[this.code].disposition;
  }
}

/** Whether the kube-apiserver, or whom it asks, refused a write, and does so until somebody acts. */
export function isRefusedWrite({ code }: ReconcileError): boolean {
  return code.startsWith('KUBE_') && code !== 'KUBE_CONFLICT' && code !== 'KUBE_UNAVAILABLE';
}

export function isTooLong(error: unknown): boolean {
  return isError(error) && error.context.isTooLong === true;
}

/** Whether an error stands in place of what was read. */
export function isError(value: unknown): value is ReconcileError {
  return value instanceof ReconcileError;
}

/** The error as one with a code. An unknown error gets UNEXPECTED_RESPONSE: it is a bug of ours or of a library. */
export function asReconcileError(error: unknown): ReconcileError {
  if (error instanceof ReconcileError) return error;
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return new ReconcileError('UNEXPECTED_RESPONSE', message, { cause: error });
}

/** The message of an error, or the text of anything else that was thrown. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
