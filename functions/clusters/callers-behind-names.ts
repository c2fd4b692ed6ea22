import { setTimeout as sleep } from 'node:timers/promises';
import { REVIEW_MS } from '../../shared/deadline.ts';
import type { Callers, KubernetesCallers } from '../http/kubernetes-callers.ts';

/** By then a kube-apiserver has said who a caller is, or had its time. */
export const REFUSED_AFTER_MS = REVIEW_MS + 500;

/**
 * Whom the kube-apiserver of a cluster knows. A token that it has never known is refused after the same time and in the same words whether
 * there is such a cluster or not, and whether it answers or not: else strangers would learn which names there are.
 */
export function callersBehindNames(
  callers: KubernetesCallers | undefined,
  refusedAfterMs = REFUSED_AFTER_MS,
): Callers {
  return {
    callerOf: async (authorization) => {
      if (authorization === undefined) return undefined;
      if (callers?.wasKnown(authorization)) return callers.callerOf(authorization);
      const refused = sleep(refusedAfterMs, undefined, { ref: false });
      return (await callers?.callerOf(authorization).catch(() => undefined)) ?? refused;
    },
    refusedOf: async (caller, keys) => callers?.refusedOf(caller, keys) ?? keys,
  };
}
