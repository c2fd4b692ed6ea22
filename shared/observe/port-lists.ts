import type { Query, Cloud } from '../ports.ts';
import type { WireResource } from '../model/resources.ts';

/** So many values in one URL: some servers take no more than 4 kB of it. */
const AT_ONCE = 50;
/** More lists than this are more than one of all ports of the project. */
const FEW = 4;

/** Ports with one of these values, in few calls however many there are; then perhaps others, too. */
export async function listPorts(
  filter: 'id' | 'device_id' | 'fixed_ips',
  values: readonly string[],
  fields: readonly string[],
  cloud: Pick<Cloud, 'list'>,
): Promise<readonly WireResource[]> {
  if (values.length > AT_ONCE * FEW) return cloud.list('port', { fields });
  const queries: Query[] = Array.from({ length: Math.ceil(values.length / AT_ONCE) }, (_, at) => ({
    [filter]: values.slice(at * AT_ONCE, (at + 1) * AT_ONCE),
    fields,
  }));
  return (await Promise.all(queries.map((query) => cloud.list('port', query)))).flat();
}
