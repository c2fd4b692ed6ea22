import type { NeutronPort, Subport } from '../../model/node/nova.ts';
import type { Cloud, Clock } from '../../ports.ts';
import { remember } from '../../observe/memo.ts';
import { listPorts } from '../../observe/list-ports.ts';

const FIELDS = ['id', 'network_id', 'status', 'fixed_ips'];

/** What hangs on the trunks of these ports, and perhaps more, in one list. */
export async function listSubports(
  ports: readonly NeutronPort[],
  cloud: Cloud,
): Promise<readonly NeutronPort[]> {
  return listPorts('id', subportIds(ports), FIELDS, cloud);
}

/** Those among the listed that hang on these ports, with the names of their networks; Nova knows nothing of it (openstack-ccm.md, 6.5, step 4). */
export function subportsOf(
  ports: readonly NeutronPort[],
  listed: readonly NeutronPort[],
  cloud: Cloud,
  clock: Clock,
): Promise<readonly Subport[]> {
  const ids = new Set(subportIds(ports));
  const own = listed.filter(({ id }) => ids.has(id));
  return Promise.all(
    own.map(async (port) => ({ port, networkName: await nameOf(port.network_id, cloud, clock) })),
  );
}

function subportIds(ports: readonly NeutronPort[]): readonly string[] {
  return ports.flatMap(({ trunk_details }) => (trunk_details?.sub_ports ?? []).map(({ port_id }) => port_id));
}

async function nameOf(id: string | undefined, cloud: Cloud, clock: Clock): Promise<string> {
  if (id === undefined) return '';
  const network = await remember(cloud, clock, `network/${id}`, () => cloud.get('network', id));
  return typeof network?.['name'] === 'string' ? network['name'] : '';
}
