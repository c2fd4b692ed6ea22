import type { NeutronPort, Server } from '../../model/node/nova.ts';
import type { WireResource } from '../../model/resources.ts';
import type { Cloud, CloudReader, World } from '../../ports.ts';
import { onceAMinute, listPorts } from '../../observe/reads.ts';
import { patienceMs, valueWithin } from '../../deadline.ts';
import type { Batch } from '../../memory/memory.ts';

const PORT_FIELDS = ['id', 'network_id', 'device_id', 'status', 'fixed_ips', 'trunk_details'];
/** With more servers than this, all ports of the project are listed at once. */
const AT_ONCE = 10;

type Reading = Pick<Cloud, 'list' | 'get'>;

/** The server with this id. Undefined only if Nova answered 404 for exactly this id. */
export async function readServer(
  id: string,
  when: 'now' | 'lately',
  reader: CloudReader,
): Promise<Server | undefined> {
  const { cloud, memory } = reader;
  const server = await readTogether<Server>(id, when, {
    one: async (id) => await cloud.get('server', id),
    many: () => listServers(cloud),
    batch: memory.servers,
    world: reader,
  });
  return server && withFlavorName(server, reader);
}

/** The servers that may be the one of a Node of this name, and perhaps more. */
export async function serversNamed(nodeName: string, reader: CloudReader): Promise<readonly Server[]> {
  const { cloud, memory } = reader;
  const found = await readTogether<readonly Server[]>(nodeName, 'now', {
    one: (name) => listNamed(name, cloud),
    many: (names) => listAllFor(names, cloud),
    batch: memory.serversByNode,
    world: reader,
  });
  return Promise.all((found ?? []).map((one) => withFlavorName(one, reader)));
}

/** Lists servers by name. Nova's filter is a regular expression of its database, which may ignore case. */
async function listNamed(name: string, cloud: Reading): Promise<readonly Server[]> {
  return await cloud.list('server', { name: `^${name.replaceAll('.', '[.]')}$` });
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
  when: 'now' | 'lately',
  reader: CloudReader,
): Promise<readonly NeutronPort[]> {
  const { cloud, memory } = reader;
  const ports = await readTogether<readonly NeutronPort[]>(serverId, when, {
    one: async (id) => (await portsByServer([id], cloud)).get(id),
    many: (ids) => portsByServer(ids, cloud),
    batch: memory.serverPorts,
    world: reader,
  });
  return ports ?? [];
}

export async function listServers(cloud: Reading): Promise<ReadonlyMap<string, Server>> {
  const found = (await cloud.list('server')) as unknown as readonly Server[];
  return new Map(found.map((server) => [server.id, server]));
}

export async function listServersWhole(reader: CloudReader): Promise<ReadonlyMap<string, Server>> {
  const listed = [...(await listServers(reader.cloud)).values()];
  const servers = await Promise.all(listed.map((one) => withFlavorName(one, reader)));
  return new Map(servers.map((one) => [one.id, one]));
}

/** The ports of these servers, and perhaps of more, in few calls. */
export async function portsByServer(
  serverIds: readonly string[],
  cloud: Reading,
): Promise<ReadonlyMap<string, readonly NeutronPort[]>> {
  const ports: readonly NeutronPort[] = await listPorts('device_id', serverIds, PORT_FIELDS, cloud, AT_ONCE);
  return Map.groupBy(ports, ({ device_id = '' }) => device_id);
}

async function withFlavorName(server: Server, reader: CloudReader): Promise<Server> {
  const { id, original_name } = server.flavor ?? {};
  if (id === undefined || original_name !== undefined) return server;
  const flavor = await onceAMinute(reader, `compute_flavor/${id}`, () =>
    reader.cloud.get('compute_flavor', id),
  );
  return { ...server, flavor: { id, ...nameOf(flavor) } };
}

function nameOf(flavor: WireResource | undefined): { readonly original_name?: string } {
  return typeof flavor?.['name'] === 'string' ? { original_name: flavor['name'] } : {};
}

const COMPANY_MS = 20;
/** Up to this number of reads, each is a call of its own. */
const FEW = 2;
/** The time for which a list counts for what is in it. What it lacks is read by itself. */
const KEEP_MS = 5_000;

interface Reads<T> {
  one(id: string): Promise<T | undefined>;
  many(ids: readonly string[]): Promise<ReadonlyMap<string, T>>;
}

interface ReadsTogether<T> extends Reads<T> {
  readonly world: Pick<World, 'run' | 'clock'>;
  readonly batch: Batch<T>;
}

/**
 * Batches the reads of many runs into one list. What it does not have, or not soon, is read by itself. `now` takes
 * nothing from an earlier list.
 */
export async function readTogether<T>(
  id: string,
  when: 'now' | 'lately',
  reads: ReadsTogether<T>,
): Promise<T | undefined> {
  const { batch, world } = reads;
  const { clock, run } = world;
  if (when === 'lately') batch.asked.set(id, clock.now());
  const isFresh = when === 'lately' && batch.kept && batch.kept.until > clock.now();
  const kept = isFresh ? batch.kept?.found.get(id) : undefined;
  if (kept !== undefined) return kept;
  batch.waiting.push(id);
  const leftMs = (): number => run?.remainingMs() ?? Infinity;
  batch.next ??= readBatch(reads).catch((error: unknown) => {
    if (leftMs() > 0) throw error;
    return new Map();
  });
  const found = await valueWithin(patienceMs(leftMs()), batch.next);
  return found?.get(id) ?? reads.one(id);
}

async function readBatch<T>(reads: ReadsTogether<T>): Promise<ReadonlyMap<string, T>> {
  const { batch, world } = reads;
  const { clock } = world;
  await new Promise((resolve) => setTimeout(resolve, COMPANY_MS));
  const { asked, waiting } = batch;
  const since = clock.now() - KEEP_MS;
  for (const [id, at] of asked) if (at <= since) asked.delete(id);
  const before = waiting.some((id) => asked.has(id)) ? asked.keys() : [];
  const ids = [...new Set([...waiting, ...before])];
  batch.waiting = [];
  batch.next = undefined;
  if (ids.length <= FEW) return new Map();
  const found = await reads.many(ids);
  batch.kept = { until: clock.now() + KEEP_MS, found };
  return found;
}
