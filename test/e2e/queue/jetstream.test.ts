/**
 * Two `serve` on one NATS JetStream, one after the other killed while Services come, change and go: none is lost, none has two
 * load balancers, and no key has two runs at once.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { setTimeout as pause } from 'node:timers/promises';
import { startNats, type NatsServer } from '../../conformance/queue/nats-server.ts';
import {
  addressOf,
  apply,
  aService,
  floatingIPs,
  kubectl,
  lab,
  loadBalancers,
  loadBalancersOf,
  readyOf,
  serviceGone,
  startLevelset,
  treeOf,
  uidOf,
  until,
  type Levelset,
} from '../lab/lab.ts';
import { labWorld } from '../lab/lab-world.ts';

const world = labWorld({
  nodes: ['e2e-jetstream-1', 'e2e-jetstream-2'],
  levelsetByTest: true,
  goneWithinMs: 120_000,
});

let nats: NatsServer;
beforeAll(async () => {
  nats = await startNats();
});
afterAll(() => nats.close());

const PATIENT = { timeoutMs: 240_000 };
const NAMES = ['one', 'two', 'three', 'four', 'five', 'six'];
/** One of the two is killed so often: each costs its keys 15 s, of their message and of their Lease. */
const KILLS = 10;
const EVERY_MS = 5_000;

const portOf = (address: string): number => Number(address.split(':').at(-1));
const addresses = (): readonly string[] => [lab().listen, `127.0.0.1:${portOf(lab().listen) + 20}`];
const worker = (listen: string): Promise<Levelset> =>
  startLevelset({ listen, args: ['--watch', '--queue', nats.url] });

interface Run {
  readonly object: string;
  readonly began: number;
  readonly ended: number;
}

/** The runs that ended, as a worker logged them. */
function runsOf(log: string): readonly Run[] {
  const lines = log.split('\n').filter((line) => line.includes('"message":"reconciled"'));
  return lines.map((line) => {
    const { object, timestamp, duration_ms: took } = JSON.parse(line) as Record<string, string | number>;
    const ended = Date.parse(String(timestamp));
    return { object: String(object), began: ended - Number(took), ended };
  });
}

/** Pairs of runs of one key that overlap. The log has milliseconds. */
function overlaps(runs: readonly Run[]): readonly (readonly [Run, Run])[] {
  return [...Map.groupBy(runs, ({ object }) => object).values()].flatMap((ofOne) => {
    const sorted = ofOne.toSorted((a, b) => a.began - b.began);
    return sorted.slice(1).flatMap((run, at): (readonly [Run, Run])[] => {
      const before = sorted[at];
      return before && run.began < before.ended - 2 ? [[before, run]] : [];
    });
  });
}

it('loses no Service and makes none twice while its workers are killed', { timeout: 900_000 }, async () => {
  const [first = '', second = ''] = addresses();
  const workers = [await worker(first), await worker(second)];
  const logs: string[] = [];
  const rested = { kills: 0, isOver: false };
  const isOver = (): boolean => rested.isOver;
  const killing = (async () => {
    for (let at = 0; rested.kills < KILLS && !isOver(); at = 1 - at) {
      await pause(EVERY_MS);
      const victim = workers[at];
      if (isOver() || !victim) continue;
      await victim.kill();
      rested.kills += 1;
      logs.push(victim.log());
      workers[at] = await worker(at === 0 ? first : second);
    }
  })();

  const began = Date.now();
  let most = 0;
  const count = async (): Promise<void> => {
    for (const name of NAMES) {
      const uid = await uidOf(world.namespace, name).catch(() => undefined);
      if (uid !== undefined) most = Math.max(most, (await loadBalancersOf(uid)).length);
    }
  };
  await apply(NAMES.map((name) => aService(world.namespace, name, [{ port: 80 }])));
  for (const name of NAMES) await addressOf(world.namespace, name, PATIENT);
  const created = Date.now() - began;
  await count();
  await apply(NAMES.map((name) => aService(world.namespace, name, [{ port: 80 }, { port: 443 }])));
  for (const name of NAMES)
    await until(
      `both ports of ${name}`,
      async () => (await treeOf(world.namespace, name)).listeners.length === 2,
      PATIENT,
    );
  const changed = Date.now() - began - created;
  await count();
  const [gone = '', ...stays] = NAMES;
  await kubectl(['-n', world.namespace, 'delete', 'service', gone, '--wait=false']);
  await serviceGone(world.namespace, gone, PATIENT);
  rested.isOver = true;
  await killing;

  for (const name of stays)
    await until(
      `${name} to be settled`,
      async () => (await readyOf(world.namespace, name))?.status === 'True',
      PATIENT,
    );
  await count();
  logs.push(...workers.map((one) => one.log()));
  const runs = logs.flatMap(runsOf);
  const doubles = overlaps(runs);
  const before = new Set(lab().before);
  const isNew = (kind: string, id: string): boolean =>
    ![...before].some((one) => one.startsWith(`${kind} ${id}`));
  const balancers = (await loadBalancers()).filter(({ id }) => isNew('load balancer', id));
  const ips = (await floatingIPs()).filter(({ id }) => isNew('floating IP', id));
  console.log(
    `JetStream: ${NAMES.length} Services, ${rested.kills} workers killed: all have an address after ${created} ms, ` +
      `the second port after ${changed} ms more; ${runs.length} runs ended, ${doubles.length} overlap; ` +
      `${balancers.length} load balancers and ${ips.length} floating IPs for ${stays.length} Services, ` +
      `never more than ${most} of one`,
  );
  expect(rested.kills).toBeGreaterThan(2);
  expect(most).toBe(1);
  expect(balancers).toHaveLength(stays.length);
  expect(ips).toHaveLength(stays.length);
  expect(doubles).toEqual([]);
});
