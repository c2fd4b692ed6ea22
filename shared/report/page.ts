import type { Key } from '../model/request.ts';

export type RowState = 'settled' | 'progressing' | 'blocked' | 'failed' | 'unknown';

/** One row of the status page and its JSON: a Service, or a Node or the routes while they are not settled. */
export interface StatusRow {
  /** The key, as the command line and POST /resync take it. */
  readonly object: Key;
  readonly state: RowState;
  /** Why the object is in this state, in words. */
  readonly reason: string;
  readonly loadBalancerId?: string;
  /** The id of a Node's server. */
  readonly serverId?: string;
  /** Other Services on that load balancer, as `NS/NAME`. */
  readonly sharedWith?: readonly string[];
  readonly address?: string;
  readonly trigger?: string;
  /** The time of the last run, RFC 3339. */
  readonly at?: string;
  /** The last plan as text. */
  readonly plan?: string;
  /** The steps of the last plan. */
  readonly planSteps: number;
  /** The changes of the last plan that a person may approve. */
  readonly awaitingApproval?: number;
  /** The problems of the last plan, such as annotations that are not applied. */
  readonly problems?: number;
  /** Steps of drift, as the last plan has it. */
  readonly drift?: number;
  /** What Octavia says of the load balancer, such as ONLINE; absent if there is none, or nobody has asked. */
  readonly operatingStatus?: string;
  /** Since when the object is in this state, RFC 3339: by its condition, else as this process has seen it. */
  readonly since?: string;
  /** The time of the last answer, RFC 3339, while nobody can say whether it is still so. */
  readonly unknownSince?: string;
  /** Who must act, and what to do; absent if nobody must. */
  readonly act?: string;
  /** When the key runs again, RFC 3339; absent: when the object changes, and in a sweep that finds something to do. */
  readonly nextAt?: string;
}

/** A collection that `serve --watch` follows. */
export interface WatchView {
  readonly name: string;
  /** Why no changes come; absent while they do. */
  readonly trouble?: string;
}

/** Whether events come. */
export interface WebhookView {
  /** The time of the last batch of events that was accepted, RFC 3339. */
  readonly lastAccepted?: string;
  /** Requests that were refused, by reason. */
  readonly refused: Readonly<Record<string, number>>;
  /** Why events do not come, in words. */
  readonly trouble?: string;
}

/** What the deletion budget has counted in the last hour: Nodes, and load balancers whose Service has vanished. */
export interface DeletionsView {
  readonly nodes: number;
  readonly loadBalancers: number;
  /** The share of each that may go in an hour. */
  readonly percent: number;
}

export interface StatusView {
  readonly cluster: string;
  /** The time from which ages on the page are counted, RFC 3339. */
  readonly generatedAt: string;
  readonly rows: readonly StatusRow[];
  /** levelset runs with --dry-run: it shows plans and writes nothing. */
  readonly dryRun?: true;
  /** The reason why Services and Nodes could not be listed. The rows are those of the last list. */
  readonly notListed?: string | undefined;
  /** Why no row has the operating status of its load balancer, or an old one. */
  readonly healthUnknown?: string | undefined;
  readonly deletions?: DeletionsView | undefined;
  readonly webhook?: WebhookView | undefined;
  readonly watches?: readonly WatchView[] | undefined;
  readonly queue?: QueueView | undefined;
  readonly lastSweep?:
    | {
        readonly at: string;
        readonly services: number;
        readonly letGo: number;
        readonly nodes: number;
        readonly queued: number;
        readonly warnings: readonly string[];
      }
    | undefined;
}

export interface QueueView {
  readonly depth: number;
  readonly oldestMs: number;
}

/** The states, those that need a person first. */
export const WORST_FIRST: readonly RowState[] = ['failed', 'blocked', 'progressing', 'unknown', 'settled'];

/** What a sweep compared, as text for people: `20 Services and 10 Nodes`. Without Nodes it is only the Services. */
export function inNumbers({
  services,
  letGo,
  nodes,
}: {
  readonly services: number;
  readonly letGo: number;
  readonly nodes: number;
}): string {
  const others = letGo > 0 ? ` (and ${letGo} let go)` : '';
  return [`${services} Services${others}`, ...(nodes > 0 ? [`${nodes} Nodes`] : [])].join(' and ');
}
