import type { Node } from '../../model/kubernetes.ts';
import { hasTaint, readyStatus, systemUUID, UNINITIALIZED_TAINT } from '../../model/node/node.ts';
import type { Server } from '../../model/node/nova.ts';
import { parseProviderID } from '../../model/node/provider-id.ts';
import type { Clock, Cloud } from '../../ports.ts';
import { readServer, serversNamed } from './servers.ts';

export interface Whereabouts {
  readonly region?: string;
  readonly nameFrom: 'name' | 'hostname' | 'first-label';
}

/**
 * The servers that a Node may be, by the best that it says of itself: one read by id, or a list by name. None where its
 * providerID names another region or cloud: Nova here would say of such a server that it is not there.
 */
export async function candidatesOf(
  node: Node,
  { region = '', nameFrom }: Whereabouts,
  { cloud, clock }: { readonly cloud: Cloud; readonly clock: Clock },
): Promise<readonly Server[]> {
  const { providerID = '' } = node.spec ?? {};
  // who joins has just begun to run; who is silent may have been stopped a moment ago
  const when = hasTaint(node, UNINITIALIZED_TAINT) && readyStatus(node) === 'True' ? 'lately' : 'now';
  if (providerID !== '') {
    const parsed = parseProviderID(providerID);
    const isHere = parsed && (parsed.region === undefined || parsed.region === region);
    return isHere ? listOf(await readServer(parsed.serverId, when, cloud, clock)) : [];
  }
  const uuid = systemUUID(node);
  const byFirmware = uuid === undefined ? [] : listOf(await readServer(uuid, when, cloud, clock));
  return byFirmware.length > 0 ? byFirmware : serversNamed(node.metadata.name, nameFrom, cloud, clock);
}

function listOf<T>(one: T | undefined): readonly T[] {
  return one === undefined ? [] : [one];
}
