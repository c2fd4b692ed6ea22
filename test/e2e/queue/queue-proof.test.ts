/** The queue in JetStream alone, under thousands of triggers, failing runs and workers that are killed. */
import { fork, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { startNats } from '../../conformance/queue/nats-server.ts';
import { serviceKey, type Key } from '../../../shared/model/request.ts';
import { connectNats } from '../../../shared/queue/jetstream/connect-nats.ts';
import { clusterOwner } from '../../../shared/queue/jetstream/layout.ts';
import { Session } from '../../../shared/queue/jetstream/session.ts';

const [TRIGGERS, KEYS, WORKERS, KILLS] = [5_000, 40, 3, 4];
/** So many triggers are under way at once, and each of them is followed by a pause. */
const SENDERS = 16;
const PAUSE_MS = 20;

interface Noted {
  readonly what: string;
  readonly key: string;
  readonly at: bigint;
  readonly worker: string;
}

it('has every trigger followed by a run, and one run of a key at a time', { timeout: 240_000 }, async () => {
  const nats = await startNats();
  const folder = mkdtempSync(join(tmpdir(), 'levelset-queue-'));
  const cluster = randomUUID();
  const alive = new Map<string, ChildProcess>();
  const killed = new Map<string, bigint>();
  onTestFinished(async () => {
    for (const worker of alive.values()) worker.kill('SIGKILL');
    await nats.close();
    rmSync(folder, { recursive: true });
  });
  let count = 0;
  const begin = async (): Promise<void> => {
    const name = `worker-${(count += 1)}`;
    const script = join(import.meta.dirname, 'queue-worker.ts');
    const child = fork(script, [nats.url, cluster, join(folder, name)]);
    alive.set(name, child);
    await once(child, 'message');
  };
  for (let at = 0; at < WORKERS; at += 1) await begin();
  const connection = await connectNats({ servers: [nats.url] });
  const session = await Session.open(connection, clusterOwner(cluster), { warn: () => undefined });

  const asked = new Map<Key, bigint>();
  const began = performance.now();
  let next = 0;
  const send = async (): Promise<void> => {
    while (next < TRIGGERS) {
      const key = serviceKey('shop', `web.${Math.floor(KEYS * Math.random())}`);
      next += 1;
      asked.set(key, process.hrtime.bigint());
      await session.publish({ request: { key, trigger: 'audit', cause: randomUUID() }, attempt: 0 });
      await pause(PAUSE_MS);
    }
  };
  const kill = async (): Promise<void> => {
    for (let done = 0; done < KILLS; done += 1) {
      while (next < ((done + 1) * TRIGGERS) / (KILLS + 1)) await pause(10);
      const [name, victim] = [...alive][0] ?? [];
      if (!name || !victim) throw new Error('no worker is left');
      alive.delete(name);
      const exited = once(victim, 'exit');
      victim.kill('SIGKILL');
      await exited;
      killed.set(name, process.hrtime.bigint());
      await begin();
    }
  };
  await Promise.all([kill(), ...Array.from({ length: SENDERS }, send)]);
  const sent = performance.now() - began;
  while ((await session.depth()).depth > 0) await pause(100);
  const took = performance.now() - began;
  await connection.close();

  const noted = readdirSync(folder)
    .flatMap((worker) =>
      readFileSync(join(folder, worker), 'utf8')
        .trim()
        .split('\n')
        .map((line): Noted => {
          const [what = '', key = '', at = '0'] = line.split(' ');
          return { what, key, at: BigInt(at), worker };
        }),
    )
    .sort((a, b) => (a.at < b.at ? -1 : 1));
  const running = new Map<string, Noted>();
  const last = new Map<string, bigint>();
  const figures = { runs: 0, again: 0, overlaps: 0 };
  for (const one of noted) {
    const other = running.get(one.key);
    if (one.what === 'ended') {
      if (other?.worker === one.worker) running.delete(one.key);
      continue;
    }
    figures.runs += 1;
    last.set(one.key, one.at);
    const died = other && killed.get(other.worker);
    if (died !== undefined && one.at > died) figures.again += 1;
    else if (other) figures.overlaps += 1;
    running.set(one.key, one);
  }
  const missed = [...asked].filter(([key, at]) => (last.get(key) ?? 0n) < at);
  console.log(
    `JetStream: ${TRIGGERS} triggers of ${KEYS} keys in ${(sent / 1000).toFixed(1)} s, ${KILLS} kills among ${WORKERS} workers: ` +
      `${figures.runs} runs in ${(took / 1000).toFixed(1)} s, ${figures.again} begun again after a kill, ` +
      `${figures.overlaps} overlap, ${missed.length} keys missed`,
  );
  expect(figures.overlaps).toBe(0);
  expect(missed).toEqual([]);
  expect(figures.runs).toBeGreaterThan(KEYS);
});
