import { createHash } from 'node:crypto';
import type { Service, ServiceEvent } from '../model/kubernetes.ts';
import { clip } from '../model/printable.ts';
import type { Log } from '../ports.ts';
import type { Http } from './http.ts';
import { corePath } from './paths.ts';

const LONGEST_MESSAGE = 1024;

/**
 * Shows an Event at a Service (kubernetes.md 1.4 and 7.10). There is no memory between runs, so the name is made of what
 * the Event says: the same again counts up the one that is there, until the apiserver drops it (--event-ttl). Never
 * throws: an Event that cannot be written goes to the log.
 */
export async function recordEvent(
  http: Http,
  log: Log,
  service: Service,
  event: ServiceEvent,
): Promise<void> {
  const { namespace, name } = service.metadata;
  try {
    await write(http, service, event);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    log.warn('an Event could not be written', {
      service: `${namespace}/${name}`,
      event: event.reason,
      reason,
    });
  }
}

async function write(http: Http, service: Service, event: ServiceEvent): Promise<void> {
  const { metadata } = service;
  const body = eventObject(service, event);
  const { name } = body.metadata;
  const doing = `write Event ${metadata.namespace}/${name}`;
  const all = corePath('events', metadata.namespace);
  const created = await http({ method: 'POST', path: all, body, doing, expected: [409] });
  if (created.status !== 409) return;
  const one = corePath('events', metadata.namespace, name);
  const { body: seen } = await http({ method: 'GET', path: one, doing });
  const count = ((seen as { count?: number }).count ?? 1) + 1;
  await http({ method: 'PATCH', path: one, body: { count, lastTimestamp: body.lastTimestamp }, doing });
}

function eventObject({ metadata }: Service, { type, reason, message }: ServiceEvent) {
  const { namespace, name, uid, resourceVersion } = metadata;
  const hash = createHash('sha256')
    .update(JSON.stringify([uid, type, reason, message]))
    .digest('hex');
  const now = `${new Date().toISOString().slice(0, 19)}Z`;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { namespace, name: `${name}.${hash.slice(0, 16)}` },
    involvedObject: { apiVersion: 'v1', kind: 'Service', namespace, name, uid, resourceVersion },
    type,
    reason,
    message: clip(message, LONGEST_MESSAGE),
    source: { component: 'service-controller' },
    reportingComponent: 'levelset',
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
  };
}
