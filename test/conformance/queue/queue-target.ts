import type { Report } from '../../../shared/model/outcome.ts';
import type { ReconcileRequest } from '../../../shared/model/request.ts';

export type Run = (request: ReconcileRequest) => Promise<Report>;

/** A queue that the suite is held against. Each `open` begins with nothing in it. */
export interface QueueTarget {
  readonly name: string;
  /** Whether what is queued outlives the process. */
  readonly isDurable: boolean;
  /** Whether events run a key twice a second at most. */
  readonly rests: boolean;
  open(run: Run): Promise<OpenQueue>;
  close(): Promise<void>;
}

export interface OpenQueue {
  offer(...requests: readonly ReconcileRequest[]): Promise<void>;
  /** The process ends as SIGTERM makes it, and what runs is done. */
  stop(): Promise<void>;
  /** After `stop`: another process goes on with what is in the queue. */
  reopen(): Promise<void>;
}
