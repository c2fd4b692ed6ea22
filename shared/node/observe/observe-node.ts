import type { Node } from '../../model/kubernetes.ts';
import {
  hasTaint,
  readyStatus,
  systemUUID,
  UNINITIALIZED_TAINT,
  parseProviderID,
} from '../../model/node/node.ts';
import type { Server, NeutronPort, Subport } from '../../model/node/nova.ts';
import type { Cloud, CloudReader } from '../../ports.ts';
import { readServer, serversNamed } from './servers.ts';
import { onceAMinute, listPorts } from '../../observe/reads.ts';

/** The servers that a Node may be. None if the providerID names another region or cloud, where Nova would answer that it does not exist. */
export async function candidatesOf(
  node: Node,
  region: string | undefined,
  reader: CloudReader,
): Promise<readonly Server[]> {
  const { providerID = '' } = node.spec ?? {};
  // a new Node's server runs, so an earlier list will do; the server of a silent Node may have been stopped since
  const when = hasTaint(node, UNINITIALIZED_TAINT) && readyStatus(node) === 'True' ? 'lately' : 'now';
  if (providerID !== '') {
    const parsed = parseProviderID(providerID);
    const isHere = parsed && (parsed.region === undefined || parsed.region === region);
    return isHere ? listOf(await readServer(parsed.serverId, when, reader)) : [];
  }
  const uuid = systemUUID(node);
  const byFirmware = uuid === undefined ? [] : listOf(await readServer(uuid, when, reader));
  return byFirmware.length > 0 ? byFirmware : serversNamed(node.metadata.name, reader);
}

function listOf<T>(one: T | undefined): readonly T[] {
  return one === undefined ? [] : [one];
}

const SUBPORT_FIELDS = ['id', 'network_id', 'status', 'fixed_ips'];

/** The sub-ports of these ports' trunks, and perhaps more, by one list. */
export async function listSubports(
  ports: readonly NeutronPort[],
  cloud: Cloud,
): Promise<readonly NeutronPort[]> {
  return listPorts('id', subportIds(ports), SUBPORT_FIELDS, cloud);
}

/** Sub-ports with the names of their networks, which Nova does not know (docs/sources/occm.md, "Node addresses", step 4). */
export function subportsOf(
  ports: readonly NeutronPort[],
  listed: readonly NeutronPort[],
  reader: CloudReader,
): Promise<readonly Subport[]> {
  const ids = new Set(subportIds(ports));
  const own = listed.filter(({ id }) => ids.has(id));
  return Promise.all(own.map(async (port) => ({ port, networkName: await nameOf(port.network_id, reader) })));
}

function subportIds(ports: readonly NeutronPort[]): readonly string[] {
  return ports.flatMap(({ trunk_details }) => (trunk_details?.sub_ports ?? []).map(({ port_id }) => port_id));
}

async function nameOf(id: string | undefined, reader: CloudReader): Promise<string> {
  if (id === undefined) return '';
  const network = await onceAMinute(reader, `network/${id}`, () => reader.cloud.get('network', id));
  return typeof network?.['name'] === 'string' ? network['name'] : '';
}
