import type { Report } from '../../shared/model/outcome.ts';
import type { ReconcileRequest } from '../../shared/model/request.ts';
import type { Log } from '../../shared/ports.ts';
import type { StatusView } from '../../shared/report/page.ts';
import type { TriggerCounts } from '../../shared/trigger/causes.ts';

/** What the ways in need; world.ts fills it. */
export interface ServerOptions {
  /** Names accepted in /audit/:cluster and /events/:cluster: the cluster's id and --cluster-name. */
  readonly clusters: readonly string[];
  readonly auditTokens: readonly string[];
  readonly resyncTokens: readonly string[];
  /** For the page and the metrics, when `open` is false. */
  readonly pageTokens?: readonly string[];
  /** True when listening on loopback: page and metrics need no token. */
  readonly open: boolean;
  /** Own user names, whose audit events are dropped. */
  readonly self: readonly string[];
  readonly enqueue: (requests: readonly ReconcileRequest[]) => Promise<void>;
  /** One unit of work now. */
  readonly reconcile: (request: ReconcileRequest) => Promise<Report>;
  readonly status: () => Promise<StatusView>;
  readonly metrics: () => Promise<{ readonly contentType: string; readonly body: string }>;
  /** What is missing, in words; empty when ready. */
  readonly ready: () => Promise<readonly string[]>;
  /** Told of every delivery that was read, for the metrics. */
  readonly observeAudit?: (counts: TriggerCounts) => void;
  readonly log: Log;
}
