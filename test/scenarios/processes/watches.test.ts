/** Every change that counts is told once, whatever becomes of the connection, and nobody is stormed. */
import { once } from 'node:events';
import net from 'node:net';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { startSandbox, type Sandbox } from '../../../infra/sandbox/sandbox.ts';
import { createKubeHttp } from '../../../shared/kube/kube-http.ts';
import { createWatch } from '../../../shared/kube/watch-http.ts';
import type { Key } from '../../../shared/model/request.ts';
import { Watches } from '../../../shared/watch/watches.ts';
import { failing } from '../../support/failing.ts';
import { pause, SILENT, until } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';

/** What stands between the watches and the apiserver. */
class Wire {
  readonly #pairs = new Set<readonly [net.Socket, net.Socket]>();
  readonly server: net.Server;
  isCut = false;
  connections = 0;

  constructor(port: number) {
    this.server = net.createServer((client) => {
      this.connections += 1;
      if (this.isCut) return void client.destroy();
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
}

let sandbox: Sandbox;
let wire: Wire;
let watches: Watches;
/** Keys, since the watches were there. */
let told: Key[];
/** What the log says beside details. */
let lines: string[];
beforeEach(async () => {
  sandbox = await startSandbox({ nodes: 2 });
  sandbox.kube.apply(aService());
  wire = new Wire(Number(new URL(sandbox.kubeUrl).port));
  await once(wire.server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(async () => {
    wire.cut();
    wire.server.close();
    await sandbox.close();
  });
});

/** The watches of a process, which end with the test. */
async function watching(stalledMs = 60_000): Promise<void> {
  [told, lines] = [[], []];
  const note = (line: string): void => void lines.push(line);
  const server = `http://127.0.0.1:${(wire.server.address() as net.AddressInfo).port}`;
  const credential = () => Promise.resolve({ authorization: `Bearer ${sandbox.kubeToken}` });
  const connection = { source: 'sandbox', server, tls: {}, credential };
  watches = new Watches({
    ...{ http: createKubeHttp(connection), watch: createWatch(connection, stalledMs) },
    log: { ...SILENT, info: note, warn: note },
    changed: (keys) => void told.push(...keys),
  });
  onTestFinished(() => watches.stop());
  watches.start();
  await until('the watches', () => watches.troubles().length === 0);
  await pause(50);
  expect(told).toEqual(['all']); // one sweep for what was there before
  told.length = 0;
}

/** A Node is changed, or made. */
const change = (part: object) => sandbox.kube.apply({ kind: 'Node', metadata: { name: 'node-9' }, ...part });

/** These are told, and then forgotten. */
async function isTold(...keys: readonly Key[]): Promise<void> {
  await until(keys.join(', '), () => keys.every((key) => told.includes(key)));
  await pause(50);
  told.length = 0;
}

test('a Service that comes, changes and goes is news; what levelset writes itself is none, nor is one without a load balancer', async () => {
  await watching();
  sandbox.kube.apply(aService({ name: 'new' }));
  await isTold('service/default/new');
  sandbox.kube.apply(aService({ name: 'new', spec: { loadBalancerSourceRanges: ['10.0.0.0/8'] } }));
  await isTold('service/default/new');
  const metadata = { name: 'new', annotations: { 'levelset.openstack.org/x': 'y' } };
  sandbox.kube.apply({ kind: 'Service', metadata });
  await isTold('service/default/new');
  sandbox.kube.delete('Service', 'default', 'new');
  await isTold('service/default/new');
  const finalizers = ['service.kubernetes.io/load-balancer-cleanup'];
  const annotations = { 'loadbalancer.openstack.org/load-balancer-id': 'lb-1' };
  const status = { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } };
  sandbox.kube.apply({ kind: 'Service', metadata: { name: 'web', finalizers, annotations }, status });
  sandbox.kube.apply(aService({ name: 'inside', spec: { type: 'ClusterIP' } }));
  await pause(100);
  expect(told).toEqual([]);
});

test('a Node that joins, changes and goes is news, and a kubelet that reports the same is none', async () => {
  await watching();
  sandbox.kube.addNode('node-9');
  await isTold('node/node-9', 'nodeset', 'routes');
  const conditions = [{ type: 'Ready', status: 'True', lastHeartbeatTime: new Date().toISOString() }];
  change({ status: { conditions } });
  await pause(50);
  expect(told).toEqual([]);
  sandbox.kube.setReady('node-9', false);
  await isTold('node/node-9', 'nodeset');
  change({ metadata: { name: 'node-9', labels: { a: 'b' } } });
  await isTold('node/node-9', 'nodeset');
  change({ spec: { taints: [{ key: 'x', effect: 'NoSchedule' }] } });
  await isTold('node/node-9', 'nodeset');
  sandbox.kube.removeNode('node-9');
  await until('its end', () => told.includes('routes'));
  expect(told).not.toContain('node/node-9');
});

test('an EndpointSlice counts once the members of its Service follow it', async () => {
  await watching();
  const slice = (name: string, of: string) => ({
    kind: 'EndpointSlice',
    metadata: { namespace: 'default', name, labels: { 'kubernetes.io/service-name': of } },
    addressType: 'IPv4',
    endpoints: [],
  });
  sandbox.kube.apply(slice('web-1', 'web'));
  await pause(50);
  expect(told).toEqual([]);
  sandbox.kube.apply(aService({ name: 'local', spec: { externalTrafficPolicy: 'Local' } }));
  await until('three watches', () => watches.view().length === 3 && watches.troubles().length === 0);
  await isTold('service/default/local');
  sandbox.kube.apply(slice('local-1', 'local'));
  await isTold('service/default/local');
  sandbox.kube.delete('EndpointSlice', 'default', 'local-1');
  await until('it is told', () => told.length > 0);
  expect(new Set(told)).toEqual(new Set(['service/default/local']));
});

test.each([{ forgetting: false }, { forgetting: true }])(
  'after the connections are cut, what changed meanwhile is told, and nothing else: %o',
  async (how) => {
    await watching();
    sandbox.fault({ match: { side: 'kube', method: 'GET' }, times: 3, kind: 'reset-before' });
    sandbox.kube.endWatches(how);
    sandbox.kube.apply(aService({ name: 'meanwhile' }));
    sandbox.kube.delete('Service', 'default', 'web');
    sandbox.kube.apply({ kind: 'Node', metadata: { name: 'node-1', labels: { a: 'b' } } });
    const services: Key[] = ['service/default/meanwhile', 'service/default/web'];
    const changed: Key[] = ['node/node-1', 'nodeset', 'routes', ...services];
    await until('all is told', () => changed.every((key) => told.includes(key)));
    expect([...new Set(told)].sort()).toEqual(changed);
  },
);

test('a watch that is not open within 5 s is told', async () => {
  await watching();
  const match = { side: 'kube', method: 'GET', path: /\/nodes\?.*watch=true/ } as const;
  sandbox.fault({ match, kind: 'hang', times: 1 });
  sandbox.kube.endWatches({ forgetting: false });
  await until('words', () => watches.troubles().some((words) => words.includes('not open within 5 s')));
  expect(lines).toContain('the watch of Nodes is down: its changes wait for the sweep');
});

test('a connection on which nothing comes any more is taken for dead, and what changed meanwhile is told once', async () => {
  await watching(300);
  wire.freeze();
  sandbox.kube.apply(aService({ name: 'meanwhile' }));
  await pause(100);
  expect(told).toEqual([]);
  await until('it is told', () => told.length > 0);
  expect(told).toEqual(['service/default/meanwhile']);
});

test('an apiserver that restarts is trouble, is asked seldom, and all that changed is told once', async () => {
  await watching();
  wire.cut();
  const before = wire.connections;
  const names = Array.from({ length: 50 }, (_, at) => `web-${at}`);
  for (const name of names) sandbox.kube.apply(aService({ name }));
  await pause(1_500);
  expect(wire.connections - before).toBeLessThan(10);
  const trouble = expect.stringContaining('no answer from the kube-apiserver') as string;
  expect(watches.troubles()).toEqual([trouble, trouble]);
  sandbox.kube.endWatches({ forgetting: true });
  wire.isCut = false;
  await until('all are told', () => told.length >= names.length);
  await pause(50);
  expect(told.toSorted()).toEqual(names.map((name) => `service/default/${name}`).sort());
});

test('an apiserver that forgets each version at once is asked less and less, and told once', async () => {
  await watching();
  const message = 'too old resource version: 7 (9)';
  const body = `${JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code: 410, message } })}\n`;
  const clear = failing(sandbox, 'GET', /watch=true/, 200, { body });
  const lists = (): number =>
    sandbox.requests.filter(({ path }) => path.includes('/services?') && !path.includes('watch=true')).length;
  const before = lists();
  sandbox.kube.endWatches();
  await until('trouble', () => watches.troubles().length === 2);
  await pause(3_500);
  expect(watches.troubles()).toEqual([`cannot watch Services: ${message}`, `cannot watch Nodes: ${message}`]);
  expect(lists() - before).toBeLessThan(5);
  clear();
  await until('no trouble', () => watches.troubles().length === 0);
  expect(lines.toSorted()).toEqual([
    'the watch of Nodes is down: its changes wait for the sweep',
    'the watch of Nodes is open again',
    'the watch of Services is down: its changes wait for the sweep',
    'the watch of Services is open again',
  ]);
});

test.each(['of a version that is forgotten', 'of a proxy, while nothing changes'])(
  'one end %s is no trouble, and the next watch misses nothing',
  async (what) => {
    await watching();
    await pause(1_300);
    if (what.includes('proxy')) wire.cut();
    else sandbox.kube.endWatches({ forgetting: true });
    sandbox.kube.apply(aService({ name: 'next' }));
    wire.isCut = false;
    await isTold('service/default/next');
    expect([watches.troubles(), lines]).toEqual([[], []]);
  },
);
