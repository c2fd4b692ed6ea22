import type { Key } from '../model/request.ts';

export type RowState = 'settled' | 'progressing' | 'blocked' | 'failed' | 'unknown';

/** What the status page and its JSON show of one Service, or of a Node or the routes while they are not settled. */
export interface StatusRow {
  /** As the command line and POST /resync take it. */
  readonly object: Key;
  readonly state: RowState;
  /** In words: what holds it up, or that nothing does. */
  readonly reason: string;
  readonly loadBalancerId?: string;
  /** Of a Node. */
  readonly serverId?: string;
  /** Other Services on that load balancer, as `NS/NAME`. */
  readonly sharedWith?: readonly string[];
  readonly address?: string;
  readonly trigger?: string;
  /** When it was last looked at, RFC 3339. */
  readonly at?: string;
  /** The last plan as text. */
  readonly plan?: string;
  readonly planSteps: number;
}

export interface StatusView {
  readonly cluster: string;
  /** RFC 3339; ages on the page count back from here. */
  readonly generatedAt: string;
  readonly rows: readonly StatusRow[];
  readonly queue?: { readonly depth: number; readonly oldestMs: number };
  readonly lastSweep?: {
    readonly at: string;
    readonly services: number;
    readonly nodes: number;
    readonly queued: number;
    readonly warnings: readonly string[];
  };
}

/** What needs a person comes first. */
export const WORST_FIRST: readonly RowState[] = ['failed', 'blocked', 'progressing', 'unknown', 'settled'];
