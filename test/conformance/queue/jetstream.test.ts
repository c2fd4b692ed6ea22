/** What the queue in JetStream promises beside what all queues do: outages, other processes, messages that nobody can read. */
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Report } from '../../../shared/model/outcome.ts';
import type { Key, ReconcileRequest } from '../../../shared/model/request.ts';
import { connectNats, type NatsAddress } from '../../../shared/queue/jetstream/connect-nats.ts';
import { JetStreamQueue } from '../../../shared/queue/jetstream/jetstream-queue.ts';
import { clusterOwner, ensureLayout, namesOf } from '../../../shared/queue/jetstream/layout.ts';
import { aReport, progressing, SETTLED } from '../../unit/queue/reports.ts';
import { secured } from './nats-credentials.ts';
import { startNats, type NatsServer } from './nats-server.ts';

const QUIET = { warn: () => undefined };
const inLab = process.env['LEVELSET_CONFORMANCE_NATS'] !== undefined;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const until = async (what: string, isSo: () => boolean | Promise<boolean>): Promise<void> => {
  for (const end = performance.now() + 30_000; !(await isSo());) {
    if (performance.now() > end) throw new Error(`gave up waiting for: ${what}`);
    await pause(20);
  }
};
const asked = (name: string, trigger: ReconcileRequest['trigger'] = 'audit'): ReconcileRequest => ({
  key: `service/shop/${name}`,
  trigger,
  cause: randomUUID(),
});

describe.runIf(inLab)('the queue in JetStream', () => {
  let nats: NatsServer;
  beforeAll(async () => {
    nats = await startNats();
  });
  afterAll(() => nats.close());

  interface Process {
    readonly queue: JetStreamQueue;
    readonly runs: Key[];
    readonly told: Report[];
    readonly errors: string[];
  }

  /** A process that works on the queue of a cluster until the test is over. */
  function aProcess(
    cluster: string,
    url = nats.url,
    secrets: Partial<NatsAddress> = {},
    runMs = 20,
    ending: Partial<Report> = {},
  ): Process {
    const [runs, told, errors]: [Key[], Report[], string[]] = [[], [], []];
    const queue = new JetStreamQueue({
      connect: () => connectNats({ servers: [url], ...secrets }),
      owner: () => Promise.resolve(clusterOwner(cluster)),
      log: {
        info: () => undefined,
        warn: () => undefined,
        error: (message, fields) => errors.push(`${message} ${JSON.stringify(fields)}`),
      },
    });
    queue.join(undefined, {
      run: async (request) => {
        runs.push(request.key);
        await pause(runMs);
        return aReport(request, SETTLED, ending);
      },
      told: (report) => told.push(report),
    });
    queue.start();
    onTestFinished(() => queue.stop());
    return { queue, runs, told, errors };
  }
  const ready = ({ queue }: Process): Promise<void> =>
    until('the queue to answer', () => queue.trouble === undefined);

  async function scheduled(cluster: string): Promise<void> {
    const connection = await connectNats({ servers: [nats.url] });
    onTestFinished(() => connection.close());
    const jsm = await jetstreamManager(connection);
    const { later } = namesOf(clusterOwner(cluster));
    await until('the schedule', async () => (await jsm.streams.info(later)).state.messages === 1);
  }

  test('keeps what is added while NATS is away, and runs what was queued before', async () => {
    const own = await startNats();
    onTestFinished(() => own.close());
    const it = aProcess(randomUUID(), own.url);
    await ready(it);
    await it.queue.add({ ...asked('later'), trigger: 'requeue' }, 3_000);
    await own.kill();
    await until('the trouble', () => it.queue.trouble !== undefined);
    expect(it.queue.trouble).toMatch(/^NATS: /);
    await expect(it.queue.depth()).rejects.toThrow('NATS');
    await expect(it.queue.ask(asked('person', 'resync'))).rejects.toThrow('NATS');
    await it.queue.add(asked('web'));
    await it.queue.add(asked('web'));
    expect(it.runs).toEqual([]);

    await own.restart();
    await until('both runs', () => it.runs.length === 2);
    expect(it.runs.toSorted()).toEqual(['service/shop/later', 'service/shop/web']);
    expect(it.queue.trouble).toBeUndefined();
  });

  test('makes streams anew that are gone', async () => {
    const own = await startNats();
    onTestFinished(() => own.close());
    const it = aProcess(randomUUID(), own.url);
    await ready(it);
    await own.kill();
    await own.restart({ empty: true });
    await it.queue.add(asked('web'));
    await until('the run', () => it.runs.length > 0);
  });

  test('lives on when the streams go while a key runs, and runs it again', async () => {
    const own = await startNats();
    onTestFinished(() => own.close());
    const it = aProcess(randomUUID(), own.url, {}, 6_000);
    await ready(it);
    await it.queue.add(asked('web'));
    await until('the run', () => it.runs.length === 1);
    await own.kill();
    await own.restart({ empty: true });
    await pause(6_500); // it says that it is at work after five seconds
    await it.queue.add(asked('web'));
    await until('another run', () => it.runs.length === 2);
  });

  test('a key that NATS refuses holds up no other', async () => {
    const it = aProcess(randomUUID(), nats.url, {}, 500);
    await ready(it);
    const running = it.queue.ask(asked('web', 'resync'));
    await until('the run', () => it.runs.length === 1);
    await it.queue.add({ ...asked('refused'), cause: 'x'.repeat(2 ** 21) }); // longer than a message may be
    expect(it.queue.trouble).toMatch(/payload/i);
    await running;
    expect((await it.queue.ask(asked('other', 'resync'))).outcome).toEqual(SETTLED);
    await until('the refused key alone', async () => (await it.queue.depth()).depth === 1);
    expect(it.runs).toEqual(['service/shop/web', 'service/shop/other']);
  });

  test('stops at once while NATS is away', async () => {
    const own = await startNats();
    onTestFinished(() => own.close());
    const it = aProcess(randomUUID(), own.url);
    await ready(it);
    await own.kill();
    await until('the trouble', () => it.queue.trouble !== undefined);
    const began = performance.now();
    await it.queue.stop();
    expect(performance.now() - began).toBeLessThan(5_500);
  });

  test('starts where NATS is not there yet', async () => {
    const own = await startNats();
    onTestFinished(() => own.close());
    await own.kill();
    const it = aProcess(randomUUID(), own.url);
    await it.queue.add(asked('web'));
    await until('the trouble', () => it.queue.trouble?.includes('refused') === true);
    await own.restart();
    await until('the run', () => it.runs.length === 1);
  });

  test('leaves a stream alone that is not as it has to be, and says what is wrong', async () => {
    const cluster = randomUUID();
    const names = namesOf(clusterOwner(cluster));
    const connection = await connectNats({ servers: [nats.url] });
    onTestFinished(() => connection.close());
    const jsm = await jetstreamManager(connection);
    await ensureLayout(jsm, clusterOwner(cluster), QUIET);
    await ensureLayout(jsm, clusterOwner(cluster), QUIET);
    await jsm.streams.update(names.work, { discard_new_per_subject: false, max_msgs_per_subject: 5 });

    const it = aProcess(cluster);
    await until('the trouble', () => it.queue.trouble?.includes('max_msgs_per_subject') === true);
    expect(it.queue.trouble).toContain(`stream ${names.work}`);
    expect(it.queue.trouble).toContain('max_msgs_per_subject is 5 and has to be 2');
    expect((await jsm.streams.info(names.work)).config.max_msgs_per_subject).toBe(5);
  });

  test('puts aside what nobody can read, and goes on with the rest', async () => {
    const cluster = randomUUID();
    const names = namesOf(clusterOwner(cluster));
    const it = aProcess(cluster);
    await ready(it);
    const connection = await connectNats({ servers: [nats.url] });
    onTestFinished(() => connection.close());
    const subject = names.workSubject({ key: 'service/shop/web', trigger: 'audit' });
    await jetstream(connection).publish(subject, JSON.stringify({ version: 99 }));
    await it.queue.add(asked('web'));
    await until('the run', () => it.runs.length === 1);

    const jsm = await jetstreamManager(connection);
    await until('the dead letter', async () => (await jsm.streams.info(names.dead)).state.messages === 1);
    await until('an empty queue', async () => (await it.queue.depth()).depth === 0);
    expect(it.errors).toEqual([expect.stringContaining('it is of version 99')]);
  });

  test('answers a person with the report of a run in another process, and tells all of it', async () => {
    const cluster = randomUUID();
    const [one, other] = [aProcess(cluster), aProcess(cluster)];
    await ready(one);
    await ready(other);
    const names = Array.from({ length: 12 }, (_, at) => `web-${at}`);
    const reports = await Promise.all(names.map((name) => one.queue.ask(asked(name, 'resync'))));
    expect(reports.map(({ request }) => request.key)).toEqual(names.map((name) => `service/shop/${name}`));
    expect(one.runs.length + other.runs.length).toBe(12);
    expect(other.runs.length).toBeGreaterThan(0);
    await until('the reports', () => one.told.length === other.runs.length);
    expect(one.told.map(({ request }) => request.key).toSorted()).toEqual(other.runs.toSorted());
  });

  test('runs one message of a cause that several processes send', async () => {
    const cluster = randomUUID();
    const [one, other] = [aProcess(cluster), aProcess(cluster)];
    await ready(one);
    await ready(other);
    const sweep: ReconcileRequest = { key: 'all', trigger: 'sweep', cause: 'sweep 17' };
    await one.queue.add(sweep);
    await until('the sweep', () => one.runs.length + other.runs.length === 1);
    await other.queue.add(sweep);
    await pause(300);
    expect([...one.runs, ...other.runs]).toEqual(['all']);
  });

  test('lets a sweep bring no key forward whose next try is scheduled, and an event does', async () => {
    const outcome = { ...progressing(60_000), waitingFor: 'lb' };
    const cluster = randomUUID();
    const it = aProcess(cluster, nats.url, {}, 20, { outcome });
    await ready(it);
    await it.queue.add(asked('web'));
    await scheduled(cluster);
    await it.queue.add({ key: 'service/shop/web', trigger: 'sweep' });
    await it.queue.add({ key: 'service/shop/other', trigger: 'sweep' });
    await until('the other', () => it.runs.length === 2);
    await it.queue.add(asked('web'));
    await until('the event', () => it.runs.length === 3);
    expect(it.runs).toEqual(['service/shop/web', 'service/shop/other', 'service/shop/web']);
  });

  test('a sweep runs a key that comes back only when its members have drained', async () => {
    const cluster = randomUUID();
    const it = aProcess(cluster, nats.url, {}, 20, { drainedInMs: 3_600_000 });
    await ready(it);
    await it.queue.add(asked('web'));
    await scheduled(cluster);
    await it.queue.add({ key: 'service/shop/web', trigger: 'sweep' });
    await until('the sweep', () => it.runs.length === 2);
  });

  describe('over TLS, with credentials that allow what SECURITY.md says', () => {
    const folder = mkdtempSync(join(tmpdir(), 'levelset-nats-tls-'));
    const api = ['levelset.>', '_INBOX.>', '$JS.API.>', '$JS.ACK.>'];
    let own: NatsServer;
    let secrets: ReturnType<typeof secured>;
    const url = (): string => `nats://localhost:${own.port}`; // the name in the certificate
    beforeAll(async () => {
      secrets = secured(folder, { publish: api, subscribe: ['levelset.>', '_INBOX.>'] });
      own = await startNats(secrets);
    });
    afterAll(async () => {
      await own.close();
      rmSync(folder, { recursive: true });
    });

    test('works', async () => {
      const { credentialsFile, caFile } = secrets;
      const cluster = randomUUID();
      const [one, other] = [1, 2].map(() => aProcess(cluster, url(), { credentialsFile, caFile }));
      if (!one || !other) throw new Error('two processes');
      await ready(one);
      await ready(other);
      expect((await one.queue.ask(asked('web', 'resync'))).outcome).toEqual(SETTLED);
      await one.queue.add({ ...asked('later'), trigger: 'requeue' }, 200);
      await until('the later run', () => one.runs.length + other.runs.length === 2);
    });

    test('says that credentials or the CA are missing', async () => {
      const { credentialsFile, caFile } = secrets;
      const [stranger, doubter] = [
        aProcess(randomUUID(), url(), { caFile }),
        aProcess(randomUUID(), url(), { credentialsFile }),
      ];
      await until('the refusal', () => /authorization violation/i.test(stranger.queue.trouble ?? ''));
      await until('the doubt', () => /self-signed certificate/i.test(doubter.queue.trouble ?? ''));
    });

    test('takes no plain connection where it should be encrypted', async () => {
      const it = aProcess(randomUUID(), nats.url.replace('nats:', 'tls:'));
      await until('the refusal', () => /tls/i.test(it.queue.trouble ?? ''));
    });
  });
});
