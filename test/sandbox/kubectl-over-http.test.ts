/** What kubectl asks of an apiserver, as kubectl asks it: shapes as the lab's 1.36.3 has them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { at } from '../conformance/json-path.ts';
import { KubeSession, type KubeReply } from '../conformance/kubernetes/kube-session.ts';
import { resourceTypes } from '../../infra/sandbox/kube/kube-objects.ts';
import { startSandbox, type Sandbox } from '../../infra/sandbox/sandbox.ts';

const TABLE =
  'application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json';
/** What kubectl would take, best first: all groups in one answer, or the list of groups. */
const DISCOVERY =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json';

let sandbox: Sandbox;
let kube: KubeSession;
const get = (path: string, accept?: string): Promise<KubeReply> =>
  kube.call('GET', path, undefined, undefined, sandbox.adminToken, accept);

beforeAll(async () => {
  sandbox = await startSandbox({ nodes: 1 });
  kube = new KubeSession({ name: 'sandbox', real: false, url: sandbox.kubeUrl, token: sandbox.adminToken });
  await kube.begin();
});
afterAll(() => sandbox.close());

test('discovery names resources, and each of them is listed, and has the parameters of writes', async () => {
  expect((await get('/api', DISCOVERY)).body).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
  const groups = at((await get('/apis', DISCOVERY)).body, 'groups') as { name: string }[];
  const paths = ['/api/v1', ...groups.map(({ name }) => `/apis/${name}/v1`)];
  const { body: index } = await get('/openapi/v3');
  expect(Object.keys(at(index, 'paths') as object)).toEqual(paths.map((path) => path.slice(1)));
  const found: string[] = [];
  for (const path of paths) {
    const document = JSON.stringify((await get(`/openapi/v3${path}`)).body);
    const { body } = await get(path);
    for (const { name } of at(body, 'resources') as { name: string }[]) {
      if (name.includes('/')) continue;
      found.push(name);
      expect((await get(`${path}/${name}`)).status).toBe(200);
      expect(document).toContain(`/${name}/{name}`);
    }
  }
  expect(found).toEqual(resourceTypes.map(({ plural }) => plural));
});

test('a list, an object and a watch are tables for those who take them', async () => {
  await kube.service('web', {
    ports: [{ port: 80 }, { name: 'tls', port: 443 }],
    selector: { b: 'y', a: 'x' },
  });
  const { body: list } = await get(kube.path('services'), TABLE);
  const columns = at(list, 'columnDefinitions') as { name: string; priority: number }[];
  expect(columns.map(({ name, priority }) => [name, priority])).toEqual([
    ...['Name', 'Type', 'Cluster-IP', 'External-IP', 'Port(s)', 'Age'].map((name) => [name, 0]),
    ['Selector', 1],
  ]);
  const { spec } = sandbox.kube.get('Service', kube.namespace, 'web') ?? {};
  const ports = (spec?.['ports'] as { port: number; nodePort: number }[]).map(
    ({ port, nodePort }) => `${port}:${nodePort}/TCP`,
  );
  const cells = [
    'web',
    'LoadBalancer',
    spec?.['clusterIP'],
    '<pending>',
    ports.join(','),
    expect.stringMatching(/^\d+s$/),
    'a=x,b=y',
  ];
  const row = {
    cells,
    object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name: 'web' } },
  };
  expect(list).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1', rows: [row] });
  expect((await get(kube.path('services', 'web'), TABLE)).body).toMatchObject({ kind: 'Table', rows: [row] });
  await kube.service('other');
  const events = await kube.watch(kube.path('services'), { resourceVersion: '0' }, TABLE);
  expect(events).toMatchObject([
    { type: 'ADDED', object: { columnDefinitions: [{ name: 'Name' }, ...columns.slice(1)] } },
    { type: 'ADDED', object: { columnDefinitions: null, rows: [row] } },
  ]);
});

test('a watch that begins with what is there says where that ends', async () => {
  const query =
    'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
  const { body } = await get(`${kube.path('services')}?${query}&timeoutSeconds=1`);
  const events = String(body)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
  expect(events.map((event) => at(event, 'type'))).toEqual(['ADDED', 'ADDED', 'BOOKMARK']);
  expect(at(events[2], 'object.metadata.annotations')).toEqual({ 'k8s.io/initial-events-end': 'true' });
});

test('a Node that is cordoned, and an Event, in their own columns', async () => {
  await kube.merge('/api/v1/nodes/node-1', { spec: { unschedulable: true } });
  const { body: nodes } = await get('/api/v1/nodes', TABLE);
  expect(at(nodes, 'rows.0.cells')).toEqual([
    'node-1',
    'Ready,SchedulingDisabled',
    expect.stringMatching(/^\d+s$/),
    'v1.36.3',
    expect.stringMatching(/^10\.0\.0\.10,fd00:/),
  ]);
  const involvedObject = { kind: 'Service', namespace: kube.namespace, name: 'web', uid: 'u' };
  const event = { type: 'Normal', reason: 'Ensured', message: 'serves', count: 2, involvedObject };
  await kube.create('events', { metadata: { name: 'web.1' }, ...event, source: { component: 'levelset' } });
  const selector = 'involvedObject.name=web,involvedObject.kind=Service,involvedObject.uid=u';
  const { body } = await get(`${kube.path('events')}?fieldSelector=${encodeURIComponent(selector)}`, TABLE);
  expect(at(body, 'rows.0.cells')).toEqual([
    ...['<unknown>', 'Normal', 'Ensured', 'service/web', 'levelset', 'serves', 2],
  ]);
});

test('a write that runs dry answers as the real one would, and keeps nothing', async () => {
  const object = { metadata: { name: 'dry' }, spec: { type: 'LoadBalancer', ports: [{ port: 80 }] } };
  const made = await kube.call('POST', `${kube.path('services')}?dryRun=All`, object);
  expect(made).toMatchObject({ status: 201, body: { kind: 'Service' } });
  expect((await get(kube.path('services', 'dry'))).status).toBe(404);
  const kept = (await kube.service('dry')).body;
  expect(at(kept, 'spec.clusterIP')).toBe(at(made.body, 'spec.clusterIP'));
  const path = kube.path('services', 'dry');
  const changed = await kube.merge(`${path}?dryRun=All`, { spec: { ports: [{ port: 81 }] } });
  expect(at(changed.body, 'spec.ports.0.port')).toBe(81);
  expect((await kube.call('DELETE', `${path}?dryRun=All`)).status).toBe(200);
  expect((await kube.call('DELETE', path, { dryRun: ['All'] })).status).toBe(200);
  expect((await get(path)).body).toEqual(kept);
  expect((await kube.merge(`${path}?dryRun=Some`, {})).status).toBe(422);
});

test('somebody asks what they may do, as JSON', async () => {
  const review = async (resource: string, token: string): Promise<unknown> => {
    const spec = { resourceAttributes: { verb: 'delete', resource, namespace: 'default' } };
    const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    return at((await kube.call('POST', path, { spec }, undefined, token)).body, 'status.allowed');
  };
  expect(await review('nodes', sandbox.kubeToken)).toBe(true);
  expect(await review('services', sandbox.kubeToken)).toBe(false);
  expect(await review('services', sandbox.adminToken)).toBe(true);
});
