import type { Key } from '../model/request.ts';

export type RowState = 'settled' | 'progressing' | 'blocked' | 'failed' | 'unknown';

/** One row of the status page and its JSON: a Service, or a Node or the routes while they are not settled. */
export interface StatusRow {
  readonly object: Key;
  readonly state: RowState;
  readonly reason: string;
  readonly loadBalancerId?: string;
  readonly serverId?: string;
  /** Other Services on that load balancer, as `NS/NAME`. */
  readonly sharedWith?: readonly string[];
  readonly address?: string;
  readonly trigger?: string;
  readonly at?: string;
  readonly plan?: string;
  readonly planSteps: number;
  /** The changes of the last plan that a person may approve. */
  readonly awaitingApproval?: number;
  readonly problems?: number;
  readonly drift?: number;
  /** What Octavia says of the load balancer, such as ONLINE; absent if there is none, or nobody has asked. */
  readonly operatingStatus?: string;
  /** Since when the object is in this state, RFC 3339: by its condition, else as this process has seen it. */
  readonly since?: string;
  /** The time of the last answer, RFC 3339, while nobody can say whether it is still so. */
  readonly unknownSince?: string;
  /** Who must act, and what to do; absent if nobody must. */
  readonly act?: string;
  /** By when the key runs again at the latest, RFC 3339; absent: when the object changes, and in a sweep that finds something to do. */
  readonly nextAt?: string;
}

/** A collection that `serve --watch` follows. */
export interface WatchView {
  readonly name: string;
  /** Why no changes come; absent while they do. */
  readonly trouble?: string;
}

export interface WebhookView {
  readonly lastAccepted?: string;
  readonly refused: Readonly<Record<string, number>>;
  /** Why events do not come, in words. */
  readonly trouble?: string;
}

/** What the deletion budget has counted in the last hour: Nodes, and load balancers whose Service has vanished. */
export interface DeletionsView {
  readonly nodes: number;
  readonly loadBalancers: number;
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
        readonly released: number;
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

export const WORST_FIRST: readonly RowState[] = ['failed', 'blocked', 'progressing', 'unknown', 'settled'];

/** What a sweep compared, as text for people: `20 Services and 10 Nodes`. Without Nodes it is only the Services. */
export function inNumbers({
  services,
  released,
  nodes,
}: {
  readonly services: number;
  readonly released: number;
  readonly nodes: number;
}): string {
  const others = released > 0 ? ` (and ${released} released)` : '';
  return [`${services} Services${others}`, ...(nodes > 0 ? [`${nodes} Nodes`] : [])].join(' and ');
}
