import type { Report } from '../../shared/model/outcome.ts';
import type { Key, ReconcileRequest } from '../../shared/model/request.ts';
import type { Log } from '../../shared/ports.ts';
import type { StatusView } from '../../shared/report/page.ts';
import type { ObjectView } from '../../shared/report/page/object-view.ts';
import type { VerifySender } from './admit.ts';
import type { TriggerCounts } from '../../shared/trigger/causes.ts';

/** Why events are refused. Each is mended in another place. */
export type RefusalReason = 'token' | 'path' | 'body' | 'aborted' | 'queue';

export interface ServerOptions {
  /** The values of `:cluster` in /audit and /events that are accepted: --cluster-name and the id of the cluster. */
  readonly clusters: readonly string[];
  readonly auditTokens: readonly string[];
  readonly resyncTokens: readonly string[];
  /** For the page and the metrics, if `open` is false. */
  readonly pageTokens?: readonly string[];
  /** True on loopback: page and metrics need no token. */
  readonly open: boolean;
  readonly verifySender?: VerifySender;
  /** User names of levelset itself. Audit events about their writes are ignored. */
  readonly self: readonly string[];
  readonly enqueue: (requests: readonly ReconcileRequest[]) => Promise<void>;
  /** Runs objects dry, now. Returns the reports in the order of the requests. */
  readonly dryRun: (requests: readonly ReconcileRequest[]) => Promise<readonly Report[]>;
  readonly status: () => Promise<StatusView>;
  /** What the page of one object shows, whose key the text may be; absent: objects have no pages. Throws HttpError 404. */
  readonly object?: (key: string) => Promise<ObjectView>;
  readonly metrics: () => Promise<{ readonly contentType: string; readonly body: string }>;
  /** The sides that do not answer, in words. Empty: ready. */
  readonly ready: () => Promise<readonly string[]>;
  readonly observeAudit?: (counts: TriggerCounts, keys: readonly Key[]) => void;
  readonly observeRefusal?: (reason: RefusalReason) => void;
  /** What /readyz says beside `ready`, to whoever may see the page: it makes nothing unready. */
  readonly notes?: () => readonly string[] | Promise<readonly string[]>;
  readonly log: Log;
}
