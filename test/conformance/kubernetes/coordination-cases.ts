import { expect } from 'vitest';
import { at, textAt } from '../json-path.ts';
import { expectStatus, version, type KubeCases } from './kube-session.ts';

const lease = (name: string, holderIdentity: string, resourceVersion?: unknown): Record<string, unknown> => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
  spec: { holderIdentity, leaseDurationSeconds: 15, renewTime: '2026-01-01T00:00:00.000000Z' },
});

export const coordinationCases: KubeCases = {
  'a Lease is taken by POST once, and by PUT with the version that was read': async (kube) => {
    const made = await kube.create('leases', lease('unit', 'a'));
    expect(made.status).toBe(201);
    expectStatus(await kube.create('leases', lease('unit', 'b')), 409, 'AlreadyExists');
    const path = kube.path('leases', 'unit');
    expectStatus(await kube.call('PUT', path, lease('unit', 'b')), 422, 'Invalid');
    const taken = await kube.call('PUT', path, lease('unit', 'b', version(made)));
    expect([taken.status, at(taken.body, 'spec.holderIdentity')]).toEqual([200, 'b']);
    expectStatus(await kube.call('PUT', path, lease('unit', 'c', version(made))), 409, 'Conflict');
  },
  'a Lease is deleted only by who knows its version': async (kube) => {
    const made = await kube.create('leases', lease('gone', 'a'));
    const path = kube.path('leases', 'gone');
    const wrong = { preconditions: { resourceVersion: '1' } };
    expectStatus(await kube.call('DELETE', path, wrong), 409, 'Conflict');
    const gone = await kube.call('DELETE', path, { preconditions: { resourceVersion: version(made) } });
    expect([gone.status, at(gone.body, 'status')]).toEqual([200, 'Success']);
    expectStatus(await kube.call('GET', path), 404, 'NotFound');
  },
  'PUT creates a Lease that is not there': async (kube) => {
    const path = kube.path('leases', 'fresh');
    kube.remember(path);
    expect((await kube.call('PUT', path, lease('fresh', 'a'))).status).toBe(201);
  },
  'PUT with the uid of a Lease that is gone creates none': async (kube) => {
    const made = await kube.create('leases', lease('pruned', 'a'));
    const path = kube.path('leases', 'pruned');
    expect((await kube.call('DELETE', path)).status).toBe(200);
    expectStatus(await kube.call('PUT', path, made.body), 409, 'Conflict');
    expectStatus(await kube.call('GET', path), 404, 'NotFound');
  },
  'an Event is created, counted up by a patch, and must live with what it is about': async (kube) => {
    const about = { kind: 'Service', name: 'web', apiVersion: 'v1' };
    const event = (namespace: string): Record<string, unknown> => ({
      ...{ reason: 'Test', message: 'text', type: 'Normal', count: 1, source: { component: 'conformance' } },
      ...{ metadata: { name: 'web.1' }, involvedObject: { ...about, namespace } },
    });
    expect((await kube.create('events', event(kube.namespace))).status).toBe(201);
    const counted = await kube.merge(kube.path('events', 'web.1'), { count: 2 });
    expect([counted.status, at(counted.body, 'count')]).toEqual([200, 2]);
    expectStatus(await kube.create('events', event('default')), 422, 'Invalid');
  },
  'a ConfigMap is compared and swapped by its resourceVersion': async (kube) => {
    const made = await kube.create('configmaps', { metadata: { name: 'state' }, data: { a: '1' } });
    const path = kube.path('configmaps', 'state');
    const swap = { metadata: { resourceVersion: version(made) }, data: { a: null, b: '2' } };
    const done = await kube.merge(path, swap);
    expect([done.status, at(done.body, 'data')]).toEqual([200, { b: '2' }]);
    expectStatus(await kube.merge(path, swap), 409, 'Conflict');
    const put = { metadata: { name: 'state' }, data: { c: '3' } };
    expect(at((await kube.call('PUT', path, put)).body, 'data')).toEqual({ c: '3' });
  },
  'a Node keeps the status it is created with; its main resource leaves the status alone': async (kube) => {
    const name = `node-${kube.namespace}`;
    const path = `/api/v1/nodes/${name}`;
    kube.remember(path);
    const ready = { type: 'Ready', status: 'True', reason: 'Test', message: '' };
    const node = { metadata: { name }, status: { conditions: [ready] } };
    const made = await kube.call('POST', '/api/v1/nodes', node);
    expect([made.status, at(made.body, 'status.conditions.0.status')]).toEqual([201, 'True']);
    const patch = { metadata: { labels: { a: 'b' } }, status: { conditions: [] } };
    const labels = await kube.strategic(path, patch);
    expect(at(labels.body, 'metadata.labels.a')).toBe('b');
    expect(at(labels.body, 'status.conditions.0.status')).toBe('True');
    const network = { type: 'NetworkUnavailable', status: 'False', reason: 'Test', message: '' };
    const reply = await kube.strategic(`${path}/status`, { status: { conditions: [network] } });
    expect((at(reply.body, 'status.conditions') as unknown[]).length).toBe(2);
  },
  'answers carry a Date; nobody is 401; kube-system has a uid': async (kube) => {
    const system = await kube.call('GET', '/api/v1/namespaces/kube-system');
    expect(textAt(system.body, 'metadata.uid')).toMatch(/^[0-9a-f-]{36}$/);
    expect(Math.abs(Date.parse(system.date ?? '') - Date.now())).toBeLessThan(60_000);
    const nobody = await kube.call('GET', '/api/v1/nodes', undefined, undefined, 'nonsense');
    expectStatus(nobody, 401, 'Unauthorized');
  },
  'the ServiceAccount of levelset can do what its manifests grant and nothing else': {
    sandboxOnly: 'the roles of a real cluster are tested where its manifests are applied',
    run: async (kube) => {
      await kube.service('rights');
      const as = (method: string, path: string, body?: unknown): ReturnType<typeof kube.call> =>
        kube.call(method, path, body, 'application/merge-patch+json', kube.target.limitedToken);
      const path = kube.path('services', 'rights');
      expect((await as('GET', '/api/v1/services?limit=1')).status).toBe(200);
      expect((await as('PATCH', `${path}/status`, { metadata: { labels: { a: 'b' } } })).status).toBe(200);
      for (const [method, target] of [
        ['PATCH', path],
        ['DELETE', path],
        ['GET', '/api/v1/pods?watch=true'],
        ['GET', kube.path('leases')],
        ['GET', kube.path('configmaps', 'x')],
        ['POST', '/api/v1/nodes'],
        ['PUT', '/api/v1/nodes/node-1'],
      ] as const) {
        expectStatus(await as(method, target, {}), 403, 'Forbidden');
      }
      const refused = await as('DELETE', path);
      const who = 'User "system:serviceaccount:levelset:levelset"';
      const what = `cannot delete resource "services" in API group "" in the namespace "${kube.namespace}"`;
      expect(at(refused.body, 'message')).toBe(`services "rights" is forbidden: ${who} ${what}`);
    },
  },
};

const METADATA_ONLY = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

export const watchCases: KubeCases = {
  'a watch tells what came, changed and went after a version, and ends at its time': async (kube) => {
    const before = version(await kube.call('GET', kube.path('services')));
    const { path, ...made } = await kube.service('watched');
    const changed = await kube.merge(path, { metadata: { labels: { a: 'b' } } });
    await kube.call('DELETE', path);
    const events = await kube.watch(kube.path('services'), { resourceVersion: String(before) });
    const told = ['ADDED', 'MODIFIED', 'DELETED'].map((type) => [type, 'watched']);
    expect(events.map((event) => [at(event, 'type'), at(event, 'object.metadata.name')])).toEqual(told);
    const versions = events.map((event) => Number(at(event, 'object.metadata.resourceVersion')));
    expect(versions.slice(0, 2)).toEqual([Number(version(made)), Number(version(changed))]);
    expect(versions[2]).toBeGreaterThan(versions[1] ?? Infinity);
    expect(at(events[1], 'object.spec.type')).toBe('LoadBalancer');
  },
  'a watch of metadata alone shows no spec': async (kube) => {
    const before = version(await kube.call('GET', kube.path('services')));
    await kube.service('partial');
    const from = { resourceVersion: String(before) };
    const [event] = await kube.watch(kube.path('services'), from, METADATA_ONLY);
    expect(at(event, 'object.kind')).toBe('PartialObjectMetadata');
    expect(at(event, 'object.metadata.name')).toBe('partial');
    expect(at(event, 'object.spec')).toBeUndefined();
  },
  'a watch without a version begins with all that is there': async (kube) => {
    await kube.service('there');
    const [event] = await kube.watch(kube.path('services'), {});
    expect([at(event, 'type'), at(event, 'object.metadata.name')]).toEqual(['ADDED', 'there']);
  },
  'a version that is too old is told by an event of 410': async (kube) => {
    const [event] = await kube.watch(kube.path('services'), { resourceVersion: '1' });
    expect(event).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
  },
};
