/** Two processes of `serve --clusters` on one JetStream: two clusters with the same names in one project. */
import { randomUUID } from 'node:crypto';
import { jetstreamManager } from '@nats-io/jetstream';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { serveClusters } from '../../../functions/clusters/serve-clusters.ts';
import type { Serving } from '../../../functions/serve.ts';
import { startSandbox, type Sandbox } from '../../../infra/sandbox/sandbox.ts';
import type { Texts } from '../../../shared/clusters/entry.ts';
import type { Report } from '../../../shared/model/outcome.ts';
import { queueKeyOf, type QueueKey } from '../../../shared/model/request.ts';
import { connectNats } from '../../../shared/queue/jetstream/connect-nats.ts';
import { deploymentOwner, namesOf } from '../../../shared/queue/jetstream/layout.ts';
import { everythingOf } from '../../support/clusters/everything.ts';
import { addNodeIn, cloudConfFor, kubeconfigFor, pause } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { startNats, type NatsServer } from './nats-server.ts';

const HOLD_MS = 5_000;
const TOKEN = 'token-of-the-deployment-of-tests';

const until = async (what: string, isSo: () => boolean | Promise<boolean>): Promise<void> => {
  for (const end = performance.now() + 30_000; !(await isSo());) {
    if (performance.now() > end) throw new Error(`gave up waiting for: ${what}`);
    await pause(20);
  }
};

interface Line {
  readonly atMs: number;
  readonly message: string;
  readonly cluster?: unknown;
}

interface Process extends Serving {
  readonly entries: Map<string, Texts>;
  readonly lines: Line[];
  /** What ended here, as queues tell it apart. */
  readonly runs: { readonly key: QueueKey; readonly from: number; readonly to: number }[];
}

describe.runIf(process.env['LEVELSET_CONFORMANCE_NATS'] !== undefined)('clusters on one JetStream', () => {
  let nats: NatsServer;
  beforeAll(async () => {
    nats = await startNats();
  });
  afterAll(() => nats.close());

  /** A process of a deployment, whose entries each process reads for itself. */
  async function begin(
    queueName: string,
    entries: Readonly<Record<string, Texts>>,
    sweepInterval = '1h',
    unread?: Promise<never>,
  ): Promise<Process> {
    const all = new Map(Object.entries(entries));
    const source = {
      keepMs: 0,
      names: () => unread ?? Promise.resolve([...all.keys()]),
      read: (name: string) => Promise.resolve(all.get(name)),
    };
    const lines: Line[] = [];
    const note = (message: string, fields?: Readonly<Record<string, unknown>>): void => {
      lines.push({ atMs: performance.now(), message, cluster: fields?.['cluster'] });
    };
    const runs: Process['runs'] = [];
    const reported = ({ request, durationMs }: Report): void => {
      const to = performance.now();
      runs.push({ key: queueKeyOf(request), from: to - durationMs, to });
    };
    const options = {
      flags: { sweepInterval, listen: '127.0.0.1:0', queue: nats.url, queueName },
      env: { LEVELSET_AUDIT_TOKENS: TOKEN, LEVELSET_RESYNC_TOKENS: TOKEN },
      log: { debug: note, info: note, warn: note, error: note },
      reported,
    };
    const serving = await serveClusters(options, source, 50);
    onTestFinished(() => serving.stop());
    if (!unread) await until('the queue', async () => (await fetch(`${serving.url}/readyz`)).ok);
    return { ...serving, entries: all, lines, runs };
  }

  interface Fleet {
    readonly a: Sandbox;
    /** Its Nodes are servers of the project of `a`. */
    readonly b: Sandbox;
    readonly texts: { readonly a: Texts; readonly b: Texts };
    readonly queueName: string;
  }

  async function fleet(): Promise<Fleet> {
    const [a, b] = [await startSandbox({ pendingMs: 20 }), await startSandbox({ nodes: 0 })];
    onTestFinished(() => a.close());
    onTestFinished(() => b.close());
    for (const name of ['other-1', 'other-2']) addNodeIn(a, name, b);
    const cloudConf = cloudConfFor(a.authUrl);
    const textsOf = (sandbox: Sandbox): Texts => ({
      kubeconfig: kubeconfigFor(sandbox),
      'cloud.conf': cloudConf,
    });
    return { a, b, texts: { a: textsOf(a), b: textsOf(b) }, queueName: `fleet-${randomUUID().slice(0, 8)}` };
  }
  const addressIn = ({ kube }: Sandbox, name: string): unknown => {
    const status = kube.get('Service', 'default', name)?.status as
      { loadBalancer?: { ingress?: readonly unknown[] } } | undefined;
    return status?.loadBalancer?.ingress?.[0];
  };
  const sweptIn = (all: readonly Process[], cluster: string, sinceMs = 0): number =>
    all
      .flatMap(({ lines }) => lines)
      .filter((line) => line.message === 'swept' && line.cluster === cluster && line.atMs > sinceMs).length;
  const depthAt = async ({ url }: Process): Promise<string | undefined> =>
    /^levelset_queue_depth (\d+)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1];
  const atRest = (all: readonly Process[]) => async (): Promise<boolean> => {
    const depths = await Promise.all(all.map(depthAt));
    return all.every(({ idle }) => idle()) && depths.every((depth) => depth === '0');
  };

  test(
    'nothing is done twice, each cluster is swept once an interval, and one process goes on alone',
    { timeout: 120_000 },
    async () => {
      const { a, b, texts, queueName } = await fleet();
      const all = [await begin(queueName, texts, '2s'), await begin(queueName, texts, '2s')] as const;
      const names = Array.from({ length: 8 }, (_, at) => `web-${at}`);
      for (const { kube } of [a, b]) for (const name of names) kube.apply(aService({ name }));
      a.setAuditSink(`${all[0].url}/audit/a`, TOKEN);
      b.setAuditSink(`${all[1].url}/audit/b`, TOKEN);
      await until('all addresses', () => names.every((name) => addressIn(a, name) && addressIn(b, name)));
      const created = a.requests.filter(
        ({ method, path }) => method === 'POST' && path.endsWith('/lbaas/loadbalancers'),
      );
      expect(created).toHaveLength(2 * names.length);
      expect(a.cloud.loadbalancers).toHaveLength(2 * names.length);
      for (const { runs } of all) expect(runs.length).toBeGreaterThan(0);
      const byKey = Map.groupBy([...all[0].runs, ...all[1].runs], ({ key }) => key);
      for (const runs of byKey.values()) {
        const inOrder = runs.toSorted((one, other) => one.from - other.from);
        for (const [at, run] of inOrder.entries()) {
          const { from = 0, to = 0 } = inOrder[at - 1] ?? {};
          const isShort = to - from < HOLD_MS - 1_000; // a long run leaves its partition, and its Lease keeps writes apart
          if (isShort) expect(run.from).toBeGreaterThanOrEqual(to - 50); // the report is made a moment later
        }
      }

      await until('the sweeps of the start', () => ['a', 'b'].every((cluster) => sweptIn(all, cluster) >= 2));
      await pause(2_000);
      const since = performance.now();
      await pause(8_000);
      for (const cluster of ['a', 'b']) {
        const sweeps = sweptIn(all, cluster, since);
        expect(sweeps).toBeGreaterThanOrEqual(3);
        expect(sweeps).toBeLessThanOrEqual(5);
      }

      const [gone, stays] = all;
      await gone.stop();
      for (const { kube } of [a, b]) kube.apply(aService({ name: 'api' }));
      await until('what the other process does', () => Boolean(addressIn(a, 'api') && addressIn(b, 'api')));
      const alone = performance.now();
      await until('its sweeps', () => ['a', 'b'].every((cluster) => sweptIn([stays], cluster, alone) >= 2));
    },
  );

  test(
    'an entry is new in one process before the other one has read it, and is taken away',
    { timeout: 120_000 },
    async () => {
      const { a, b, texts, queueName } = await fleet();
      const all = [await begin(queueName, { a: texts.a }), await begin(queueName, { a: texts.a })] as const;
      const [one, other] = all;
      other.entries.set('b', texts.b);
      const names = Array.from({ length: 6 }, (_, at) => `web-${at}`);
      for (const name of names) b.kube.apply(aService({ name }));
      await until('the addresses', () => names.every((name) => addressIn(b, name)));
      expect(one.runs.filter(({ key }) => key.startsWith('b:'))).toEqual([]);

      one.entries.set('b', texts.b);
      const isServed = (process: Process): boolean =>
        process.lines.some(({ message, cluster }) => message === 'the cluster is served' && cluster === 'b');
      await until('it is served by both', () => isServed(one));
      b.setAuditSink(`${one.url}/audit/b`, TOKEN);
      for (const name of names) b.kube.delete('Service', 'default', name);
      await until('the Services are gone', () => b.kube.list('Service').length === 0);
      expect(one.runs.some(({ key }) => key.startsWith('b:'))).toBe(true);

      for (const { entries } of all) entries.delete('b');
      await until('nobody serves it', async () =>
        (await Promise.all(all.map(async ({ url }) => (await fetch(`${url}/clusters/b`)).status))).every(
          (status) => status === 404,
        ),
      );
      const before = b.requests.length;
      a.setAuditSink(`${other.url}/audit/a`, TOKEN);
      a.kube.apply(aService());
      await until('the other cluster is served', () => Boolean(addressIn(a, 'web')));
      expect(b.requests.length).toBe(before);
    },
  );

  test(
    'a process that cannot read which clusters there are takes no keys from one that can',
    { timeout: 60_000 },
    async () => {
      const { texts, queueName } = await fleet();
      await begin(queueName, { a: texts.a });
      const unread = Promise.reject(new Error('forbidden'));
      unread.catch(() => undefined);
      const { url } = await begin(queueName, { a: texts.a }, '1h', unread);
      await pause(2_000);
      expect(await (await fetch(`${url}/readyz`)).text()).toContain('forbidden');
      const connection = await connectNats({ servers: [nats.url] });
      onTestFinished(() => connection.close());
      const { consumers } = await jetstreamManager(connection);
      const names = namesOf(deploymentOwner(queueName));
      const waiting = await Promise.all(
        names.consumers.map(async (name) => (await consumers.info(names.work, name)).num_waiting),
      );
      expect(Math.max(...waiting)).toBe(1);
    },
  );

  test(
    'what happens in one cluster changes nothing of the other, field by field',
    { timeout: 120_000 },
    async () => {
      const { a, b, texts, queueName } = await fleet();
      const all = [await begin(queueName, texts), await begin(queueName, texts)];
      const [one, other] = all;
      a.setAuditSink(`${one?.url}/audit/a`, TOKEN);
      b.setAuditSink(`${other?.url}/audit/b`, TOKEN);
      for (const { kube } of [a, b]) for (const name of ['web', 'api']) kube.apply(aService({ name }));
      await until('all addresses', () =>
        ['web', 'api'].every((name) => addressIn(a, name) && addressIn(b, name)),
      );
      await until('rest', atRest(all));

      const resync = async (cluster: string): Promise<void> => {
        const answer = await fetch(`${one?.url}/resync/${cluster}`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' },
          body: JSON.stringify({ all: true }),
        });
        expect(answer.ok).toBe(true);
      };
      const of = (sandbox: Sandbox): unknown =>
        everythingOf(
          { kube: sandbox.kube, cloud: a.cloud },
          sandbox.kube.get('Namespace', undefined, 'kube-system')?.metadata.uid ?? '',
        );
      const portsOf = (sandbox: Sandbox): unknown =>
        (of(sandbox) as { listeners: readonly { protocol_port: unknown }[] }).listeners.map(
          (listener) => listener.protocol_port,
        );
      const isGone = (sandbox: Sandbox, name: string) => (): boolean =>
        sandbox.kube.get('Service', 'default', name) === undefined;
      const sweptBefore = sweptIn(all, 'b');
      const steps: readonly {
        readonly what: string;
        readonly own: Sandbox;
        readonly act: () => unknown;
        readonly isDone: () => boolean;
      }[] = [
        {
          what: 'a change',
          own: a,
          act: () => a.kube.apply(aService({ name: 'web', spec: { ports: [{ name: 'http', port: 8080 }] } })),
          isDone: () => JSON.stringify(portsOf(a)).includes('8080'),
        },
        {
          what: 'a deletion',
          own: a,
          act: () => {
            a.kube.delete('Service', 'default', 'web');
          },
          isDone: isGone(a, 'web'),
        },
        { what: 'a sweep', own: b, act: () => resync('b'), isDone: () => sweptIn(all, 'b') > sweptBefore },
        {
          what: 'a deletion in the other one',
          own: b,
          act: () => {
            b.kube.delete('Service', 'default', 'api');
          },
          isDone: isGone(b, 'api'),
        },
      ];
      for (const { what, own, act, isDone } of steps) {
        const untouched = own === a ? b : a;
        const before = of(untouched);
        await act();
        await until(what, isDone);
        await until('rest', atRest(all));
        expect(of(untouched), what).toEqual(before);
      }
      expect(a.cloud.loadbalancers).toHaveLength(2);
    },
  );

  test(
    'a cluster whose kube-apiserver hangs holds up no Service of the other',
    { timeout: 120_000 },
    async () => {
      const { a, b, texts, queueName } = await fleet();
      const all = [await begin(queueName, texts), await begin(queueName, texts)] as const;
      a.setAuditSink(`${all[0].url}/audit/a`, TOKEN);
      b.setAuditSink(`${all[1].url}/audit/b`, TOKEN);
      await until('the first sweeps', () => ['a', 'b'].every((cluster) => sweptIn(all, cluster) >= 1));
      await until('rest', atRest(all));
      const timeFor = async (name: string): Promise<number> => {
        const began = performance.now();
        a.kube.apply(aService({ name }));
        await until('its address', () => Boolean(addressIn(a, name)));
        return performance.now() - began;
      };
      b.fault({ match: { side: 'kube' }, times: Infinity, kind: 'hang' });
      for (let at = 0; at < 100; at += 1) b.kube.apply(aService({ name: `hung-${at}` }));
      await pause(500);
      const times = await Promise.all(Array.from({ length: 10 }, (_, at) => timeFor(`during-${at}`)));
      for (const time of times) expect(time).toBeLessThan(25_000);
      await b.close(); // or the requests that hang would last for half a minute
    },
  );
});
