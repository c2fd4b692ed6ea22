import type { NeutronPort, Subport } from '../model/nova.ts';
import type { Cloud, Clock } from '../ports.ts';
import { remember } from './memo.ts';

/** What hangs on the trunks of a server, with the names of the networks there; Nova knows nothing of it (openstack-ccm.md, 6.5, step 4). */
export async function readSubports(
  ports: readonly NeutronPort[],
  cloud: Cloud,
  clock: Clock,
): Promise<readonly Subport[]> {
  const ids = ports.flatMap(({ trunk_details }) =>
    (trunk_details?.sub_ports ?? []).map(({ port_id }) => port_id),
  );
  if (ids.length === 0) return [];
  const found = (await cloud.list('port', { id: ids })) as unknown as readonly NeutronPort[];
  return Promise.all(
    found.map(async (port) => ({ port, networkName: await nameOf(port.network_id, cloud, clock) })),
  );
}

async function nameOf(id: string | undefined, cloud: Cloud, clock: Clock): Promise<string> {
  if (id === undefined) return '';
  const network = await remember(cloud, clock, `network/${id}`, () => cloud.get('network', id));
  return typeof network?.['name'] === 'string' ? network['name'] : '';
}
