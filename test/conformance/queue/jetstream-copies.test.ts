/** The queue in a NATS of three servers, each with a copy of every stream. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { connectNats } from '../../../shared/queue/jetstream/connect-nats.ts';
import { Session } from '../../../shared/queue/jetstream/session.ts';
import { startThreeNats, type NatsServer } from './nats-server.ts';

describe.runIf(process.env['LEVELSET_CONFORMANCE_NATS'] !== undefined)('the queue in three servers', () => {
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
            return await Session.open(connection, cluster);
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
});
