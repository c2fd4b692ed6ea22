/** Watches over a network that fails: nothing is lost, nothing is told twice, and nobody is stormed. */
import net from 'node:net';
import { once } from 'node:events';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startSandbox, type Sandbox } from '../../../infra/sandbox/sandbox.ts';
import { createHttp } from '../../../shared/kube/kube-http.ts';
import { createWatch } from '../../../shared/kube/watch-http.ts';
import type { Key } from '../../../shared/model/request.ts';
import { Watches } from '../../../shared/watch/watches.ts';
import { pause, SILENT } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';

/** What stands between the watches and the apiserver. */
class Wire {
  readonly #server: net.Server;
  readonly #pairs = new Set<readonly [net.Socket, net.Socket]>();
  isCut = false;
  connections = 0;

  constructor(port: number) {
    this.#server = net.createServer((client) => {
      this.connections += 1;
      if (this.isCut) {
        client.destroy();
        return;
      }
      const server = net.connect(port, '127.0.0.1');
      const pair = [client, server] as const;
      this.#pairs.add(pair);
      client.pipe(server).pipe(client);
      for (const socket of pair) {
        socket.on('error', () => undefined);
        socket.on('close', () => {
          this.#pairs.delete(pair);
          pair.forEach((one) => one.destroy());
        });
      }
    });
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as net.AddressInfo).port}`;
  }

  /** Nothing passes any more on the connections that are there, and nobody is told. */
  freeze(): void {
    for (const [client, server] of this.#pairs) {
      server.unpipe(client);
      client.unpipe(server);
    }
  }

  cut(): void {
    this.isCut = true;
    for (const [client] of this.#pairs) client.destroy();
  }

  close(): void {
    this.cut();
    this.#server.close();
  }
}

let sandbox: Sandbox;
let wire: Wire;
let server: string;
let started: Watches[];
beforeEach(async () => {
  sandbox = await startSandbox({ nodes: 1 });
  wire = new Wire(Number(new URL(sandbox.kubeUrl).port));
  server = await wire.listen();
  started = [];
});
afterEach(async () => {
  await Promise.all(started.map((watches) => watches.stop()));
  wire.close();
  await sandbox.close();
});

interface Watching {
  readonly watches: Watches;
  readonly told: Key[];
  /** A text for each key and its cause. */
  readonly causes: string[];
}

async function watching({ stalledMs = 60_000, isSeen = true } = {}): Promise<Watching> {
  const [told, causes]: [Key[], string[]] = [[], []];
  const credential = () => Promise.resolve({ authorization: `Bearer ${sandbox.kubeToken}` });
  const connection = { source: 'sandbox', server, tls: {}, credential };
  const watches = new Watches({
    http: createHttp(connection),
    watch: createWatch(connection, stalledMs),
    log: SILENT,
    changed: (keys, cause) => {
      told.push(...keys);
      causes.push(...keys.map((key) => `${key} ${cause ?? 'of none'}`));
    },
  });
  started.push(watches);
  watches.start();
  if (isSeen) {
    await until('the watches', () => watches.troubles().length === 0);
    await pause(20);
    told.length = 0;
    causes.length = 0;
  }
  return { watches, told, causes };
}

async function until(what: string, isSo: () => boolean): Promise<void> {
  const end = Date.now() + 10_000;
  while (!isSo()) {
    if (Date.now() > end) throw new Error(`not so in 10 s: ${what}`);
    await pause(5);
  }
}

const counts = (keys: readonly Key[]): Readonly<Record<string, number>> =>
  Object.fromEntries([...Map.groupBy(keys, (key) => key)].map(([key, all]) => [key, all.length]));

test('a connection on which nothing comes any more is taken for dead, and what changed meanwhile is told', async () => {
  const { told } = await watching({ stalledMs: 300 });
  wire.freeze();
  sandbox.kube.apply(aService({ name: 'meanwhile' }));
  await pause(100);
  expect(told).toEqual([]);
  await until('it is told', () => told.includes('service/default/meanwhile'));
  expect(counts(told)).toEqual({ 'service/default/meanwhile': 1 });
});

test('an apiserver that restarts is asked seldom, and all that changed is told once', async () => {
  const { told } = await watching();
  wire.cut();
  const before = wire.connections;
  for (let i = 0; i < 50; i += 1) sandbox.kube.apply(aService({ name: `web-${i}` }));
  await pause(1_500);
  expect(wire.connections - before).toBeLessThan(10);
  sandbox.kube.endWatches({ forgetting: true });
  wire.isCut = false;
  await until('all are told', () => told.length >= 50);
  await pause(50);
  expect(Object.values(counts(told))).toEqual(Array.from({ length: 50 }, () => 1));
});

test('two that watch the same cluster tell the same, each once, however often their watches end', async () => {
  const both = [await watching(), await watching()];
  for (let i = 0; i < 90; i += 1) {
    sandbox.kube.apply(aService({ name: `web-${i}` }));
    if (i % 30 === 29) {
      sandbox.kube.endWatches({ forgetting: i < 60 });
      await pause(20);
    }
  }
  await until('all are told', () => both.every(({ told }) => told.length >= 90));
  await pause(50);
  for (const { told } of both)
    expect(Object.values(counts(told))).toEqual(Array.from({ length: 90 }, () => 1));
});

test('two that watch the same cluster name the same cause of a change, and another one of each change', async () => {
  const both = [await watching(), await watching()];
  const annotations = (changed: string) => ({ name: 'web', annotations: { changed } });
  for (const changed of ['', 'a', 'b', 'a']) sandbox.kube.apply(aService(annotations(changed)));
  sandbox.kube.addNode('node-9');
  sandbox.kube.delete('Service', 'default', 'web');
  sandbox.kube.removeNode('node-9');
  await until('all is told', () => both.every(({ told }) => told.length >= 10));
  const [one, other] = both.map(({ causes }) => causes.toSorted());
  expect(one).toEqual(other);
  expect(new Set(one).size, one?.join('\n')).toBe(one?.length);
  expect(one?.filter((cause) => cause.endsWith('of none'))).toEqual([]);
});

test('how an object went that nobody saw go has no cause, since another change may look the same', async () => {
  sandbox.kube.apply(aService({ name: 'web' }));
  const { told, causes } = await watching();
  wire.cut();
  sandbox.kube.delete('Service', 'default', 'web');
  sandbox.kube.endWatches({ forgetting: true });
  wire.isCut = false;
  await until('it is told', () => told.length > 0);
  expect(causes).toEqual(['service/default/web of none']);
});

test('a list that hangs ends with the process', async () => {
  sandbox.fault({ match: { side: 'kube', path: /services/ }, times: 9, kind: 'hang' });
  const { watches } = await watching({ isSeen: false });
  await until('it hangs', () => sandbox.requests.some(({ path }) => path.includes('services')));
  const began = performance.now();
  await watches.stop();
  expect(performance.now() - began).toBeLessThan(1_000);
});
