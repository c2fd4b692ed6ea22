import type { Node, Taint } from '../../model/kubernetes.ts';
import {
  readyStatus,
  SERVER_GONE,
  SHUTDOWN_TAINT,
  goneSince,
  noteGone,
  type Place,
} from '../../model/node/node.ts';
import type { Server } from '../../model/node/nova.ts';

interface LifecycleInput {
  readonly node: Node;
  /** gone: Nova answered 404 for its providerID. unknown: nobody knows which it is. unmanaged: another controller looks after it. */
  readonly server: Server | 'gone' | 'unknown' | 'unmanaged';
  readonly place: Place;
  readonly now: number;
}

export interface NodeLife {
  readonly taints: readonly Taint[];
  readonly annotations: Readonly<Record<string, string | null>>;
  /** The server was gone a minute ago and still is, so the Node is to be deleted. */
  readonly leaves: boolean;
  readonly againInMs?: number;
}

/** Between two answers that a server is gone: one can be wrong, because of a proxy, a cell that is down, or a changed credential. */
const CONFIRM_MS = 60_000;

/**
 * What becomes of a Node whose server stops, starts or is gone (docs/sources/kubernetes.md, "Node lifecycle";
 * decision 27). A Ready Node is never deleted or tainted.
 */
export function nodeLife({ node, server, place, now }: LifecycleInput): NodeLife {
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
  const isShutDown = server.status === 'SHUTOFF';
  const shutdown = { key: SHUTDOWN_TAINT, effect: 'NoSchedule' };
  const tainted = others.length < taints.length ? taints : [...taints, shutdown];
  return { taints: isShutDown ? tainted : taints, annotations: back, leaves: false };
}
