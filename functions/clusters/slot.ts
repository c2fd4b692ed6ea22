import type { Entry } from '../../shared/clusters/entry.ts';
import { Silence } from '../../shared/silence.ts';
import type { Connected } from '../world.ts';

/** What serves one cluster. */
export interface Served {
  /** Resolves when what is under way has ended. */
  stop(): Promise<void>;
}

/** An entry of the registry, from when it was first seen until its last run has ended. */
export interface Slot<S extends Served> {
  readonly name: string;
  /** As it was read last. */
  entry: Entry | undefined;
  /** What is wrong with its texts. */
  ofEntry: readonly string[];
  /** Why it is not served as its texts say. */
  ofCluster: readonly string[];
  /** What the log has said of both. */
  told: string;
  /** The entry as it is now, and not served yet. */
  next: { readonly entry: Entry; connected: Connected | undefined } | undefined;
  served: { readonly settings: Entry['settings']; readonly its: S } | undefined;
  /** After a kube-apiserver that did not answer. */
  readonly silence: Silence;
  /** What it said, or did not. */
  unanswered: string;
  underWay: Promise<void> | undefined;
  /** Aborted when its entry is gone. */
  readonly gone: AbortController;
  /** Whoever ends it waits for one end. */
  ending: Promise<void> | undefined;
}

export function newSlot<S extends Served>(name: string): Slot<S> {
  const nothing = {
    entry: undefined,
    next: undefined,
    served: undefined,
    underWay: undefined,
    ending: undefined,
  };
  return {
    name,
    ...nothing,
    ofEntry: [],
    ofCluster: [],
    told: '',
    silence: new Silence(),
    unanswered: '',
    gone: new AbortController(),
  };
}

/** All that is wrong with an entry, in words that name it. */
export function problemsOf(slot: Pick<Slot<Served>, 'ofEntry' | 'ofCluster'> | undefined): readonly string[] {
  return slot ? [...slot.ofEntry, ...slot.ofCluster] : [];
}

/** Rejects as soon as the entry is gone. */
export async function unlessGone<T>(
  { gone: { signal } }: Pick<Slot<Served>, 'gone'>,
  asked: Promise<T>,
): Promise<T> {
  const { promise: gone, reject } = Promise.withResolvers<never>();
  const isGone = (): void => {
    reject(new Error('its entry is gone'));
  };
  if (signal.aborted) isGone();
  signal.addEventListener('abort', isGone);
  try {
    return await Promise.race([asked, gone]);
  } finally {
    signal.removeEventListener('abort', isGone);
  }
}

/** Why a cluster is not served that another entry leads to, too. */
export function isThatOf({ name }: Pick<Slot<Served>, 'name'>, other: Pick<Slot<Served>, 'name'>): string {
  return `${name}: it says it is the cluster of the entry ${other.name}: take one of the two away, or give each its uid`;
}
