/** What the queue in JetStream promises where several processes work for several clusters. */
import { randomUUID } from 'node:crypto';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Report } from '../../../shared/model/outcome.ts';
import { queueKeyOf, type Key, type QueueKey, type ReconcileRequest } from '../../../shared/model/request.ts';
import { connectNats } from '../../../shared/queue/jetstream/connect-nats.ts';
import { JetStreamQueue } from '../../../shared/queue/jetstream/jetstream-queue.ts';
import { deploymentOwner, namesOf } from '../../../shared/queue/jetstream/layout.ts';
import { Session } from '../../../shared/queue/jetstream/session.ts';
import { bodyOf } from '../../../shared/queue/queued-work.ts';
import { aReport, progressing, SETTLED } from '../../unit/queue/reports.ts';
import { startNats, type NatsServer } from './nats-server.ts';

const WEB = 'service/shop/web';
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const until = async (what: string, isSo: () => boolean | Promise<boolean>): Promise<void> => {
  for (const end = performance.now() + 30_000; !(await isSo());) {
    if (performance.now() > end) throw new Error(`gave up waiting for: ${what}`);
    await pause(20);
  }
};
const hint = (cluster: string, key: Key = WEB): ReconcileRequest => ({
  ...{ key, cluster },
  trigger: 'audit',
  cause: randomUUID(),
});

interface Process {
  readonly queue: JetStreamQueue;
  readonly runs: QueueKey[];
  readonly warnings: string[];
  serve(...clusters: readonly string[]): void;
}

describe.runIf(process.env['LEVELSET_CONFORMANCE_NATS'] !== undefined)('a queue of several clusters', () => {
  let nats: NatsServer;
  beforeAll(async () => {
    nats = await startNats();
  });
  afterAll(() => nats.close());

  /** Processes of one deployment that are ready, until the test is over. */
  async function processes(
    count: number,
    run: (request: ReconcileRequest) => Promise<Report> = (request) =>
      Promise.resolve(aReport(request, SETTLED)),
    name = `fleet-${randomUUID().slice(0, 8)}`,
  ): Promise<readonly [Process, ...Process[]]> {
    const begin = async (): Promise<Process> => {
      const [runs, warnings]: [QueueKey[], string[]] = [[], []];
      const queue = new JetStreamQueue({
        connect: () => connectNats({ servers: [nats.url] }),
        owner: () => Promise.resolve(deploymentOwner(name)),
        holdMs: 1_000,
        log: {
          info: () => undefined,
          warn: (message, fields) => {
            if (message.startsWith('a key ')) warnings.push(`${message} ${JSON.stringify(fields)}`);
          },
          error: () => undefined,
        },
      });
      queue.start();
      onTestFinished(() => queue.stop());
      await until('the queue to answer', () => queue.trouble === undefined);
      return {
        ...{ queue, runs, warnings },
        serve: (...clusters) => {
          for (const cluster of clusters)
            queue.join(cluster, {
              run: (request) => {
                runs.push(queueKeyOf(request));
                return run(request);
              },
            });
        },
      };
    };
    const [first, ...others] = await Promise.all(Array.from({ length: count }, begin));
    if (!first) throw new Error('no process');
    return [first, ...others];
  }
  const isEmpty =
    ({ queue }: Process) =>
    async (): Promise<boolean> =>
      (await queue.depth()).depth === 0;

  test('runs one key of two clusters twice, also when both come back later', async () => {
    const [it] = await processes(1);
    it.serve('prod-a', 'prod-b');
    const named = ['prod-a', 'prod-b'].map((cluster) => hint(cluster));
    await Promise.all(named.map((request) => it.queue.add(request)));
    await until('the runs', () => it.runs.length === 2);
    await Promise.all(named.map((request) => it.queue.add({ ...request, trigger: 'requeue' }, 100)));
    await until('the runs of those that come back', () => it.runs.length === 4);
    const reports = await Promise.all(
      named.map(({ key, cluster = '' }) => it.queue.ask({ key, cluster, trigger: 'resync' })),
    );
    expect(reports.map(({ request }) => request.cluster)).toEqual(['prod-a', 'prod-b']);
    await until('an empty queue', isEmpty(it));
  });

  test('has one set of streams and one connection for a hundred clusters', async () => {
    const name = `fleet-${randomUUID().slice(0, 8)}`;
    const [it] = await processes(1, undefined, name);
    const clusters = Array.from({ length: 100 }, (_, at) => `prod-${at}`);
    it.serve(...clusters);
    await Promise.all(clusters.map((cluster) => it.queue.add(hint(cluster))));
    await until('the runs', () => it.runs.length === 100);
    const connection = await connectNats({ servers: [nats.url] });
    onTestFinished(() => connection.close());
    const jsm = await jetstreamManager(connection);
    const names = namesOf(deploymentOwner(name));
    const own = (await jsm.streams.names().next()).filter((stream) => stream.endsWith(name));
    expect(own.toSorted()).toEqual([names.work, names.later, names.dead].toSorted());
    expect((await jsm.streams.info(names.work)).state.consumer_count).toBe(64);
  });

  test('leaves a key to the process that serves its cluster, with its cause', async () => {
    const [one, other] = await processes(2);
    if (!other) throw new Error('two processes');
    one.serve('prod-a');
    other.serve('prod-a', 'prod-b');
    const keys = Array.from({ length: 20 }, (_, at): Key => `service/shop/web-${at}`);
    await Promise.all(keys.map((key) => one.queue.add(hint('prod-b', key))));
    await until('all runs', () => other.runs.length === keys.length);
    expect(other.runs.toSorted()).toEqual(keys.map((key) => `prod-b:${key}`).toSorted());
    expect(one.runs).toEqual([]);
    await until('an empty queue', isEmpty(one));
    expect([...one.warnings, ...other.warnings]).toEqual([]);
  });

  test('keeps a key whose cluster nobody serves yet, and holds up no other with it', async () => {
    const [one] = await processes(1);
    one.serve('prod-a');
    await Promise.all(
      Array.from({ length: 40 }, (_, at) => one.queue.add(hint('prod-b', `service/shop/web-${at}`))),
    );
    const began = performance.now();
    await one.queue.ask({ ...hint('prod-a'), trigger: 'resync' });
    expect(performance.now() - began).toBeLessThan(1_000);
    await pause(1_500);
    one.serve('prod-b');
    await until('its runs', () => one.runs.length === 41);
  });

  test('ends a key that was given back too often with a line in the log', async () => {
    const name = `fleet-${randomUUID().slice(0, 8)}`;
    const [one] = await processes(1, undefined, name);
    const connection = await connectNats({ servers: [nats.url] });
    onTestFinished(() => connection.close());
    const request = hint('prod-b');
    const subject = namesOf(deploymentOwner(name)).workSubject(request);
    await jetstream(connection).publish(subject, bodyOf({ request, attempt: 0, returned: 8 }));
    await until('the line', () => one.warnings.length > 0);
    expect(one.warnings).toEqual([expect.stringContaining('"prod-b:service/shop/web"')]);
    await until('an empty queue', isEmpty(one));
  });

  test('runs that hang hold no partition for long, and none of their keys runs twice in a process', async () => {
    const hangs = Promise.withResolvers<undefined>();
    const [one] = await processes(1, async (request) => {
      if (request.cluster === 'hung') await hangs.promise;
      return aReport(request, SETTLED);
    });
    onTestFinished(() => {
      hangs.resolve(undefined);
    });
    one.serve('hung', 'prod-a');
    const keys = Array.from({ length: 100 }, (_, at): Key => `service/shop/web-${at}`);
    await Promise.all(keys.map((key) => one.queue.add(hint('hung', key))));
    await until('runs that hang', () => one.runs.length >= 8);
    await Promise.all(keys.map((key) => one.queue.add(hint('hung', key))));
    const began = performance.now();
    await Promise.all(keys.map((key) => one.queue.add(hint('prod-a', key))));
    const ofOther = (): readonly QueueKey[] => one.runs.filter((key) => key.startsWith('prod-a:'));
    await until('those of the other cluster', () => ofOther().length === keys.length);
    expect(performance.now() - began).toBeLessThan(15_000);
    const hung = one.runs.filter((key) => key.startsWith('hung:'));
    expect(new Set(hung).size).toBe(hung.length);

    hangs.resolve(undefined);
    const isDone = async (): Promise<boolean> =>
      keys.every((key) => one.runs.includes(`hung:${key}`)) && isEmpty(one)();
    await until('a run of each', isDone);
  });

  test('what comes for a key whose run left its partition runs after it, however late that run wants to come back', async () => {
    const hangs = Promise.withResolvers<undefined>();
    const [one] = await processes(1, async (request) => {
      if (one.runs.length > 1) return aReport(request, SETTLED);
      await hangs.promise;
      return aReport(request, progressing(120_000));
    });
    one.serve('prod-a');
    await one.queue.add(hint('prod-a'));
    await pause(1_500);
    await one.queue.add(hint('prod-a'));
    await pause(500);
    expect(one.runs).toHaveLength(1);
    hangs.resolve(undefined);
    await until('the run of what came meanwhile', () => one.runs.length === 2);
    await until('an empty queue', isEmpty(one));
  });

  test('what a process has look after its run takes the place of nothing that another one scheduled', async () => {
    const connection = await connectNats({ servers: [nats.url] });
    onTestFinished(() => connection.close());
    const name = `fleet-${randomUUID().slice(0, 8)}`;
    const session = await Session.open(connection, deploymentOwner(name), { warn: () => undefined });
    const [request, work] = [hint('prod-a'), { request: hint('prod-a'), attempt: 0 }];
    const first = await session.schedule(work, 60_000);
    const second = await session.schedule(work, 60_000, first);
    expect(second).toBeGreaterThan(first);
    const third = await session.schedule(work, 60_000);
    await expect(session.schedule(work, 60_000, second)).rejects.toThrow('wrong last sequence');
    await session.unschedule(request, second);
    expect(await session.isComingBack(request)).toBe(true);

    const [one] = await processes(1, undefined, name);
    one.serve('prod-a');
    await session.schedule(work, 100, third);
    await until('the run', () => one.runs.length === 1);
    await until('an empty queue', isEmpty(one));
  });

  test('a run that left its partition puts off nothing that another process has scheduled meanwhile', async () => {
    const name = `fleet-${randomUUID().slice(0, 8)}`;
    const hangs = Promise.withResolvers<undefined>();
    const [one] = await processes(
      1,
      async (request) => {
        if (one.runs.length > 1) return aReport(request, SETTLED);
        await hangs.promise;
        return aReport(request, progressing(120_000));
      },
      name,
    );
    one.serve('prod-a');
    const connection = await connectNats({ servers: [nats.url] });
    onTestFinished(() => connection.close());
    const other = await Session.open(connection, deploymentOwner(name), { warn: () => undefined });
    await one.queue.add(hint('prod-a'));
    await pause(1_500);
    await other.schedule({ request: hint('prod-a'), attempt: 1 }, 2_000);
    hangs.resolve(undefined);
    await until('the run that the other process asked for', () => one.runs.length === 2);
    await until('an empty queue', isEmpty(one));
  });

  test('keys of a cluster that does not answer come back without a run until it does', async () => {
    const [one] = await processes(1);
    one.serve('prod-a');
    const [runs, met] = [[], []] as [QueueKey[], string[]];
    let mayBegin = false;
    one.queue.join('prod-b', {
      run: (request) => {
        runs.push(queueKeyOf(request));
        return Promise.resolve(aReport(request, SETTLED));
      },
      sides: {
        get mayBegin() {
          return mayBegin;
        },
        begin: () => {
          met.push('began');
          return () => met.push('ended');
        },
      },
    });
    const keys = Array.from({ length: 40 }, (_, at): Key => `service/shop/web-${at}`);
    await Promise.all(keys.map((key) => one.queue.add(hint('prod-b', key))));
    await Promise.all(keys.map((key) => one.queue.ask({ ...hint('prod-a', key), trigger: 'resync' })));
    expect(runs).toEqual([]);
    mayBegin = true;
    await until('a run of each', () => runs.length === keys.length);
    expect(met.filter((what) => what === 'ended')).toHaveLength(keys.length);
    await until('an empty queue', isEmpty(one));
  });

  test('a cluster that leaves has no run any more, and who waits for one is told', async () => {
    const [one] = await processes(1, async (request) => {
      await pause(300);
      return aReport(request, SETTLED);
    });
    one.serve('prod-a', 'prod-b');
    const asked = one.queue.ask({ ...hint('prod-b'), trigger: 'resync' });
    await until('the run', () => one.runs.length === 1);
    const refused = expect(asked).rejects.toThrow('it is over');
    await one.queue.leave('prod-b', new Error('it is over'));
    expect(one.queue.runningOf('prod-b')).toBe(0);
    await refused;
    await one.queue.add(hint('prod-b'));
    await one.queue.ask({ ...hint('prod-a'), trigger: 'resync' });
    expect(one.runs).toEqual(['prod-b:service/shop/web', 'prod-a:service/shop/web']);
  });
});
