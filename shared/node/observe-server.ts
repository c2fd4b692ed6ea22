/** Which server a Node is on, and the reads for that: one by one, or from the lists of a sweep. */
import { claimOf, chooseServer, conflictProblem } from './desired/choose-server.ts';
import type { Node } from '../model/kubernetes.ts';
import type { RecordedDeletions } from '../model/records.ts';
import type { NeutronPort, Server, Subport } from '../model/node/nova.ts';
import {
  parseProviderID,
  hasTaint,
  readyStatus,
  UNINITIALIZED_TAINT,
  type Place,
} from '../model/node/node.ts';
import { candidatesOf, listSubports, subportsOf } from './observe/observe-node.ts';
import { lazily } from '../memory/answers.ts';
import { listNodesLately, listNodesTogether } from '../observe/reads.ts';
import { listServers, listServersWhole, portsByServer, readPorts } from './observe/servers.ts';
import type { NodeDeletionBudget } from './plan/plan-node.ts';
import type { DeletionRecord, World } from '../ports.ts';
import type { Problem } from '../model/plan.ts';

export interface ServerReading {
  readonly candidates: (node: Node) => Promise<readonly Server[]>;
  readonly ports: (server: Server) => Promise<readonly NeutronPort[]>;
  readonly subports: (ports: readonly NeutronPort[]) => Promise<readonly Subport[]>;
  readonly others: (server: Server) => Promise<readonly Node[]>;
  /** The facts for the deletion budget. Absent: this comparison may not delete Nodes. */
  readonly deletions?: () => Promise<LeavingQuestion>;
  readonly projectId: () => Promise<string>;
}

interface LeavingQuestion extends Pick<NodeDeletionBudget, 'all' | 'withServer'> {
  readonly record: DeletionRecord;
  readonly recorded: RecordedDeletions;
}

/** `now` takes no ports from a list that other runs made in the last seconds. */
export function readOneByOne(world: World, when: 'now' | 'lately'): ServerReading {
  const { cloud, config } = world;
  const { region } = config.openstack;
  return {
    candidates: (node) => candidatesOf(node, region, world),
    ports: ({ id }) => readPorts(id, when, world),
    subports: async (ports) => subportsOf(ports, await listSubports(ports, cloud), world),
    others: () => listNodesLately(world),
    deletions: () => readDeletions(world),
    projectId: () => cloud.projectId(),
  };
}

async function readDeletions(world: World): Promise<LeavingQuestion> {
  const { cloud, clock, kube, memory } = world;
  const [servers, nodes, recorded] = await Promise.all([
    memory.answers.read('servers', { keepMs: 0, clock }, () => listServers(cloud)),
    listNodesTogether(world),
    kube.deletions.nodes.load(),
  ]);
  return {
    all: nodes.map(uidOf),
    withServer: nodes.filter(isAmong(servers)).map(uidOf),
    record: kube.deletions.nodes,
    recorded,
  };
}

function uidOf({ metadata }: Node): string {
  return metadata.uid;
}

function isAmong(servers: ReadonlyMap<string, Server>): (node: Node) => boolean {
  return ({ spec }) => servers.has(parseProviderID(spec?.providerID ?? '')?.serverId ?? '');
}

/** For a sweep: one list each of servers, ports and sub-ports, made when a Node needs it. A list that failed is not asked for again. */
export function readInBulk(nodes: readonly Node[], world: World): ServerReading {
  const { cloud } = world;
  const claimants = Map.groupBy(nodes, claimOf);
  const servers = lazily(() => listServersWhole(world));
  const ports = lazily(async () => portsByServer([...(await servers()).keys()], cloud));
  const subports = lazily(async () => listSubports([...(await ports()).values()].flat(), cloud));
  return {
    candidates: async (node) => {
      const listed = await servers();
      const claimed = listed.get(claimOf(node) ?? '');
      return claimed ? [claimed] : [...listed.values()];
    },
    ports: async ({ id }) => (await ports()).get(id) ?? [],
    subports: async (found) => subportsOf(found, await subports(), world),
    others: ({ id }) => Promise.resolve(claimants.get(id) ?? []),
    projectId: () => cloud.projectId(),
  };
}

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
