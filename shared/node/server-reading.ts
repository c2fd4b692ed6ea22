/** The reads of servers and ports for an evaluation: one by one, or from the lists of a sweep. */
import { claimOf } from './desired/choose-server.ts';
import type { Node } from '../model/kubernetes.ts';
import type { RecordedDeletions } from '../model/records.ts';
import type { NeutronPort, Server, Subport } from '../model/node/nova.ts';
import { parseProviderID } from '../model/node/provider-id.ts';
import { candidatesOf, listSubports, subportsOf } from './observe/observe-node.ts';
import { lazily } from '../memory/answers.ts';
import { listNodesLately, listNodesTogether } from '../memory/listed-nodes.ts';
import { listServers, listServersWhole, portsByServer, readPorts } from './observe/servers.ts';
import type { NodeDeletionBudget } from './plan/plan-node.ts';
import type { DeletionRecord, World } from '../ports.ts';

export interface ServerReading {
  readonly candidates: (node: Node) => Promise<readonly Server[]>;
  readonly ports: (server: Server) => Promise<readonly NeutronPort[]>;
  readonly subports: (ports: readonly NeutronPort[]) => Promise<readonly Subport[]>;
  readonly others: (server: Server) => Promise<readonly Node[]>;
  /** The facts for the deletion budget. Absent: this evaluation may not delete Nodes. */
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
