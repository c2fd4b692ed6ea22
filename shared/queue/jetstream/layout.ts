import { createHash } from 'node:crypto';
import type { ConsumerConfig, JetStreamManager, StreamConfig, StreamInfo } from '@nats-io/jetstream';
import { errorText } from '../../model/errors.ts';
import { isUnit, queueKeyOf, type Named, type ReconcileRequest, type Trigger } from '../../model/request.ts';
import type { Log } from '../../ports.ts';
import { PRIORITY } from '../scheduling.ts';
import { kindOf } from '../places.ts';

/** A message whose worker says nothing for so long is delivered again: as long as a Kubernetes Lease outlives its holder. */
export const ACK_WAIT_MS = 15_000;

/**
 * So many keys of a kind run at once, in all processes together. Each partition is a consumer that hands out its next message
 * after the one before is done. Services, Nodes, the routes and sweeps hold up none of the others.
 */
type Partitions = Readonly<Record<'service' | 'node' | 'routes' | 'sweep', number>>;

const OF_CLUSTER: Partitions = { service: 16, node: 16, routes: 1, sweep: 1 };
/** All clusters share them, so no cluster more is a stream or a consumer more. */
const OF_DEPLOYMENT: Partitions = { service: 32, node: 16, routes: 8, sweep: 8 };

/** Whose queue it is: several may share a NATS. */
export interface Owner {
  readonly name: string;
  readonly partitions: Partitions;
}

/** @param uid of its namespace kube-system. */
export function clusterOwner(uid: string): Owner {
  return { name: uid, partitions: OF_CLUSTER };
}

/** A deployment with several clusters. @param name one label of DNS. */
export function deploymentOwner(name: string): Owner {
  return { name, partitions: OF_DEPLOYMENT };
}

export interface Names {
  /** Keys that wait for their run or have it. */
  readonly work: string;
  /** Keys that come back later. */
  readonly later: string;
  /** Messages that no process can work on. */
  readonly dead: string;
  /** The consumers of `work`, one for each partition: `service-0`, `node-0` and so on. */
  readonly consumers: readonly string[];
  /** The consumer of `later`. */
  readonly due: string;
  workSubject(request: Pick<ReconcileRequest, 'cluster' | 'key' | 'trigger'>): string;
  laterSubject(named: Named): string;
  dueSubject(named: Named): string;
  deadSubject(of: string): string;
  /** The subject of all reports. */
  readonly reports: string;
  reportSubject(named: Named): string;
}

export function namesOf({ name, partitions }: Owner): Names {
  const subject = (...tokens: readonly string[]): string => ['levelset', name, ...tokens].join('.');
  return {
    work: `levelset-work-${name}`,
    later: `levelset-later-${name}`,
    dead: `levelset-dead-${name}`,
    consumers: Object.entries(partitions).flatMap(([kind, count]) =>
      Array.from({ length: count }, (_, number) => `${kind}-${number}`),
    ),
    due: 'due',
    workSubject: (request) =>
      subject('work', partitionOf(request, partitions), laneOf(request.trigger), tokenOf(request)),
    laterSubject: (named) => subject('later', tokenOf(named)),
    dueSubject: (named) => subject('due', tokenOf(named)),
    deadSubject: (of) => subject('dead', of.split('.').at(-1) ?? ''),
    reports: subject('report', '*'),
    reportSubject: (named) => subject('report', tokenOf(named)),
  };
}

/** All sweeps of a cluster have one partition: it is never in two of them at once. */
function partitionOf(named: Named, partitions: Partitions): string {
  const kind = isUnit(named.key) ? kindOf(named.key) : 'sweep';
  const what = kind === 'sweep' ? (named.cluster ?? '') : queueKeyOf(named);
  const count = partitions[kind as keyof Partitions];
  return `${kind}-${createHash('sha256').update(what).digest().readUInt32BE() % count}`;
}

/** What people ask for has a lane of its own: it is queued although an event waits, and the other way round. */
function laneOf(trigger: Trigger): string {
  return PRIORITY[trigger] === 'asked' ? 'asked' : 'told';
}

/** Names of Nodes may have dots, and tokens of subjects may not. */
function tokenOf(named: Named): string {
  return Buffer.from(queueKeyOf(named)).toString('base64url');
}

type Stream = Pick<StreamConfig, 'name' | 'subjects' | 'max_msgs_per_subject' | 'retention' | 'discard'> &
  Partial<Pick<StreamConfig, 'discard_new_per_subject' | 'allow_msg_schedules'>>;

/**
 * Two messages of a subject: the first may have its run, and the other one waits for it. A third is refused, which loses nothing, as
 * the one that waits starts later and reads what is there by then. With one, what comes during a run would be lost; and with
 * `discard: old` it would take the place of the run's message and be handed out beside it.
 */
function streamsOf(names: Names, owner: Owner): readonly Stream[] {
  const of = (what: string): string => `levelset.${owner.name}.${what}`;
  const workqueue = 'workqueue' as const;
  return [
    {
      name: names.work,
      subjects: [of('work.>')],
      retention: workqueue,
      max_msgs_per_subject: 2,
      discard: 'new',
      discard_new_per_subject: true,
    },
    // a stream with discard new takes no schedules, hence a second one
    {
      name: names.later,
      subjects: [of('later.*'), of('due.*')],
      retention: workqueue,
      max_msgs_per_subject: 1,
      discard: 'old',
      allow_msg_schedules: true,
    },
    {
      name: names.dead,
      subjects: [of('dead.*')],
      retention: 'limits',
      max_msgs_per_subject: 1,
      discard: 'old',
    },
  ];
}

type Consumer = Pick<ConsumerConfig, 'durable_name' | 'filter_subject' | 'ack_policy' | 'ack_wait'> &
  Partial<Pick<ConsumerConfig, 'max_ack_pending'>>;

function consumersOf(names: Names, owner: Owner): readonly (readonly [string, Consumer])[] {
  const common = { ack_policy: 'explicit', ack_wait: ACK_WAIT_MS * 1e6 } as const;
  const ofWork = names.consumers.map((name): readonly [string, Consumer] => [
    names.work,
    {
      ...common,
      durable_name: name,
      filter_subject: `levelset.${owner.name}.work.${name}.>`,
      max_ack_pending: 1, // the lock: one key of a partition at a time
    },
  ]);
  const due = { ...common, durable_name: names.due, filter_subject: `levelset.${owner.name}.due.*` };
  return [...ofWork, [names.later, due]];
}

/** JetStream's error_codes of a stream with more copies than it has servers for. */
const TOO_MANY_COPIES = new Set([10_074, 10_005]);
const COPIES = 3;

/**
 * Creates what is missing of streams and consumers, with three copies of each where NATS has three servers by now. Throws where
 * one that is there would not keep levelset's promises.
 */
export async function ensureLayout(
  jsm: JetStreamManager,
  owner: Owner,
  log: Pick<Log, 'warn'>,
): Promise<void> {
  const names = namesOf(owner);
  for (const wanted of streamsOf(names, owner)) {
    const found = await unlessMissing(jsm.streams.info(wanted.name).then(({ config }) => config));
    if (found) compare(`stream ${wanted.name}`, wanted, found);
    const copies = found?.num_replicas ?? (await addStream(jsm, wanted));
    if (copies < COPIES) await addCopies(jsm, wanted.name, copies, log);
  }
  for (const [stream, wanted] of consumersOf(names, owner)) {
    const { durable_name: name = '' } = wanted;
    const found = await unlessMissing(jsm.consumers.info(stream, name).then(({ config }) => config));
    if (found) compare(`consumer ${name} of stream ${stream}`, wanted, found);
    else await jsm.consumers.add(stream, wanted);
  }
}

/** Returns how many copies it has. */
async function addStream(jsm: JetStreamManager, wanted: Stream): Promise<number> {
  const add = (copies: number): Promise<StreamInfo> => jsm.streams.add({ ...wanted, num_replicas: copies });
  const { config } = await add(COPIES).catch((error: unknown) => {
    if (!TOO_MANY_COPIES.has(apiCode(error))) throw error;
    return add(1);
  });
  const lost = differences(wanted, config);
  if (lost.length === 0) return config.num_replicas;
  await jsm.streams.delete(wanted.name); // or a newer NATS would find it as it is
  throw new Error(
    `levelset needs NATS 2.12 or newer: of the stream ${wanted.name} it made, ${lost.join(', ')}`,
  );
}

/** What NATS has too few servers or too little room for is no error: the next session tries again. */
async function addCopies(
  jsm: JetStreamManager,
  name: string,
  copies: number,
  log: Pick<Log, 'warn'>,
): Promise<void> {
  try {
    await jsm.streams.update(name, { num_replicas: COPIES });
  } catch (error) {
    if (apiCode(error) === 0) throw error;
    log.warn('a stream in NATS has too few copies: what it has is lost with a server', {
      stream: name,
      copies,
      wanted: COPIES,
      reason: errorText(error),
    });
  }
}

async function unlessMissing<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (MISSING.has(apiCode(error))) return undefined;
    throw error;
  }
}

const MISSING = new Set([10_059, 10_014]);

/** JetStream's error_code; 0 for any other error. */
export function apiCode(error: unknown): number {
  return error instanceof Error && 'code' in error ? Number(error.code) || 0 : 0;
}

function compare(what: string, wanted: object, found: object): void {
  const wrong = differences(wanted, found);
  if (wrong.length === 0) return;
  throw new Error(
    `the ${what} in NATS is not as levelset needs it: ${wrong.join(', ')}; delete it, and levelset makes it anew`,
  );
}

function differences(wanted: object, found: object): readonly string[] {
  const is: Readonly<Record<string, unknown>> = { ...found };
  return Object.entries(wanted)
    .filter(([field, value]) => JSON.stringify(is[field]) !== JSON.stringify(value))
    .map(
      ([field, value]) => `${field} is ${JSON.stringify(is[field])} and has to be ${JSON.stringify(value)}`,
    );
}
