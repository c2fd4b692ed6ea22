import { ReconcileError } from '../../model/errors.ts';
import { fingerprint } from '../../model/json.ts';
import type { Node } from '../../model/kubernetes.ts';
import { judgeNodes, serversOf, unknownAddresses, type JudgedNodes } from '../../model/node/judged-nodes.ts';
import { subportIdsOf } from '../../model/node/seen-ports.ts';
import { onceFor } from '../../model/once-for.ts';
import { parseProviderID } from '../../model/node/node.ts';
import type { WireResource } from '../../model/resources.ts';
import { listPorts, PORTS_AT_ONCE, readIfPossible } from '../../observe/reads.ts';
import type { CloudReader, World } from '../../ports.ts';

export const FIELDS = [
  ...['id', 'device_id', 'device_owner', 'fixed_ips'],
  ...['security_groups', 'revision_number', 'port_security_enabled'],
];

const FIELDS_OF_NODES = [...FIELDS, 'allowed_address_pairs', 'trunk_details'];

/** So long one list serves all runs of a process that ask about the same Nodes. */
const KEEP_MS = 60_000;

const whatPortsDependOn = onceFor((nodes: readonly Node[]) =>
  fingerprint(nodes.map(({ spec, status }) => [spec?.providerID, status?.addresses])),
);

/** One list of ports; a second where a Node names an address that its server lacks, a third of trunks. `groups`: also of Nodes without a server. */
export async function listNodePorts(
  nodes: readonly Node[],
  groups: boolean,
  when: 'now' | 'lately',
  reader: CloudReader,
): Promise<readonly WireResource[]> {
  const unnamed = groups ? nodes.filter(({ spec }) => !parseProviderID(spec?.providerID ?? '')) : [];
  const servers = serversOf(nodes);
  if (servers.length + unnamed.length === 0) return [];
  const { memory, clock } = reader;
  const of = `${whatPortsDependOn(nodes)} ${groups}`;
  if (when === 'now') memory.nodePorts.forget(of);
  return memory.nodePorts.read(of, { keepMs: KEEP_MS, clock }, () => list(nodes, servers, unnamed, reader));
}

async function list(
  nodes: readonly Node[],
  servers: readonly string[],
  unnamed: readonly Node[],
  { cloud }: CloudReader,
): Promise<readonly WireResource[]> {
  const own = await listPorts('device_id', servers, FIELDS_OF_NODES, cloud);
  if (servers.length > PORTS_AT_ONCE) return own;
  const unknown = [...unknownAddresses(nodes, own), ...allAddressesOf(unnamed)];
  const wanted = [...new Set(unknown)].map((address) => `ip_address=${address}`);
  const others = await listPorts('fixed_ips', wanted, FIELDS_OF_NODES, cloud);
  const subports = wanted.length > 0 ? await listPorts('id', subportIdsOf(own), FIELDS_OF_NODES, cloud) : [];
  return [...new Map([...own, ...others, ...subports].map((port) => [port.id, port])).values()];
}

type Judging = CloudReader & Pick<World, 'config'>;

/** Where the load balancer `isMade` and ports serve no groups, a run goes on without them: members stay, and none joins (decision 160). */
export async function observeNodes(
  nodes: readonly Node[],
  isMade: boolean,
  reader: Judging,
): Promise<JudgedNodes> {
  const { manageSecurityGroups: groups } = reader.config.loadBalancer;
  const read = (): Promise<readonly WireResource[]> => listNodePorts(nodes, groups, 'lately', reader);
  const ports = isMade && !groups ? await readIfPossible(reader, 'ports of Nodes', read) : await read();
  return judgeBy(nodes, ports, reader);
}

export function judgeBy(
  nodes: readonly Node[],
  ports: readonly WireResource[] | ReconcileError | undefined,
  { memory }: Pick<World, 'memory'>,
): JudgedNodes {
  const listed = ports === undefined || ports instanceof ReconcileError ? UNLISTED : ports;
  return judgeNodes(nodes, listed, memory.projectServers?.others());
}

const UNLISTED = 'Neutron did not list the ports of the Nodes';

function allAddressesOf(nodes: readonly Node[]): readonly string[] {
  const addresses = nodes.flatMap(({ status }) => status?.addresses ?? []);
  return [
    ...new Set(addresses.flatMap(({ type, address }) => (type.endsWith('IP') && address ? [address] : []))),
  ];
}
