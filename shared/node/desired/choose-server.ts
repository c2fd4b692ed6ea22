import type { Node } from '../../model/kubernetes.ts';
import { systemUUID, parseProviderID } from '../../model/node/node.ts';
import type { Server } from '../../model/node/nova.ts';
import type { Problem } from '../../model/plan.ts';
import { labelValue, regionOf } from './desire-node.ts';

export interface ChooseOptions {
  readonly region?: string;
}

type ServerChoice =
  | { readonly found: Server; readonly by: 'providerID' | 'systemUUID' | 'name' }
  | { readonly problem: Problem }
  /** Only a server that a providerID names can be gone (decision 27). */
  | { readonly none: 'providerID' | 'name' };

/** By providerID, else by the firmware's UUID, which is Nova's id, else by name. */
export function chooseServer(node: Node, servers: readonly Server[], options: ChooseOptions): ServerChoice {
  const { providerID = '' } = node.spec ?? {};
  if (providerID !== '') return byProviderID(node, providerID, servers, options);
  const uuid = systemUUID(node);
  const found = servers.find(({ id }) => id === uuid);
  return found ? { found, by: 'systemUUID' } : byName(node.metadata.name, servers);
}

/** The id of the server that a Node proves to be, by providerID or firmware. A name proves nothing. */
export function claimOf(node: Node): string | undefined {
  const { providerID = '' } = node.spec ?? {};
  return providerID === '' ? systemUUID(node) : parseProviderID(providerID)?.serverId;
}

/** The Problem of a Node whose server another Node claims, too. Neither is changed (decision 27). */
export function conflictProblem(node: Node, server: Server, nodes: readonly Node[]): Problem | undefined {
  const others = nodes.filter(
    (one) => one.metadata.name !== node.metadata.name && claimOf(one) === server.id,
  );
  if (others.length === 0) return undefined;
  const names = others.map(({ metadata }) => metadata.name).sort();
  return {
    field: 'spec.providerID',
    value: node.spec?.providerID ?? '',
    message: `server ${server.id} is also claimed by ${names.join(', ')}; levelset changes neither until one of them is gone`,
  };
}

function byProviderID(
  node: Node,
  text: string,
  servers: readonly Server[],
  { region = '' }: ChooseOptions,
): ServerChoice {
  const refuse = (why: string): ServerChoice => ({
    problem: { field: 'spec.providerID', value: text, message: `${why}; levelset does not change the Node` },
  });
  const providerID = parseProviderID(text);
  if (!providerID) return refuse('does not name an OpenStack server, such as openstack:///UUID');
  if (providerID.region !== undefined && providerID.region !== region)
    return refuse(`names another region than cloud.conf, which names ${region === '' ? 'none' : region}`);
  const found = servers.find(({ id }) => id === providerID.serverId);
  if (found) return { found, by: 'providerID' };
  const labelled = regionOf(node);
  return region === '' || labelled === undefined || labelled === labelValue(region)
    ? { none: 'providerID' }
    : refuse(
        `names a server that does not exist in region ${region} of cloud.conf, and the Node's label names region ${labelled}`,
      );
}

function byName(name: string, servers: readonly Server[]): ServerChoice {
  const matches = servers.filter((server) => server.name === name);
  const ids = [...new Set(matches.map(({ id }) => id))].sort();
  if (ids.length > 1) {
    const message = `is the name of several servers: ${ids.join(', ')}; set spec.providerID to say which one it is`;
    return { problem: { field: 'metadata.name', value: name, message } };
  }
  const [found] = matches;
  return found ? { found, by: 'name' } : { none: 'name' };
}
