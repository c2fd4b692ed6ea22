/** The watches of a sandbox: every change that counts is told once, whatever becomes of the connection. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Sandbox } from '../../../infra/sandbox/sandbox.ts';
import { createWatch } from '../../../shared/kube/watch-http.ts';
import { pause } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { sandboxOf, until, watching, type Watching } from './watching.ts';

let sandbox: Sandbox;
let watches: Watching['watches'];
let told: Watching['told'];
let lines: Watching['lines'];
let isTold: Watching['isTold'];
beforeEach(async () => {
  sandbox = await sandboxOf(2);
  sandbox.kube.apply(aService());
  ({ watches, told, lines, isTold } = await watching(sandbox));
});

const service = (name: string, spec: Record<string, unknown> = {}): ReturnType<typeof aService> =>
  aService({ name, spec });

test('what was there before is no news but for one sweep; a Service that comes, changes and goes is', async () => {
  sandbox.kube.apply(service('new'));
  await isTold('service/default/new');
  told.length = 0;
  sandbox.kube.apply({ ...service('new'), spec: { loadBalancerSourceRanges: ['10.0.0.0/8'] } });
  await isTold('service/default/new');
  told.length = 0;
  sandbox.kube.delete('Service', 'default', 'new');
  await isTold('service/default/new');
});

test('what levelset writes itself is no news, nor is a Service without a load balancer', async () => {
  const finalizers = ['service.kubernetes.io/load-balancer-cleanup'];
  const annotations = { 'loadbalancer.openstack.org/load-balancer-id': 'lb-1' };
  const status = { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } };
  sandbox.kube.apply({ kind: 'Service', metadata: { name: 'web', finalizers, annotations }, status });
  sandbox.kube.apply(service('inside', { type: 'ClusterIP' }));
  await pause(100);
  expect(told).toEqual([]);
});

test('a Node that joins, changes and goes is news, and a kubelet that reports the same is none', async () => {
  sandbox.kube.addNode('node-9');
  await isTold('node/node-9', 'nodeset', 'routes');
  await pause(50);
  told.length = 0;
  const conditions = [{ type: 'Ready', status: 'True', lastHeartbeatTime: new Date().toISOString() }];
  sandbox.kube.apply({ kind: 'Node', metadata: { name: 'node-9' }, status: { conditions } });
  await pause(50);
  expect(told).toEqual([]);
  sandbox.kube.setReady('node-9', false);
  await isTold('node/node-9', 'nodeset');
  told.length = 0;
  sandbox.kube.removeNode('node-9');
  await isTold('nodeset', 'routes');
  expect(told).not.toContain('node/node-9');
});

test('an EndpointSlice counts once the members of its Service follow it', async () => {
  const slice = (name: string, of: string, more = {}) => ({
    kind: 'EndpointSlice',
    metadata: { namespace: 'default', name, labels: { 'kubernetes.io/service-name': of }, ...more },
    addressType: 'IPv4',
    endpoints: [],
  });
  sandbox.kube.apply(slice('web-1', 'web'));
  await pause(50);
  expect(told).toEqual([]);
  sandbox.kube.apply(service('local', { externalTrafficPolicy: 'Local' }));
  await isTold('service/default/local');
  await until(
    'three watches',
    () => watches.view().length === 3 && watches.view().every(({ trouble }) => !trouble),
  );
  await pause(50);
  told.length = 0;
  sandbox.kube.apply(slice('local-1', 'local'));
  await isTold('service/default/local');
  told.length = 0;
  sandbox.kube.delete('EndpointSlice', 'default', 'local-1');
  await isTold('service/default/local');
  expect(new Set(told)).toEqual(new Set(['service/default/local']));
});

test.each([{ forgetting: false }, { forgetting: true }])(
  'after the connections are cut, what changed meanwhile is told, and nothing else: %o',
  async (how) => {
    sandbox.kube.apply(service('gone'));
    await isTold('service/default/gone');
    told.length = 0;
    sandbox.fault({ match: { side: 'kube', method: 'GET' }, times: 3, kind: 'reset-before' });
    sandbox.kube.endWatches(how);
    sandbox.kube.apply(service('meanwhile'));
    sandbox.kube.delete('Service', 'default', 'gone');
    sandbox.kube.apply({ kind: 'Node', metadata: { name: 'node-1', labels: { a: 'b' } } });
    await isTold('service/default/meanwhile', 'service/default/gone', 'node/node-1');
    expect([...new Set(told)].sort()).toEqual(
      ['node/node-1', 'nodeset', 'routes', 'service/default/gone', 'service/default/meanwhile'].sort(),
    );
  },
);

test('a right that is missing is told as trouble, and the watch goes on when it is there', async () => {
  sandbox.fault({ match: { side: 'kube', path: /services/ }, times: 1, kind: 'fail-before', status: 403 });
  sandbox.kube.endWatches();
  await until('trouble', () => watches.view()[0]?.trouble !== undefined);
  expect(watches.view()[0]?.trouble).toContain('cannot watch Services');
  await until('no trouble', () => watches.view()[0]?.trouble === undefined);
  sandbox.kube.apply(service('later'));
  await isTold('service/default/later');
});

test('an apiserver that goes away in the middle is told as trouble, and its words are no news', async () => {
  await sandbox.close();
  await until('trouble', () => watches.view().every(({ trouble }) => trouble !== undefined));
  await pause(300);
  expect(watches.view().map(({ trouble }) => trouble?.includes('no answer from the kube-apiserver'))).toEqual(
    [true, true],
  );
  expect(told).toEqual([]);
});

test('a watch that is not open within 5 s is told', async () => {
  const match = { side: 'kube', method: 'GET', path: /\/nodes\?.*watch=true/ } as const;
  sandbox.fault({ match, kind: 'hang', times: 1 });
  sandbox.kube.endWatches({ forgetting: false });
  await until('words', () => watches.troubles().some((words) => words.includes('not open within 5 s')));
  expect(lines).toContain('the watch of Nodes is down: its changes wait for the sweep');
});

test('an apiserver that refuses a watch is heard: when to come again, and under which id its log has it', async () => {
  const status = { kind: 'Status', message: 'too many requests, please try again later' };
  const refusing = createServer((_request, response) => {
    response.writeHead(429, { 'retry-after': '7', 'audit-id': 'audit-7' }).end(JSON.stringify(status));
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void refusing.close());
  await once(refusing, 'listening');
  const { port } = refusing.address() as AddressInfo;
  const credential = () => Promise.resolve({});
  const watchIt = createWatch({ source: 'test', server: `http://127.0.0.1:${port}`, tls: {}, credential });
  const events = watchIt(
    { path: '/api/v1/nodes', resourceVersion: '1', doing: 'watch Nodes' },
    new AbortController().signal,
  );
  await expect(events[Symbol.asyncIterator]().next()).rejects.toMatchObject({
    code: 'KUBE_UNAVAILABLE',
    message: `cannot watch Nodes: 429 ${status.message}`,
    context: { status: 429, retryAfterMs: 7_000, requestId: 'audit-7' },
  });
});
