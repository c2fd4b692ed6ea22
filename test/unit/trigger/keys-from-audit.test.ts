import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseKey } from '../../../shared/model/request.ts';
import type { AuditEvent } from '../../../shared/trigger/audit-schema.ts';
import { keysFromAudit, serviceAccountUser } from '../../../shared/trigger/keys-from-audit.ts';
import { nodeEvent, nonResourceEvent, SELF, serviceEvent } from './audit-events.ts';

const inNamespace = { resource: 'services', namespace: 'shop' };
const status = { ...inNamespace, name: 'web', subresource: 'status' };
const slice = {
  resource: 'endpointslices',
  namespace: 'shop',
  name: 'web-x7k2p',
  apiGroup: 'discovery.k8s.io',
};
const nodeStatus = { resource: 'nodes', name: 'worker-7', subresource: 'status' };
const self = { username: SELF, groups: ['system:serviceaccounts'] };
const nodeController = { username: 'system:serviceaccount:kube-system:node-controller', groups: [] };

// prettier-ignore
const READ: readonly (readonly [string, AuditEvent, string])[] = [
  ['a create', serviceEvent('create', { responseStatus: { code: 201 } }), 'service/shop/web'],
  ['an update', serviceEvent('update'), 'service/shop/web'],
  ['a patch', serviceEvent('patch'), 'service/shop/web'],
  ['a delete', serviceEvent('delete'), 'service/shop/web'],
  ['the patch that empties the finalizers', { ...serviceEvent('patch'), requestObject: { metadata: { finalizers: null } } } as AuditEvent, 'service/shop/web'],
  ['a JSON Patch, whose requestObject is a list', { ...serviceEvent('patch'), requestObject: [{ op: 'remove', path: '/metadata/finalizers' }] } as AuditEvent, 'service/shop/web'],
  ['a create with generateName', serviceEvent('create', { objectRef: inNamespace }), 'namespace/shop'],
  ['a deletecollection', serviceEvent('deletecollection', { objectRef: inNamespace }), 'namespace/shop'],
  ['a deletecollection that has a name', serviceEvent('deletecollection'), 'namespace/shop'],
  ['a status write by somebody else', serviceEvent('patch', { objectRef: status }), 'service/shop/web'],
  ['an empty API group', serviceEvent('update', { objectRef: { ...inNamespace, name: 'web', apiGroup: '' } }), 'service/shop/web'],
  ['a field manager that looks like a dry run', serviceEvent('patch', { requestURI: '/x?fieldManager=dryRun=All' }), 'service/shop/web'],
  ['levelset impersonating somebody', serviceEvent('update', { user: self, impersonatedUser: { username: 'alice' } }), 'service/shop/web'],
  ['a Secret that is renewed', serviceEvent('update', { objectRef: { resource: 'secrets', namespace: 'shop', name: 'web-tls' } }), 'namespace/shop'],
  ['an endpoint that comes or goes', serviceEvent('update', { objectRef: slice }), 'namespace/shop'],
  ['a node that registers', nodeEvent('create'), 'node/worker-7 nodeset routes'],
  ['a node that registers without a name', nodeEvent('create', { objectRef: { resource: 'nodes' } }), 'nodeset routes'],
  ['a node that is tainted', nodeEvent('patch', { user: nodeController }), 'node/worker-7 nodeset routes'],
  ['a node that gets its CIDR', nodeEvent('update', { user: nodeController }), 'node/worker-7 nodeset routes'],
  ['a kubelet that labels its node', nodeEvent('patch'), 'node/worker-7 nodeset routes'],
  ['a node that is deleted', nodeEvent('delete'), 'nodeset routes'],
  ['all nodes deleted', nodeEvent('deletecollection', { objectRef: { resource: 'nodes' } }), 'nodeset routes'],
  ['a node that goes NotReady', nodeEvent('patch', { objectRef: nodeStatus, user: nodeController }), 'node/worker-7 nodeset'],
  ['a node that goes NotReady, of a controller manager with one identity', nodeEvent('update', { objectRef: nodeStatus, user: { username: 'system:kube-controller-manager' } }), 'node/worker-7 nodeset'],
];

// prettier-ignore
const IGNORED: readonly (readonly [string, AuditEvent])[] = [
  ['a URL that is no resource', nonResourceEvent()],
  ['an own write', serviceEvent('patch', { user: self })],
  ['an own status write', serviceEvent('patch', { user: self, objectRef: status })],
  ['a write as levelset by impersonation', serviceEvent('patch', { impersonatedUser: self })],
  ['an own write to a node', nodeEvent('patch', { user: self })],
  ['an own write to the status of a node', nodeEvent('patch', { user: self, objectRef: nodeStatus })],
  ['a lease of a node', nodeEvent('update', { objectRef: { resource: 'leases', namespace: 'kube-node-lease', name: 'worker-7', apiGroup: 'coordination.k8s.io' } })],
  ['a request through the proxy of a node', nodeEvent('create', { objectRef: { ...nodeStatus, subresource: 'proxy' } })],
  ['a kubelet writing its own status', nodeEvent('patch', { objectRef: nodeStatus })],
  ['a denied request', serviceEvent('create', { responseStatus: { code: 403 } })],
  ['a conflict', serviceEvent('update', { responseStatus: { code: 409 } })],
  ['a request without an answer', serviceEvent('update', { responseStatus: {} })],
  ['a dry run', serviceEvent('create', { requestURI: '/api/v1/namespaces/shop/services?dryRun=All&fieldManager=x' })],
  ['stage RequestReceived', serviceEvent('create', { stage: 'RequestReceived' })],
  ['stage Panic', serviceEvent('create', { stage: 'Panic' })],
  ['a read', serviceEvent('get')],
  ['a request through the proxy', serviceEvent('create', { objectRef: { ...status, subresource: 'proxy' } })],
  ['a scale', serviceEvent('patch', { objectRef: { ...status, subresource: 'scale' } })],
  ['a status that is created', serviceEvent('create', { objectRef: status })],
  ['a Pod', serviceEvent('create', { objectRef: { resource: 'pods', namespace: 'shop', name: 'web' } })],
  ['a status that is read', serviceEvent('get', { objectRef: status })],
  ['an eviction', serviceEvent('create', { objectRef: { resource: 'pods', namespace: 'shop', name: 'p', subresource: 'eviction' } })],
  ['a Service of Knative', serviceEvent('create', { objectRef: { ...inNamespace, name: 'web', apiGroup: 'serving.knative.dev' } })],
  ['a Secret that is read', serviceEvent('get', { objectRef: { resource: 'secrets', namespace: 'shop', name: 'web-tls' } })],
  ['a Secret of others', serviceEvent('update', { objectRef: { resource: 'secrets', namespace: 'shop', name: 'x', apiGroup: 'x.io' } })],
  ['an EndpointSlice that is read', serviceEvent('get', { objectRef: slice })],
  ['a Lease', serviceEvent('update', { objectRef: { resource: 'leases', namespace: 'shop', name: 'x', apiGroup: 'coordination.k8s.io' } })],
];

test.each(READ)('%s names its keys', (_, event, keys) => {
  expect(keysFromAudit([event], [SELF])).toEqual({
    keys: keys.split(' ').map((key) => ({ key, cause: event.auditID })),
    accepted: 1,
    skipped: 0,
    ignored: 0,
  });
});

test.each(IGNORED)('%s is ignored', (_, event) => {
  expect(keysFromAudit([event], [SELF])).toEqual({ keys: [], accepted: 0, skipped: 0, ignored: 1 });
});

// prettier-ignore
test.each([
  ['no audit event', { hello: 'world' }],
  ['null', null],
  ['an event whose verb is a number', { ...serviceEvent('x'), verb: 7 }],
  ['an update without a name', serviceEvent('update', { objectRef: inNamespace })],
  ['a name that Kubernetes does not allow', serviceEvent('update', { objectRef: { ...inNamespace, name: '../x' } })],
  ['a node of a name that Kubernetes does not allow, its other keys with it', nodeEvent('update', { objectRef: { resource: 'nodes', name: '../x' } })],
])('%s is skipped, and the others count', (_, item) => {
  const result = keysFromAudit([item, serviceEvent('update')], [SELF]);
  expect(result).toMatchObject({ accepted: 1, skipped: 1, ignored: 0 });
  expect(result.keys.map(({ key }) => key)).toEqual(['service/shop/web']);
});

test('a batch of 400 events gives each key once, caused by its first event', () => {
  const events = Array.from({ length: 400 }, (_, i) => {
    const auditID = `id-${i}`;
    if (i % 8 === 7) return nodeEvent('patch', { auditID });
    return serviceEvent('patch', { auditID, objectRef: { ...inNamespace, name: `web-${i % 8}` } });
  });
  const { keys, accepted } = keysFromAudit(events, [SELF]);
  expect(accepted).toBe(400);
  expect(keys).toEqual([
    ...[0, 1, 2, 3, 4, 5, 6].map((n) => ({ key: `service/shop/web-${n}`, cause: `id-${n}` })),
    ...['node/worker-7', 'nodeset', 'routes'].map((key) => ({ key, cause: 'id-7' })),
  ]);
});

test('the own user is the ServiceAccount levelset of a namespace', () => {
  expect(serviceAccountUser('levelset/levelset')).toBe(SELF);
});

test('law: whatever comes, nothing is thrown, every item is counted, every key is one', () => {
  const event = fc.record({
    auditID: fc.string(),
    stage: fc.constantFrom('ResponseComplete', 'Panic'),
    requestURI: fc.string(),
    verb: fc.constantFrom('create', 'patch', 'delete', 'deletecollection', 'get'),
    user: fc.record({ username: fc.string() }, { requiredKeys: [] }),
    objectRef: fc.record(
      {
        resource: fc.constantFrom('services', 'nodes', 'pods'),
        namespace: fc.string(),
        name: fc.oneof(fc.string(), fc.constant('web')),
        subresource: fc.constantFrom('', 'status', 'proxy'),
      },
      { requiredKeys: [] },
    ),
    responseStatus: fc.constant({ code: 200 }),
  });
  const items = fc.array(fc.oneof(event, fc.jsonValue()));
  fc.assert(
    fc.property(items, (list) => {
      const { keys, accepted, skipped, ignored } = keysFromAudit(list, [SELF]);
      expect(accepted + skipped + ignored).toBe(list.length);
      for (const { key } of keys) expect(parseKey(key)).toBe(key);
      expect(new Set(keys.map(({ key }) => key)).size).toBe(keys.length);
    }),
  );
});
