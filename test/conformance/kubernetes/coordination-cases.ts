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
  'a Lease is made once, taken by PUT with the version that was read, and stays gone': async (kube) => {
    const path = kube.path('leases', 'unit');
    kube.remember(path);
    const made = await kube.call('PUT', path, lease('unit', 'a'));
    expect(made.status).toBe(201);
    expectStatus(await kube.create('leases', lease('unit', 'b')), 409, 'AlreadyExists');
    expectStatus(await kube.call('PUT', path, lease('unit', 'b')), 422, 'Invalid');
    const taken = await kube.call('PUT', path, lease('unit', 'b', version(made)));
    expect([taken.status, at(taken.body, 'spec.holderIdentity')]).toEqual([200, 'b']);
    expectStatus(await kube.call('PUT', path, lease('unit', 'c', version(made))), 409, 'Conflict');
    expect((await kube.call('DELETE', path)).status).toBe(200);
    expectStatus(await kube.call('PUT', path, taken.body), 409, 'Conflict');
    expectStatus(await kube.call('GET', path), 404, 'NotFound');
  },
  'an Event is created, counted up by a patch, and must live with what it is about': async (kube) => {
    const name = `${kube.namespace}.event`;
    const event = (involvedObject: object): Record<string, unknown> => ({
      ...{ reason: 'Test', message: 'text', type: 'Normal', count: 1, source: { component: 'conformance' } },
      ...{ metadata: { name }, involvedObject },
    });
    const about = { kind: 'Service', name: 'web', apiVersion: 'v1', namespace: kube.namespace };
    const node = { kind: 'Node', name: 'n', uid: 'n', apiVersion: 'v1' };
    expect((await kube.create('events', event(about))).status).toBe(201);
    const counted = await kube.merge(kube.path('events', name), { count: 2 });
    expect([counted.status, at(counted.body, 'count')]).toEqual([200, 2]);
    for (const other of [{ ...about, namespace: 'default' }, node])
      expectStatus(await kube.create('events', event(other)), 422, 'Invalid');
    const ofNodes = '/api/v1/namespaces/default/events';
    expect((await kube.call('POST', ofNodes, event(node))).status).toBe(201);
    kube.remember(`${ofNodes}/${name}`);
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
  'answers carry a Date; nobody is 401; kube-system has a uid': async (kube) => {
    const system = await kube.call('GET', '/api/v1/namespaces/kube-system');
    expect(textAt(system.body, 'metadata.uid')).toMatch(/^[0-9a-f-]{36}$/);
    expect(Math.abs(Date.parse(system.date ?? '') - Date.now())).toBeLessThan(60_000);
    const nobody = await kube.call('GET', '/api/v1/nodes', undefined, undefined, 'nonsense');
    expectStatus(nobody, 401, 'Unauthorized');
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
