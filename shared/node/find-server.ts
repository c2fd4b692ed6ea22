/** Which server a Node is: that, or none for good, or nothing that one could go by. */
import { chooseServer, conflictProblem } from './desired/choose-server.ts';
import type { Node } from '../model/kubernetes.ts';
import { hasTaint, readyStatus, UNINITIALIZED_TAINT } from '../model/node/node.ts';
import type { Server } from '../model/node/nova.ts';
import type { Problem } from '../model/plan.ts';
import type { ServerReading } from './server-reading.ts';
import type { World } from '../ports.ts';

export interface Found {
  readonly server: Server | 'gone' | 'unknown';
  readonly problems: readonly Problem[];
}

export async function findServer(
  node: Node,
  reading: ServerReading,
  config: World['config'],
): Promise<Found> {
  const { nodes, controllers } = config;
  // who only gives out CIDRs needs none
  if (!controllers.some((name) => name.startsWith('cloud-node'))) return { server: 'unknown', problems: [] };
  const choice = chooseServer(node, await reading.candidates(node), {
    nameFrom: nodes.nameFrom,
    ...(config.openstack.region === undefined ? {} : { region: config.openstack.region }),
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

/** Its addresses may be those of a server that is no more, and nobody would look for the reason here. */
function replaced({ spec }: Node): Problem {
  const message =
    'names a server that does not exist, although the Node is ready; levelset does not change the Node. If another server has its name, delete the Node and restart its kubelet, which registers it again';
  return { field: 'spec.providerID', value: spec?.providerID ?? '', message };
}
