/** The queue in a NATS of three servers, each with a copy of every stream, and in one. */
import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { connectNats } from '../../../shared/queue/jetstream/connect-nats.ts';
import { clusterOwner, ensureLayout, namesOf } from '../../../shared/queue/jetstream/layout.ts';
import { Session } from '../../../shared/queue/jetstream/session.ts';
import { startNats, startThreeNats, type NatsServer } from './nats-server.ts';

const inLab = process.env['LEVELSET_CONFORMANCE_NATS'] !== undefined;

describe.runIf(inLab)('the layout in one server', () => {
  let nats: NatsServer;
  beforeAll(async () => {
    nats = await startNats();
  });
  afterAll(() => nats.close());

  async function manager(): Promise<JetStreamManager> {
    const connection = await connectNats({ servers: [nats.url] });
    onTestFinished(() => connection.close());
    return jetstreamManager(connection);
  }

  test('has one copy, and a warning for each stream each time', async () => {
    const jsm = await manager();
    const cluster = randomUUID();
    for (const _ of [1, 2]) {
      const warnings: unknown[] = [];
      await ensureLayout(jsm, clusterOwner(cluster), { warn: (_message, fields) => warnings.push(fields) });
      const { work, later, dead } = namesOf(clusterOwner(cluster));
      const reason: unknown = expect.stringContaining('replicas > 1 not supported');
      expect(warnings).toEqual(
        [work, later, dead].map((stream) => ({ stream, copies: 1, wanted: 3, reason })),
      );
    }
  });

  test('is refused where NATS knows no schedules, and leaves nothing there', async () => {
    const jsm = await manager();
    const cluster = randomUUID();
    const { streams } = jsm;
    const older = Object.create(streams) as typeof streams;
    older.add = (config) => {
      const { allow_msg_schedules: _, ...known } = config; // 2.11 ignores what it does not know
      return streams.add(known);
    };
    Object.defineProperty(jsm, 'streams', { value: older });
    const made = ensureLayout(jsm, clusterOwner(cluster), { warn: () => undefined });
    await expect(made).rejects.toThrow('levelset needs NATS 2.12 or newer');
    await expect(streams.info(namesOf(clusterOwner(cluster)).later)).rejects.toThrow('stream not found');
  });
});

describe.runIf(inLab)('the queue in three servers', () => {
  let servers: readonly NatsServer[] = [];
  beforeAll(async () => {
    servers = await startThreeNats();
  });
  afterAll(() => Promise.all(servers.map((server) => server.close())));

  /** A session over a connection to each server. */
  async function sessions(cluster: string): Promise<readonly Session[]> {
    return Promise.all(
      servers.map(async ({ url }) => {
        const connection = await connectNats({ servers: [url] });
        onTestFinished(() => connection.close());
        for (let tries = 0; ; tries += 1) {
          try {
            return await Session.open(connection, clusterOwner(cluster), { warn: () => undefined });
          } catch (error) {
            if (tries > 50) throw error; // they have no leader yet
            await sleep(200);
          }
        }
      }),
    );
  }

  test('takes one message of a cause that all send at the same instant', async () => {
    const cluster = randomUUID();
    const all = await sessions(cluster);
    for (let turn = 0; turn < 100; turn += 1) {
      const request = { key: `service/shop/web-${turn}`, trigger: 'sweep', cause: `sweep ${turn}` } as const;
      await Promise.all(all.map((session) => session.publish({ request, attempt: 0 })));
    }
    expect((await all[0]?.depth())?.depth).toBe(100);
  });

  test('gets the copies that NATS had too few servers for', async () => {
    const cluster = randomUUID();
    const [session] = await sessions(cluster);
    if (!session) throw new Error('a session');
    const jsm = await jetstreamManager(session.connection);
    const names = namesOf(clusterOwner(cluster));
    const copies = async (): Promise<readonly number[]> => {
      const all = [names.work, names.later, names.dead].map((name) => jsm.streams.info(name));
      return (await Promise.all(all)).map(({ config }) => config.num_replicas);
    };
    expect(await copies()).toEqual([3, 3, 3]);
    for (const name of [names.work, names.later]) await jsm.streams.update(name, { num_replicas: 1 });
    await Session.open(session.connection, clusterOwner(cluster), { warn: () => undefined });
    expect(await copies()).toEqual([3, 3, 3]);
  });
});
