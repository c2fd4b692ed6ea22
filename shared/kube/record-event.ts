import { errorText, isError } from '../model/errors.ts';
import { createHash } from 'node:crypto';
import { fieldsOf } from '../model/json.ts';
import type { Node, ObjectEvent, Service } from '../model/kubernetes.ts';
import { serviceKey, type Key } from '../model/request.ts';
import { clip } from '../model/text/text.ts';
import type { Log } from '../ports.ts';
import type { KubeHttp } from './kube-http.ts';
import { corePath } from './kube-objects.ts';

const LONGEST_MESSAGE = 1024;

/**
 * Writes an Event (docs/sources/kubernetes.md, "Events of the controllers"). Its name has a hash of what it says: the
 * same again only raises the count. Never throws.
 */
export async function recordEvent(
  http: KubeHttp,
  log: Log,
  about: Service | Node,
  event: ObjectEvent,
): Promise<void> {
  try {
    await write(http, about, event);
  } catch (error) {
    if (isError(error) && error.code === 'KUBE_NAMESPACE_ENDS') return; // nobody is left who could read it
    const reason = errorText(error);
    log.warn('an Event could not be written', {
      object: keyOfObject(about),
      event: event.reason,
      reason,
    });
  }
}

function keyOfObject({ metadata: { namespace, name } }: Service | Node): Key {
  return namespace === undefined ? `node/${name}` : serviceKey(namespace, name);
}

async function write(http: KubeHttp, about: Service | Node, event: ObjectEvent): Promise<void> {
  const body = eventObject(about, event);
  const { name, namespace } = body.metadata;
  const doing = `write Event ${namespace}/${name}`;
  const all = corePath('events', namespace);
  const created = await http({ method: 'POST', path: all, body, doing, expected: [409] });
  if (created.status !== 409) return;
  const one = corePath('events', namespace, name);
  const { body: seen } = await http({ method: 'GET', path: one, doing });
  const { count: before } = fieldsOf(seen);
  const count = typeof before === 'number' ? before + 1 : 2;
  await http({ method: 'PATCH', path: one, body: { count, lastTimestamp: body.lastTimestamp }, doing });
}

function eventObject({ metadata }: Service | Node, { component, type, reason, message }: ObjectEvent) {
  const { namespace, name, uid, resourceVersion } = metadata;
  const isService = namespace !== undefined;
  const hash = createHash('sha256')
    .update(JSON.stringify([uid, type, reason, message]))
    .digest('hex');
  const now = `${new Date().toISOString().slice(0, 19)}Z`;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { namespace: namespace ?? 'default', name: `${name}.${hash.slice(0, 16)}` },
    involvedObject: {
      apiVersion: 'v1',
      kind: isService ? 'Service' : 'Node',
      ...(isService ? { namespace } : {}),
      name,
      uid,
      resourceVersion,
    },
    type,
    reason,
    message: clip(message, LONGEST_MESSAGE),
    source: { component: component ?? (isService ? 'service-controller' : 'cloud-node-controller') },
    reportingComponent: 'levelset',
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
  };
}
