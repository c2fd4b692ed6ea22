import { asReconcileError, ERRORS, isRefusedWrite } from '../model/errors.ts';
import type { Node, ObjectEvent, Service } from '../model/kubernetes.ts';
import type { Kube } from '../ports.ts';

/** Writes, then the Events about it. Where the write is refused they come even so, with one that says why. Throws what `write` throws. */
export async function publish(
  about: Service | Node,
  write: () => Promise<unknown>,
  events: readonly ObjectEvent[],
  kube: Pick<Kube, 'recordEvent'>,
): Promise<void> {
  try {
    await write();
  } catch (error) {
    const refused = asReconcileError(error);
    const reason = about.metadata.namespace === undefined ? 'SyncNodeFailed' : ERRORS[refused.code].reason;
    const message = `${refused.message} (${ERRORS[refused.code].advice})`;
    const all = isRefusedWrite(refused) ? [...events, { type: 'Warning' as const, reason, message }] : [];
    for (const event of all) await kube.recordEvent(about, event);
    throw error;
  }
  for (const event of events) await kube.recordEvent(about, event);
}
