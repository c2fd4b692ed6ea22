import type { Node, Taint } from '../../model/kubernetes.ts';
import { readyStatus, SERVER_GONE, SHUTDOWN_TAINT, goneSince, noteGone } from '../../model/node/node.ts';
import type { Server } from '../../model/node/nova.ts';
import type { Place } from '../../model/node/node.ts';

export interface LifecycleInput {
  readonly node: Node;
  /**
   * gone: Nova answered 404 for the id in its providerID; unknown: nobody could say which server it is; unasked: what becomes
   * of it is for others to look after.
   */
  readonly server: Server | 'gone' | 'unknown' | 'unasked';
  /** Servers in one of these are shut down. */
  readonly shutdownStates: readonly string[];
  /** Where Nova was asked. */
  readonly place: Place;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export interface NodeLife {
  readonly taints: readonly Taint[];
  readonly annotations: Readonly<Record<string, string | null>>;
  /** Its server is gone, and was a minute ago: so goes the Node. */
  readonly leaves: boolean;
  /** The server is looked for once more then. */
  readonly againInMs?: number;
}

/** One look can be wrong: a proxy, a cell of Nova's that is down, a credential that was just changed. */
const CONFIRM_MS = 60_000;

/**
 * What becomes of a Node as its server stops, starts or is gone (docs/sources/kubernetes.md, "Node lifecycle"; decision
 * 27). One that is Ready is never deleted and not shut down, whatever Nova says: its kubelet has just spoken.
 */
export function nodeLife({ node, server, shutdownStates, place, now }: LifecycleInput): NodeLife {
  const taints = node.spec?.taints ?? [];
  // one that is being deleted waits for others, and was counted once
  if (server === 'unasked' || node.metadata.deletionTimestamp !== undefined)
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
