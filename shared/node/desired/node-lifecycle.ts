import type { Node, Taint } from '../../model/kubernetes.ts';
import { readyStatus, SERVER_GONE, SHUTDOWN_TAINT, goneSince, noteGone } from '../../model/node/node.ts';
import type { Server } from '../../model/node/nova.ts';
import type { Place } from '../../model/node/node.ts';

export interface LifecycleInput {
  readonly node: Node;
  /**
   * The Node's server. gone: Nova answered 404 for the id in its providerID. unknown: nobody knows which server it
   * is. unmanaged: another controller looks after the Node's life.
   */
  readonly server: Server | 'gone' | 'unknown' | 'unmanaged';
  /** The statuses of a server that is shut down. */
  readonly shutdownStates: readonly string[];
  /** The project and region in which Nova was asked. */
  readonly place: Place;
  /** The time in milliseconds since 1970. */
  readonly now: number;
}

export interface NodeLife {
  readonly taints: readonly Taint[];
  readonly annotations: Readonly<Record<string, string | null>>;
  /** The server was gone a minute ago and still is, so the Node is to be deleted. */
  readonly leaves: boolean;
  /** The time after which levelset looks for the server once more. */
  readonly againInMs?: number;
}

/**
 * The time between two answers that a server is gone. One answer can be wrong because of a proxy, a cell of Nova that
 * is down, or a credential that has just changed.
 */
const CONFIRM_MS = 60_000;

/**
 * What becomes of a Node when its server stops, starts or is gone (docs/sources/kubernetes.md, "Node lifecycle";
 * decision 27). A Ready Node is never deleted or tainted, whatever Nova says, since its kubelet has just reported.
 */
export function nodeLife({ node, server, shutdownStates, place, now }: LifecycleInput): NodeLife {
  const taints = node.spec?.taints ?? [];
  // a Node that is being deleted waits for finalizers of others, and the deletion budget has counted it
  if (server === 'unmanaged' || node.metadata.deletionTimestamp !== undefined)
    return { taints, annotations: {}, leaves: false };
  const noted = node.metadata.annotations?.[SERVER_GONE];
  const back = noted === undefined ? {} : { [SERVER_GONE]: null };
  const others = taints.filter(({ key }) => key !== SHUTDOWN_TAINT);
  if (readyStatus(node) === 'True') return { taints: others, annotations: back, leaves: false };
  if (server === 'unknown') return { taints, annotations: {}, leaves: false };
  if (server === 'gone') {
    const since = goneSince(noted, place);
    const againInMs = since === undefined ? CONFIRM_MS : since + CONFIRM_MS - now;
    if (since !== undefined && againInMs <= 0) return { taints, annotations: {}, leaves: true };
    const note = since === undefined ? { [SERVER_GONE]: noteGone(now, place) } : {};
    return { taints, annotations: note, leaves: false, againInMs };
  }
  const isShutDown = shutdownStates.includes(server.status ?? '');
  const shutdown = { key: SHUTDOWN_TAINT, effect: 'NoSchedule' };
  const tainted = others.length < taints.length ? taints : [...taints, shutdown];
  return { taints: isShutDown ? tainted : taints, annotations: back, leaves: false };
}
