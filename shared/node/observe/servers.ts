/** Nova's servers with their ports, one by one or in bulk. */
import type { NeutronPort, Server } from '../../model/node/nova.ts';
import type { WireResource } from '../../model/resources.ts';
import type { Clock, Cloud } from '../../ports.ts';
import { GatheredReads } from './gathered-reads.ts';
import { remember } from '../../observe/memo.ts';
import { listPorts } from '../../observe/list-ports.ts';

const PORT_FIELDS = ['id', 'network_id', 'device_id', 'status', 'fixed_ips', 'trunk_details'];
/** For more servers than this all ports of the project are listed: who joins next to so many finds his among them. */
const AT_ONCE = 10;

type Reading = Pick<Cloud, 'list' | 'get'>;

interface Readers {
  readonly servers: GatheredReads<Server>;
  readonly ports: GatheredReads<readonly NeutronPort[]>;
  /** By the name of a Node. */
  readonly named: ReadonlyMap<NameFrom, GatheredReads<readonly Server[]>>;
}

type NameFrom = 'name' | 'hostname' | 'first-label';
const NAMES_FROM: readonly NameFrom[] = ['name', 'hostname', 'first-label'];

const readers = new WeakMap<Reading, Readers>();

/** Undefined only after Nova said of this very server that it is not there. */
export async function readServer(
  id: string,
  when: 'now' | 'lately',
  cloud: Cloud,
  clock: Clock,
): Promise<Server | undefined> {
  const server = await readersOf(cloud, clock).servers.read(id, when);
  return server && withFlavorName(server, cloud, clock);
}

/** Those that may be the one of a Node of this name, and perhaps more. */
export async function serversNamed(
  nodeName: string,
  nameFrom: NameFrom,
  cloud: Cloud,
  clock: Clock,
): Promise<readonly Server[]> {
  const found = (await readersOf(cloud, clock).named.get(nameFrom)?.read(nodeName, 'now')) ?? [];
  return Promise.all(found.map((one) => withFlavorName(one, cloud, clock)));
}

/** Nova's filter is a regular expression of its database, whatever the case. */
async function listNamed(nodeName: string, nameFrom: NameFrom, cloud: Reading): Promise<readonly Server[]> {
  const [label = ''] = nodeName.split('.');
  const filters = {
    name: { name: `^${nodeName.replaceAll('.', '[.]')}$` },
    'first-label': { name: `^${label}([.]|$)` },
    hostname: {},
  };
  return await cloud.list('server', filters[nameFrom]);
}

async function listAllFor(
  nodeNames: readonly string[],
  cloud: Reading,
): Promise<ReadonlyMap<string, readonly Server[]>> {
  const all = [...(await listServers(cloud)).values()];
  return new Map(nodeNames.map((nodeName) => [nodeName, all]));
}

export async function readPorts(
  serverId: string,
  cloud: Cloud,
  clock: Clock,
): Promise<readonly NeutronPort[]> {
  return (await readersOf(cloud, clock).ports.read(serverId, 'lately')) ?? [];
}

/** Every server of the project, by its id. */
export async function listServers(cloud: Reading): Promise<ReadonlyMap<string, Server>> {
  const found = (await cloud.list('server')) as unknown as readonly Server[];
  return new Map(found.map((server) => [server.id, server]));
}

/** The same with the names of their flavors. */
export async function listServersWhole(cloud: Cloud, clock: Clock): Promise<ReadonlyMap<string, Server>> {
  const listed = [...(await listServers(cloud)).values()];
  const servers = await Promise.all(listed.map((one) => withFlavorName(one, cloud, clock)));
  return new Map(servers.map((one) => [one.id, one]));
}

/** The ports of these servers, and perhaps of more, in few calls however many there are. */
export async function portsByServer(
  serverIds: readonly string[],
  cloud: Reading,
): Promise<ReadonlyMap<string, readonly NeutronPort[]>> {
  const ports: readonly NeutronPort[] = await listPorts('device_id', serverIds, PORT_FIELDS, cloud, AT_ONCE);
  return Map.groupBy(ports, ({ device_id = '' }) => device_id);
}

function readersOf(cloud: Cloud, clock: Clock): Readers {
  const known = readers.get(cloud);
  if (known) return known;
  const made: Readers = {
    servers: new GatheredReads(
      {
        one: async (id) => await cloud.get('server', id),
        many: () => listServers(cloud),
      },
      clock,
    ),
    ports: new GatheredReads(
      {
        one: async (id) => (await portsByServer([id], cloud)).get(id),
        many: (ids) => portsByServer(ids, cloud),
      },
      clock,
    ),
    named: new Map(
      NAMES_FROM.map((nameFrom) => [
        nameFrom,
        new GatheredReads(
          {
            one: (nodeName) => listNamed(nodeName, nameFrom, cloud),
            many: (nodeNames) => listAllFor(nodeNames, cloud),
          },
          clock,
        ),
      ]),
    ),
  };
  readers.set(cloud, made);
  return made;
}

/** Before microversion 2.47 a server has but the id of its flavor. */
async function withFlavorName(server: Server, cloud: Cloud, clock: Clock): Promise<Server> {
  const { id, original_name } = server.flavor ?? {};
  if (id === undefined || original_name !== undefined) return server;
  const flavor = await remember(cloud, clock, `compute_flavor/${id}`, () => cloud.get('compute_flavor', id));
  return { ...server, flavor: { id, ...nameOf(flavor) } };
}

function nameOf(flavor: WireResource | undefined): { readonly original_name?: string } {
  return typeof flavor?.['name'] === 'string' ? { original_name: flavor['name'] } : {};
}
