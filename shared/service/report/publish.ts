import type { Service } from '../../model/kubernetes.ts';
import type { Kube } from '../../ports.ts';
import type { Summary } from './summarize.ts';

/** Writes what summarize said, and nothing when nothing changed. */
export async function publish(service: Service, summary: Summary, kube: Kube): Promise<Service> {
  const { patch, events } = summary;
  const written = patch.metadata || patch.status ? await kube.patchService(service, patch) : service;
  for (const event of events) await kube.recordEvent(service, event);
  return written;
}
