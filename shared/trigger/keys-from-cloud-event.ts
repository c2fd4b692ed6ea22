import { collectKeys, type Reading, type Triggered } from './causes.ts';

const RESOURCE_EVENT = /^dev\.knative\.apiserver\.(resource|ref)\.(add|update|delete)$/;
const PING = 'dev.knative.sources.ping';

/**
 * Maps CloudEvents 1.0 of Knative's ApiServerSource to the keys that an audit event gives: `data` is the Service or Node,
 * or a reference to it. A PingSource is a sweep. Who wrote is not in the event, so own writes come back once and find
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
  if (apiVersion !== 'v1') return 'ignored';
  if (kind === 'Node') return { key: 'nodeset', cause };
  if (kind !== 'Service') return 'ignored';
  const { namespace, name } = metadata === undefined ? reference : properties(metadata);
  if (typeof namespace !== 'string' || typeof name !== 'string') return 'skipped';
  return { key: `service/${namespace}/${name}`, cause };
}

function properties(value: unknown): Partial<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
