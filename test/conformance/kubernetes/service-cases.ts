import { expect } from 'vitest';
import { at, listAt, textAt } from '../json-path.ts';
import { expectStatus, version, type KubeCases } from './kube-case.ts';

const finalizer = 'service.kubernetes.io/load-balancer-cleanup';

export const serviceCases: KubeCases = {
  'a LoadBalancer Service gets cluster IP, node ports and every default': async (kube) => {
    const { body } = await kube.service('plain');
    expect(at(body, 'spec')).toMatchObject({
      ...{ type: 'LoadBalancer', sessionAffinity: 'None', internalTrafficPolicy: 'Cluster' },
      ...{ externalTrafficPolicy: 'Cluster', allocateLoadBalancerNodePorts: true },
      ...{ ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack', clusterIPs: [at(body, 'spec.clusterIP')] },
    });
    expect(at(body, 'spec.ports.0')).toMatchObject({ port: 80, protocol: 'TCP', targetPort: 80 });
    expect(Number(at(body, 'spec.ports.0.nodePort'))).toBeGreaterThanOrEqual(30000);
    expect(at(body, 'status')).toEqual({ loadBalancer: {} });
  },
  'traffic policy Local gets a health check node port; without node ports asked for there are none': async (
    kube,
  ) => {
    const local = await kube.service('local', { externalTrafficPolicy: 'Local' });
    expect(Number(at(local.body, 'spec.healthCheckNodePort'))).toBeGreaterThanOrEqual(30000);
    const none = await kube.service('none', { allocateLoadBalancerNodePorts: false });
    expect(at(none.body, 'spec.ports.0.nodePort')).toBeUndefined();
  },
  'Services are listed over all namespaces by spec.type, in pages that continue': async (kube) => {
    for (const name of ['one', 'two']) await kube.service(name);
    await kube.service('cluster', { type: 'ClusterIP' });
    const names: unknown[] = [];
    let next: unknown = '';
    do {
      const token = next === '' ? '' : `&continue=${encodeURIComponent(String(next))}`;
      const page = await kube.call(
        'GET',
        `/api/v1/services?fieldSelector=spec.type%3DLoadBalancer&limit=1${token}`,
      );
      expect(at(page.body, 'kind')).toBe('ServiceList');
      expect(listAt(page.body, 'items').length).toBeLessThanOrEqual(1);
      for (const item of listAt(page.body, 'items')) {
        expect(at(item, 'kind')).toBeUndefined();
        if (at(item, 'metadata.namespace') === kube.namespace) names.push(at(item, 'metadata.name'));
      }
      next = at(page.body, 'metadata.continue') ?? '';
    } while (next !== '');
    expect(names).toEqual(['one', 'two']);
    expectStatus(
      await kube.call('GET', '/api/v1/services?fieldSelector=spec.nonsense%3Da'),
      400,
      'BadRequest',
    );
  },
  'a strategic patch of /status merges finalizers as a set and deletes from them by directive': async (
    kube,
  ) => {
    await kube.service('held');
    const path = `${kube.path('services', 'held')}/status`;
    await kube.strategic(path, { metadata: { finalizers: ['example.com/other'] } });
    const added = await kube.strategic(path, { metadata: { finalizers: [finalizer] } });
    expect(added.status).toBe(200);
    expect(listAt(added.body, 'metadata.finalizers').sort()).toEqual(['example.com/other', finalizer]);
    const remove = { '$deleteFromPrimitiveList/finalizers': [finalizer] };
    const removed = await kube.strategic(path, { metadata: remove });
    expect(at(removed.body, 'metadata.finalizers')).toEqual(['example.com/other']);
  },
  'the status address is written through /status, ipMode becomes VIP, the spec is left alone': async (
    kube,
  ) => {
    await kube.service('addressed');
    const path = kube.path('services', 'addressed');
    const patch = {
      spec: { sessionAffinity: 'ClientIP' },
      status: { loadBalancer: { ingress: [{ ip: '203.0.113.5' }] } },
    };
    const reply = await kube.merge(`${path}/status`, patch);
    expect(at(reply.body, 'status.loadBalancer.ingress')).toEqual([{ ip: '203.0.113.5', ipMode: 'VIP' }]);
    expect(at(reply.body, 'spec.sessionAffinity')).toBe('None');
    const main = await kube.merge(path, {
      metadata: { labels: { a: 'b' } },
      status: { loadBalancer: { ingress: [{ ip: '203.0.113.6' }] } },
    });
    expect(at(main.body, 'metadata.labels.a')).toBe('b');
    expect(at(main.body, 'status.loadBalancer.ingress.0.ip')).toBe('203.0.113.5');
  },
  '/status also takes annotations and labels of the Service': async (kube) => {
    await kube.service('annotated');
    const metadata = { annotations: { 'example.com/id': 'x' }, labels: { l: 'v' } };
    const reply = await kube.merge(`${kube.path('services', 'annotated')}/status`, { metadata });
    expect(at(reply.body, 'metadata')).toMatchObject(metadata);
  },
  'conditions merge by type under a strategic patch': async (kube) => {
    await kube.service('conditioned');
    const path = `${kube.path('services', 'conditioned')}/status`;
    const condition = (type: string, status: string): unknown => ({
      ...{ type, status, reason: 'Test', message: 'text', lastTransitionTime: '2026-01-01T00:00:00Z' },
    });
    await kube.strategic(path, {
      status: { conditions: [condition('A', 'True'), condition('B', 'True')] },
    });
    const reply = await kube.strategic(path, { status: { conditions: [condition('B', 'False')] } });
    const states = listAt(reply.body, 'status.conditions').map(
      (one) => `${textAt(one, 'type')} ${textAt(one, 'status')}`,
    );
    expect(states.sort()).toEqual(['A True', 'B False']);
  },
  'a stale resourceVersion is 409; a foreign uid is 422 in a patch and 409 in a PUT': async (kube) => {
    const made = await kube.service('guarded');
    const path = kube.path('services', 'guarded');
    await kube.merge(path, { metadata: { labels: { a: '1' } } });
    const stale = { metadata: { resourceVersion: version(made), labels: { a: '2' } } };
    expectStatus(await kube.merge(path, stale), 409, 'Conflict');
    expectStatus(await kube.strategic(`${path}/status`, stale), 409, 'Conflict');
    const foreign = { metadata: { uid: '00000000-0000-0000-0000-000000000000' }, status: {} };
    expectStatus(await kube.strategic(`${path}/status`, foreign), 422, 'Invalid');
    const now = (await kube.call('GET', path)).body as Record<string, unknown>;
    const metadata = { ...(now['metadata'] as object), ...foreign.metadata };
    expectStatus(await kube.call('PUT', path, { ...now, metadata }), 409, 'Conflict');
  },
  'a write that changes nothing keeps the resourceVersion': async (kube) => {
    await kube.service('same');
    const path = kube.path('services', 'same');
    const first = await kube.merge(path, { metadata: { labels: { a: '1' } } });
    const second = await kube.merge(path, { metadata: { labels: { a: '1' } } });
    expect([second.status, version(second)]).toEqual([200, version(first)]);
  },
  'a finalizer holds a deleted Service until it is taken off through /status': async (kube) => {
    await kube.service('dying');
    const path = kube.path('services', 'dying');
    await kube.strategic(`${path}/status`, { metadata: { finalizers: [finalizer] } });
    const deleted = await kube.call('DELETE', path);
    expect(deleted.status).toBe(200);
    const held = await kube.call('GET', path);
    expect(at(held.body, 'metadata.deletionTimestamp')).toBeTruthy();
    expect(at(held.body, 'metadata.deletionGracePeriodSeconds')).toBe(0);
    const remove = { '$deleteFromPrimitiveList/finalizers': [finalizer] };
    expect((await kube.strategic(`${path}/status`, { metadata: remove })).status).toBe(200);
    expectStatus(await kube.call('GET', path), 404, 'NotFound');
  },
  'DELETE honours its preconditions': async (kube) => {
    const made = await kube.service('precious');
    const path = kube.path('services', 'precious');
    const uid = '00000000-0000-0000-0000-000000000000';
    expectStatus(await kube.call('DELETE', path, { preconditions: { uid } }), 409, 'Conflict');
    const right = { preconditions: { uid: at(made.body, 'metadata.uid') } };
    expect((await kube.call('DELETE', path, right)).status).toBe(200);
    expectStatus(await kube.call('GET', path), 404, 'NotFound');
  },
  'switching the type away clears the status address and the node ports': async (kube) => {
    await kube.service('switched');
    const path = kube.path('services', 'switched');
    await kube.merge(`${path}/status`, { status: { loadBalancer: { ingress: [{ ip: '203.0.113.5' }] } } });
    const reply = await kube.merge(path, { spec: { type: 'ClusterIP' } });
    expect(at(reply.body, 'status.loadBalancer')).toEqual({});
    expect(at(reply.body, 'spec.ports.0.nodePort')).toBeUndefined();
    expect(at(reply.body, 'spec.externalTrafficPolicy')).toBeUndefined();
  },
};
