import { expect } from 'vitest';
import { at, listAt, textAt } from '../json-path.ts';
import { expectStatus, version, type KubeCases, type KubeReply } from './kube-session.ts';

const finalizer = 'service.kubernetes.io/load-balancer-cleanup';
const LET_GO = { '$deleteFromPrimitiveList/finalizers': [finalizer] };
const ingressOf = (ip: string): object => ({ loadBalancer: { ingress: [{ ip }] } });

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
  'Local gets a health check node port; where no node ports are wanted there are none': async (kube) => {
    const local = await kube.service('local', { externalTrafficPolicy: 'Local' });
    expect(Number(at(local.body, 'spec.healthCheckNodePort'))).toBeGreaterThanOrEqual(30000);
    const none = await kube.service('none', { allocateLoadBalancerNodePorts: false });
    expect(at(none.body, 'spec.ports.0.nodePort')).toBeUndefined();
  },
  'Services are listed over all namespaces by spec.type, in pages that continue': async (kube) => {
    for (const name of ['one', 'two']) await kube.service(name);
    await kube.service('cluster', { type: 'ClusterIP' });
    const all = '/api/v1/services?fieldSelector=';
    const names: unknown[] = [];
    let next: unknown = '';
    do {
      const token = next === '' ? '' : `&continue=${encodeURIComponent(String(next))}`;
      const page = await kube.call('GET', `${all}spec.type%3DLoadBalancer&limit=1${token}`);
      expect(at(page.body, 'kind')).toBe('ServiceList');
      expect(listAt(page.body, 'items').length).toBeLessThanOrEqual(1);
      for (const item of listAt(page.body, 'items')) {
        expect(at(item, 'kind')).toBeUndefined();
        if (at(item, 'metadata.namespace') === kube.namespace) names.push(at(item, 'metadata.name'));
      }
      next = at(page.body, 'metadata.continue') ?? '';
    } while (next !== '');
    expect(names).toEqual(['one', 'two']);
    expectStatus(await kube.call('GET', `${all}spec.nonsense%3Da`), 400, 'BadRequest');
  },
  'a strategic patch of /status merges finalizers as a set, and deletes by directive': async (kube) => {
    const { path } = await kube.service('held');
    const patch = (metadata: object): Promise<KubeReply> => kube.strategic(`${path}/status`, { metadata });
    await patch({ finalizers: ['example.com/other'] });
    const added = await patch({ finalizers: [finalizer] });
    expect(added.status).toBe(200);
    expect(listAt(added.body, 'metadata.finalizers').sort()).toEqual(['example.com/other', finalizer]);
    expect(at((await patch(LET_GO)).body, 'metadata.finalizers')).toEqual(['example.com/other']);
  },
  '/status takes metadata and the address, whose ipMode becomes VIP, and leaves the spec': async (kube) => {
    const { path } = await kube.service('addressed');
    const metadata = { annotations: { 'example.com/id': 'x' }, labels: { l: 'v' } };
    const patch = { metadata, spec: { sessionAffinity: 'ClientIP' }, status: ingressOf('203.0.113.5') };
    const reply = await kube.merge(`${path}/status`, patch);
    expect(at(reply.body, 'metadata')).toMatchObject(metadata);
    expect(at(reply.body, 'status.loadBalancer.ingress')).toEqual([{ ip: '203.0.113.5', ipMode: 'VIP' }]);
    expect(at(reply.body, 'spec.sessionAffinity')).toBe('None');
    const other = { metadata: { labels: { a: 'b' } }, status: ingressOf('203.0.113.6') };
    const main = await kube.merge(path, other);
    expect(at(main.body, 'metadata.labels.a')).toBe('b');
    expect(at(main.body, 'status.loadBalancer.ingress.0.ip')).toBe('203.0.113.5');
  },
  'conditions merge by type under a strategic patch': async (kube) => {
    const { path } = await kube.service('conditioned');
    const same = { reason: 'Test', message: 'text', lastTransitionTime: '2026-01-01T00:00:00Z' };
    const set = (its: Record<string, string>): Promise<KubeReply> => {
      const conditions = Object.entries(its).map(([type, status]) => ({ type, status, ...same }));
      return kube.strategic(`${path}/status`, { status: { conditions } });
    };
    await set({ A: 'True', B: 'True' });
    const conditions = listAt((await set({ B: 'False' })).body, 'status.conditions');
    const states = conditions.map((one) => `${textAt(one, 'type')} ${textAt(one, 'status')}`);
    expect(states.sort()).toEqual(['A True', 'B False']);
  },
  'a stale resourceVersion is 409; a foreign uid is 422 in a patch and 409 in a PUT': async (kube) => {
    const { path, ...made } = await kube.service('guarded');
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
    const { path } = await kube.service('same');
    const same = { metadata: { labels: { a: '1' } } };
    const [first, second] = [await kube.merge(path, same), await kube.merge(path, same)];
    expect([second.status, version(second)]).toEqual([200, version(first)]);
  },
  'a finalizer holds a deleted Service until it is taken off through /status': async (kube) => {
    const { path } = await kube.service('dying');
    await kube.strategic(`${path}/status`, { metadata: { finalizers: [finalizer] } });
    expect((await kube.call('DELETE', path)).status).toBe(200);
    const held = await kube.call('GET', path);
    expect(at(held.body, 'metadata.deletionTimestamp')).toBeTruthy();
    expect(at(held.body, 'metadata.deletionGracePeriodSeconds')).toBe(0);
    expect((await kube.strategic(`${path}/status`, { metadata: LET_GO })).status).toBe(200);
    expectStatus(await kube.call('GET', path), 404, 'NotFound');
  },
  'switching the type away clears the status address and the node ports': async (kube) => {
    const { path } = await kube.service('switched');
    await kube.merge(`${path}/status`, { status: ingressOf('203.0.113.5') });
    const reply = await kube.merge(path, { spec: { type: 'ClusterIP' } });
    expect(at(reply.body, 'status.loadBalancer')).toEqual({});
    expect(at(reply.body, 'spec.ports.0.nodePort')).toBeUndefined();
    expect(at(reply.body, 'spec.externalTrafficPolicy')).toBeUndefined();
  },
};

const familiesOf = (body: unknown) => ({
  policy: at(body, 'spec.ipFamilyPolicy'),
  families: at(body, 'spec.ipFamilies'),
  addresses: listAt(body, 'spec.clusterIPs').map((one) => (String(one).includes(':') ? 'IPv6' : 'IPv4')),
});

/** Of a dual-stack cluster whose first family is IPv4. */
export const serviceFamilyCases: KubeCases = {
  'a policy brings the second family, and the first one is the one that is named': async (kube) => {
    const asked: readonly (readonly [string, object, readonly string[]])[] = [
      ['prefer', { ipFamilyPolicy: 'PreferDualStack' }, ['IPv4', 'IPv6']],
      ['require', { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv6'] }, ['IPv6', 'IPv4']],
    ];
    for (const [name, spec, families] of asked) {
      const { body } = await kube.service(name, { ...spec });
      expect(familiesOf(body)).toMatchObject({ families, addresses: families });
      expect(at(body, 'spec.clusterIP')).toBe(textAt(body, 'spec.clusterIPs.0'));
    }
    const six = await kube.service('six', { ipFamilies: ['IPv6'] });
    expect(familiesOf(six.body)).toEqual({ policy: 'SingleStack', families: ['IPv6'], addresses: ['IPv6'] });
  },
  'the second family comes and goes with the policy, the first one stays': async (kube) => {
    const { path, body } = await kube.service('turns');
    const more = await kube.merge(path, { spec: { ipFamilyPolicy: 'PreferDualStack' } });
    expect(familiesOf(more.body).addresses).toEqual(['IPv4', 'IPv6']);
    expect(at(more.body, 'spec.clusterIP')).toBe(textAt(body, 'spec.clusterIP'));
    const less = await kube.merge(path, { spec: { ipFamilyPolicy: 'SingleStack' } });
    expect(familiesOf(less.body)).toEqual({ policy: 'SingleStack', families: ['IPv4'], addresses: ['IPv4'] });
    const other = await kube.merge(path, { spec: { ipFamilies: ['IPv6'] } });
    expectStatus(other, 422, 'Invalid');
    expect(at(other.body, 'message')).toMatch(/expected an IPv6 value as indicated by `ipFamilies\[0]`/);
  },
  'two families need a policy, and are two': async (kube) => {
    const refused = async (spec: object, text: RegExp): Promise<void> => {
      const full = { type: 'LoadBalancer', ports: [{ port: 80 }], ...spec };
      const reply = await kube.create('services', { metadata: { name: 'refused' }, spec: full });
      expectStatus(reply, 422, 'Invalid');
      expect(at(reply.body, 'message')).toMatch(text);
    };
    await refused({ ipFamilies: ['IPv4', 'IPv6'] }, /spec\.ipFamilyPolicy: Invalid value: "SingleStack"/);
    await refused({ ipFamilies: ['IPv4', 'IPv4'] }, /spec\.ipFamilies\[1]: Duplicate value: "IPv4"/);
    await refused({ ipFamilies: ['IPv5'] }, /spec\.ipFamilies\[0]: Unsupported value: "IPv5"/);
  },
};
