import { chooseServer, conflictProblem } from './desired/choose-server.ts';
import type { Node } from '../model/kubernetes.ts';
import { hasTaint, readyStatus, UNINITIALIZED_TAINT, type Place } from '../model/node/node.ts';
import type { NeutronPort, Server, Subport } from '../model/node/nova.ts';
import { parseProviderID } from '../model/node/provider-id.ts';

import type { Problem } from '../model/plan.ts';
import type { ServerReading } from './server-reading.ts';
import type { World } from '../ports.ts';

export interface ObservedServer {
  readonly server: Server | 'gone' | 'unknown';
  readonly problems: readonly Problem[];
  /** The project and region in which Nova was asked for a server that is gone. */
  readonly place: Place;
  /** The ports of a server that was found, and their sub-ports. Both are read only for the cloud-node-controller. */
  readonly ports: readonly NeutronPort[];
  readonly subports: readonly Subport[];
}

export async function observeServer(
  node: Node,
  reading: ServerReading,
  config: World['config'],
): Promise<ObservedServer> {
  const found = await findServer(node, reading, config);
  const { server } = found;
  const { region = '' } = config.openstack;
  const serverId = parseProviderID(node.spec?.providerID ?? '')?.serverId ?? '';
  const projectId = server === 'gone' ? await reading.projectId() : '';
  const isWanted = typeof server === 'object' && config.controllers.includes('cloud-node-controller');
  const ports = isWanted ? await reading.ports(server) : [];
  const subports = isWanted ? await reading.subports(ports) : [];
  return { ...found, place: { projectId, region, serverId }, ports, subports };
}

async function findServer(
  node: Node,
  reading: ServerReading,
  config: World['config'],
): Promise<Pick<ObservedServer, 'server' | 'problems'>> {
  const { controllers, openstack } = config;
  // the controller that only gives out CIDRs needs no server
  if (!controllers.some((name) => name.startsWith('cloud-node'))) return { server: 'unknown', problems: [] };
  const choice = chooseServer(node, await reading.candidates(node), {
    ...(openstack.region === undefined ? {} : { region: openstack.region }),
  });
  if ('problem' in choice) return { server: 'unknown', problems: [choice.problem] };
  if ('none' in choice) {
    if (choice.none === 'providerID')
      return { server: 'gone', problems: readyStatus(node) === 'True' ? [replaced(node)] : [] };
    return { server: 'unknown', problems: hasTaint(node, UNINITIALIZED_TAINT) ? [noServer(node)] : [] };
  }
  const conflict = conflictProblem(node, choice.found, await reading.others(choice.found));
  return conflict ? { server: 'unknown', problems: [conflict] } : { server: choice.found, problems: [] };
}

function noServer({ metadata }: Node): Problem {
  const message =
    'matches no server of the project, neither by name nor by systemUUID; the Node waits until there is one';
  return { field: 'metadata.name', value: metadata.name, message };
}

/** A Ready Node without its server. Its addresses may be those of the old server, so the Problem names the cause. */
function replaced({ spec }: Node): Problem {
  const message =
    'names a server that does not exist, although the Node is ready; levelset does not change the Node. If another server has its name, delete the Node and restart its kubelet, which registers it again';
  return { field: 'spec.providerID', value: spec?.providerID ?? '', message };
}
