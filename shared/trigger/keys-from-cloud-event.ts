import { collectKeys, type Reading, type Triggered } from './causes.ts';

const RESOURCE_EVENT = /^dev\.knative\.apiserver\.(resource|ref)\.(add|update|delete)$/;
const PING = 'dev.knative.sources.ping';
/** They do not name their Services: the namespace is looked through. */
const USED_BY_SERVICES = ['discovery.k8s.io/v1 EndpointSlice', 'v1 Secret'];

/**
 * Maps CloudEvents 1.0 of Knative's ApiServerSource to the keys that an audit event gives: `data` is the Service or Node,
 * or the EndpointSlice or Secret of a Service, or a reference to it. A PingSource is a sweep. Who wrote is not in the event, so own writes come back once and find
 * nothing to do.
 *
 * @param events attributes and `data` of each event, as in the JSON format; what is no CloudEvent is counted as skipped
 */
export function keysFromCloudEvents(events: readonly unknown[]): Triggered {
  return collectKeys(events.map(readEvent));
}

function readEvent(event: unknown): Reading {
  const { id, type, source, specversion, data } = properties(event);
  if (typeof type !== 'string' || typeof id !== 'string') return 'skipped';
  if (typeof source !== 'string' || specversion !== '1.0') return 'skipped';
  if (type === PING) return { key: 'all', cause: id };
  return RESOURCE_EVENT.test(type) ? objectReading(data, id) : 'ignored';
}

function objectReading(data: unknown, cause: string): Reading {
  const { apiVersion, kind, metadata, ...reference } = properties(data);
  if (typeof kind !== 'string' || typeof apiVersion !== 'string') return 'skipped';
  const type = `${apiVersion} ${kind}`;
  if (type === 'v1 Node') return { key: 'nodeset', cause };
  if (!USED_BY_SERVICES.includes(type) && type !== 'v1 Service') return 'ignored';
  const { namespace, name } = metadata === undefined ? reference : properties(metadata);
  if (typeof namespace !== 'string' || typeof name !== 'string') return 'skipped';
  return { key: type === 'v1 Service' ? `service/${namespace}/${name}` : `namespace/${namespace}`, cause };
}

function properties(value: unknown): Partial<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
