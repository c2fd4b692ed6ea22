import type { Cloud } from '../ports.ts';
import type { WireResource } from '../model/resources.ts';

/** The most values in one URL. Some servers take no more than 4 kB of it. */
const AT_ONCE = 50;

/** Ports with one of these values, and perhaps more; with more values than `atOnce` all of the project. */
export async function listPorts(
  filter: 'id' | 'device_id' | 'fixed_ips',
  values: readonly string[],
  fields: readonly string[],
  cloud: Pick<Cloud, 'list'>,
  atOnce = AT_ONCE,
): Promise<readonly WireResource[]> {
  if (values.length === 0) return [];
  return cloud.list('port', values.length > atOnce ? { fields } : { [filter]: values, fields });
}
