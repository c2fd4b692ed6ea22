import { valueWithin } from '../deadline.ts';
import { ReconcileError } from '../model/errors.ts';
import type { Cloud, CloudReader, World } from '../ports.ts';
import type { WireResource } from '../model/resources.ts';
import type { Node } from '../model/kubernetes.ts';
import { serversOf } from '../model/node/judged-nodes.ts';
import type { Lifetime } from '../memory/answers.ts';
import type { Memory } from '../memory/memory.ts';

/** The answer to a read, or the error in its place. For callers that go on without the answer. */
export async function attempt<T>(read: Promise<T>): Promise<T | ReconcileError> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof ReconcileError) return error;
    throw error;
  }
}

/** The answer to a read, or `otherwise` where its failure is taken. What a whole run is short of is never taken. */
export async function orUnread<T>(
  { unread }: Pick<CloudReader, 'unread'>,
  otherwise: T,
  read: Promise<T>,
): Promise<T> {
  const found = await attempt(read);
  if (!(found instanceof ReconcileError)) return found;
  const { code } = found;
  if (!unread || code === 'BUDGET_SPENT' || code === 'RATE_LIMITED') throw found;
  const message = `keeps levelset from reading what it needs: ${found.message}; until the read succeeds, levelset changes nothing but the members`;
  const problem = { field: 'OpenStack', value: code, message, code, blocking: true, passing: true } as const;
  if (unread.length === 0) unread.push(problem);
  return otherwise;
}

const PATIENCE_MS = 2_000;
/** After a failure no object of the process asks again for this time, in milliseconds. */
const BACKOFF_MS = 60_000;

/** The answer to a read that the object does not need; undefined if it fails or takes two seconds. The key names what is read. */
export async function readIfPossible<T>(
  { memory, clock }: Pick<World, 'memory' | 'clock'>,
  key: string,
  read: () => Promise<T>,
): Promise<T | undefined> {
  const { unanswered } = memory;
  if ((unanswered.get(key) ?? 0) > clock.now()) return undefined;
  // what is not there is an answer, too
  const asked = attempt(read()).then((answer) => ({ answer }));
  const answered = await valueWithin(PATIENCE_MS, asked);
  if (answered && !(answered.answer instanceof ReconcileError)) return answered.answer;
  // a run without time says nothing about the service
  if (answered?.answer instanceof ReconcileError && answered.answer.code === 'BUDGET_SPENT') return undefined;
  unanswered.set(key, clock.now() + BACKOFF_MS);
  return undefined;
}

/** The cloud, and what answers list calls: the cloud itself, or the lists of a sweep. */
export interface ListSource extends CloudReader {
  readonly lists: Pick<Cloud, 'list'>;
}

/**
 * The answer to a read that the object can do without; undefined if it fails. After a failure no run asks again for a
 * minute. A sweep's read has no such limits.
 */
export async function lookUpIfPossible<T>(
  source: ListSource,
  key: string,
  look: () => Promise<T>,
): Promise<T | undefined> {
  if (source.lists === source.cloud) return readIfPossible(source, key, look);
  const found = await attempt(look());
  return found instanceof ReconcileError ? undefined : found;
}

const MINUTE_MS = 60_000;

/** The answer to a read of what hardly ever changes, shared by all runs for a minute. The key names what is read. */
export function onceAMinute<T>(
  { memory, clock }: Pick<World, 'memory' | 'clock'>,
  key: string,
  ask: () => Promise<T>,
): Promise<T> {
  return memory.answers.read(key, { keepMs: MINUTE_MS, clock }, ask);
}

/** The most values in one URL. Some servers take no more than 4 kB of it. */
export const PORTS_AT_ONCE = 50;

/** Ports with one of these values, and perhaps more; with more values than `atOnce` all of the project. */
export async function listPorts(
  filter: 'id' | 'device_id' | 'fixed_ips',
  values: readonly string[],
  fields: readonly string[],
  cloud: Pick<Cloud, 'list'>,
  atOnce = PORTS_AT_ONCE,
): Promise<readonly WireResource[]> {
  if (values.length === 0) return [];
  return cloud.list('port', values.length > atOnce ? { fields } : { [filter]: values, fields });
}

/** Runs `run` for every item, at most `concurrency` at a time. Returns the results in the order of the items. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  concurrency: number,
  run: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results = new Map<number, Result>();
  const queue = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) results.set(index, await run(item));
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker));
  return items.map((_, index) => results.get(index) as Result);
}

interface Reading {
  readonly kube: { listNodes(): Promise<readonly Node[]> };
  readonly memory: Pick<Memory, 'answers' | 'nodesKeptMs' | 'projectServers'>;
  readonly clock: Lifetime['clock'];
}

const NODES = 'Nodes';

/** The Nodes, listed at most once in `nodesKeptMs` for all runs of a process. */
export function listNodesLately(reading: Reading): Promise<readonly Node[]> {
  const { memory, clock } = reading;
  return memory.answers.read(NODES, { keepMs: memory.nodesKeptMs, clock }, () => list(reading));
}

/** The Nodes as they are now, for a sweep and for the runs after it. */
export function listNodesNow(world: Reading): Promise<readonly Node[]> {
  forgetNodes(world);
  return listNodesLately(world);
}

/** The Nodes as they are now. Those who ask while a list is on its way share it, such as many Nodes that join at once. */
export function listNodesTogether(reading: Reading): Promise<readonly Node[]> {
  const { memory, clock } = reading;
  return memory.answers.read('Nodes, now', { keepMs: 0, clock }, () => list(reading));
}

async function list({ kube, memory }: Reading): Promise<readonly Node[]> {
  const nodes = await kube.listNodes();
  memory.projectServers?.claim(serversOf(nodes));
  return nodes;
}

export function forgetNodes({ memory }: { readonly memory: Pick<Memory, 'answers'> }): void {
  memory.answers.forget(NODES);
}
