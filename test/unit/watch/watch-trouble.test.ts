/** Watches over a network that fails: nothing is lost, nothing is told twice, and nobody is stormed. */
import { once } from 'node:events';
import net from 'node:net';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Sandbox } from '../../../infra/sandbox/sandbox.ts';
import type { Key } from '../../../shared/model/request.ts';
import { pause } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { sandboxOf, until, watching as watchingBy, type Watching } from './watching.ts';

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
beforeEach(async () => {
  sandbox = await sandboxOf(1);
  wire = new Wire(Number(new URL(sandbox.kubeUrl).port));
  server = await wire.listen();
  onTestFinished(() => {
    wire.close();
  });
});
const watching = (options: object = {}): Promise<Watching> => watchingBy(sandbox, { server, ...options });

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

/** Each watch is taken, and ends with an event that says so. */
const endWith = (code: number, message: string): (() => void) =>
  sandbox.fault({
    match: { side: 'kube', path: /watch=true/ },
    times: 99,
    kind: 'fail-before',
    status: 200,
    body: `${JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code, message } })}\n`,
  });
const lists = (): number =>
  sandbox.requests.filter(({ path }) => path.includes('/services?') && !path.includes('watch=true')).length;

test.each([
  [410, 'too old resource version: 7 (9)'],
  [500, 'etcd event received with PrevKv=nil'],
])(
  'an apiserver that ends each watch with %i is asked less and less, and told once',
  async (code, message) => {
    const { watches, lines } = await watching();
    const clear = endWith(code, message);
    const before = lists();
    sandbox.kube.endWatches();
    await until('trouble', () => watches.troubles().length === 2);
    await pause(3_500);
    expect(watches.troubles()).toEqual([
      `cannot watch Services: ${message}`,
      `cannot watch Nodes: ${message}`,
    ]);
    expect(lists() - before).toBeLessThan(5);
    expect(lines).toHaveLength(2);
    clear();
    await until('no trouble', () => watches.troubles().length === 0);
    expect(lines.toSorted()).toEqual([
      'the watch of Nodes is down: its changes wait for the sweep',
      'the watch of Nodes is open again',
      'the watch of Services is down: its changes wait for the sweep',
      'the watch of Services is open again',
    ]);
  },
);

test('one version that is forgotten is no trouble', async () => {
  const { watches, lines, told } = await watching();
  sandbox.kube.endWatches({ forgetting: true });
  sandbox.kube.apply(aService({ name: 'next' }));
  await until('it is told', () => told.includes('service/default/next'));
  expect([watches.troubles(), lines]).toEqual([[], []]);
});

test.each(['is cut off by a proxy', 'is taken for dead'])(
  'a watch without bookmarks that %s while nothing changes is no trouble, and the next one misses nothing',
  async (how) => {
    const { watches, lines, told } = await watching({ stalledMs: how.includes('dead') ? 1_200 : 60_000 });
    const before = wire.connections;
    await pause(1_300);
    if (how.includes('cut')) wire.cut();
    await until('the next one', () => how.includes('cut') || wire.connections > before);
    sandbox.kube.apply(aService({ name: 'quiet' }));
    wire.isCut = false;
    await until('it is told', () => told.includes('service/default/quiet'));
    expect([watches.troubles(), lines]).toEqual([[], []]);
  },
);
