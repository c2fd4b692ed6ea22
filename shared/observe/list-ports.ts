import type { Cloud } from '../ports.ts';
import type { WireResource } from '../model/resources.ts';

/** So many values in one URL: some servers take no more than 4 kB of it. */
const AT_ONCE = 50;

/**
 * Ports with one of these values, in one list however many there are: above fifty, or what the caller says, of all ports of the
 * project.
 */
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
