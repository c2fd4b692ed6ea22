import { fieldsOf } from '../model/json.ts';
import { collectKeys, type KindReading } from './collect-keys.ts';
import { OF_ALL_NODES, type Triggered } from '../model/request.ts';

const RESOURCE_EVENT = /^dev\.knative\.apiserver\.(?:resource|ref)\.(add|update|delete)$/;
const PING = 'dev.knative.sources.ping';
/** Their events do not name the Services, so a sweep of the namespace answers them. */
const USED_BY_SERVICES = ['discovery.k8s.io/v1 EndpointSlice', 'v1 Secret'];

/**
 * Maps CloudEvents 1.0 of Knative's ApiServerSource to keys; a PingSource asks for a sweep. An event does not tell
 * who wrote: our own writes come back once.
 */
export function keysFromCloudEvents(events: readonly unknown[]): Triggered {
  return collectKeys(events.map(readEvent));
}

function readEvent(event: unknown): KindReading {
  const { id, type, source, specversion, data } = fieldsOf(event);
  if (typeof type !== 'string' || typeof id !== 'string') return 'skipped';
  if (typeof source !== 'string' || specversion !== '1.0') return 'skipped';
  if (type === PING) return { keys: ['all'], cause: id };
  const [, happened] = RESOURCE_EVENT.exec(type) ?? [];
  return happened ? objectReading(data, id, happened) : 'ignored';
}

function objectReading(data: unknown, cause: string, happened: string): KindReading {
  const { apiVersion, kind, metadata, ...reference } = fieldsOf(data);
  if (typeof kind !== 'string' || typeof apiVersion !== 'string') return 'skipped';
  const type = `${apiVersion} ${kind}`;
  const { namespace, name } = metadata === undefined ? reference : fieldsOf(metadata);
  if (type === 'v1 Node') {
    if (typeof name !== 'string') return 'skipped';
    return { keys: [...(happened === 'delete' ? [] : [`node/${name}`]), ...OF_ALL_NODES], cause };
  }
  if (!USED_BY_SERVICES.includes(type) && type !== 'v1 Service') return 'ignored';
  if (typeof namespace !== 'string' || typeof name !== 'string') return 'skipped';
  return { keys: [type === 'v1 Service' ? `service/${namespace}/${name}` : `namespace/${namespace}`], cause };
}
