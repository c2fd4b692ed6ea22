import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../infra/sandbox/sandbox.ts';

interface Batch {
  readonly authorization: string | undefined;
  readonly items: Record<string, unknown>[];
}

let sandbox: Sandbox;
let sink: Server;
let batches: Batch[];
let answers: number[];

const service = (name: string, more: object = {}): Record<string, unknown> => ({
  kind: 'Service',
  metadata: { name, ...more },
  spec: { type: 'LoadBalancer', ports: [{ port: 80 }] },
});
const events = (): unknown[] =>
  batches.flatMap(({ items }) => items.map((item) => [item['verb'], item['objectRef']]));

beforeEach(async () => {
  batches = [];
  answers = [];
  sink = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const list = JSON.parse(Buffer.concat(chunks).toString()) as { items: Record<string, unknown>[] };
      const status = answers.shift() ?? 202;
      if (status < 300) batches.push({ authorization: request.headers.authorization, items: list.items });
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve));
  sandbox = await startSandbox({ nodes: 1, auditMaxWaitMs: 20 });
  sandbox.setAuditSink(`http://127.0.0.1:${(sink.address() as AddressInfo).port}/audit/a`, 'secret');
});

afterEach(async () => {
  await sandbox.close();
  sink.close();
});

it('sends one batch with token and the shape of a Metadata event', async () => {
  sandbox.kube.apply(service('web'));
  sandbox.kube.removeNode('node-1');
  await expect.poll(() => batches, { timeout: 2000 }).toHaveLength(1);
  expect(batches[0]?.authorization).toBe('Bearer secret');
  const [event] = batches[0]?.items ?? [];
  expect(event).toMatchObject({
    level: 'Metadata',
    stage: 'ResponseComplete',
    requestURI: '/api/v1/namespaces/default/services',
    user: { username: 'kubernetes-admin' },
    responseStatus: { metadata: {}, code: 201 },
  });
  expect(event?.['requestReceivedTimestamp']).toMatch(/T\d\d:\d\d:\d\d\.\d{6}Z$/);
  expect(events()).toEqual([
    ['create', { resource: 'services', namespace: 'default', name: 'web', apiVersion: 'v1' }],
    ['delete', { resource: 'nodes', name: 'node-1', apiVersion: 'v1' }],
  ]);
});

it('leaves the name of a generated name empty, and status writes out unless asked for', async () => {
  const made = sandbox.kube.apply({ ...service('x'), metadata: { generateName: 'gen-' } });
  const { name } = made.metadata;
  const status = { loadBalancer: { ingress: [{ ip: '203.0.113.1' }] } };
  sandbox.kube.apply({ kind: 'Service', metadata: { name }, status });
  sandbox.kube.auditServiceStatus = true;
  sandbox.kube.apply({ kind: 'Service', metadata: { name }, status });
  await expect.poll(() => events(), { timeout: 2000 }).toHaveLength(4);
  const main = { resource: 'services', namespace: 'default', apiVersion: 'v1' };
  expect(events()).toEqual([
    ['create', main],
    ['patch', { ...main, name }],
    ['patch', { ...main, name }],
    ['patch', { ...main, name, subresource: 'status' }],
  ]);
});

it('reports who found a Node ready or not, and no other write to its status', async () => {
  const { status } = sandbox.kube.get('Node', undefined, 'node-1') ?? {};
  sandbox.kube.setReady('node-1', false);
  sandbox.kube.apply({ kind: 'Node', metadata: { name: 'node-1' }, status });
  await expect.poll(() => events(), { timeout: 2000 }).toHaveLength(2);
  const main = { resource: 'nodes', name: 'node-1', apiVersion: 'v1' };
  expect(events()).toEqual([
    ['patch', { ...main, subresource: 'status' }],
    ['patch', main],
  ]);
});

it('reports the deletion of a namespace as one deletecollection', async () => {
  sandbox.kube.apply({ kind: 'Namespace', metadata: { name: 'shop' } });
  sandbox.kube.apply(service('web', { namespace: 'shop' }));
  sandbox.kube.delete('Namespace', undefined, 'shop');
  await expect.poll(() => events(), { timeout: 2000 }).toHaveLength(2);
  expect(events()[1]).toEqual([
    'deletecollection',
    { resource: 'services', namespace: 'shop', apiVersion: 'v1' },
  ]);
  expect(sandbox.kube.list('Service', 'shop')).toEqual([]);
});

it('sends a batch again when it is refused', async () => {
  answers = [503, 401];
  sandbox.kube.apply(service('web'));
  await expect.poll(() => batches, { timeout: 2000 }).toHaveLength(1);
});
