import { expect, test } from 'vitest';
import { type AuditEvent, keysFromAudit } from '../../../shared/trigger/keys-from-audit.ts';
import { keysFromCloudEvents } from '../../../shared/trigger/keys-from-cloud-event.ts';
import { nodeEvent, SELF, serviceEvent } from './audit-events.ts';

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
  ['the patch that empties the finalizers', { ...serviceEvent('patch'), requestObject: { metadata: { finalizers: null } } } as AuditEvent, 'service/shop/web'],
  ['a create with generateName', serviceEvent('create', { objectRef: inNamespace }), 'namespace/shop'],
  ['a status write by somebody else', serviceEvent('patch', { objectRef: status }), 'service/shop/web'],
  ['levelset impersonating somebody', serviceEvent('update', { user: self, impersonatedUser: { username: 'alice' } }), 'service/shop/web'],
  ['a Secret that is renewed', serviceEvent('update', { objectRef: { resource: 'secrets', namespace: 'shop', name: 'web-tls' } }), 'namespace/shop'],
  ['an endpoint that comes or goes', serviceEvent('update', { objectRef: slice }), 'namespace/shop'],
  ['a node that registers', nodeEvent('create'), 'node/worker-7 nodeset routes'],
  ['a kubelet that labels its node', nodeEvent('patch'), 'node/worker-7 nodeset routes'],
  ['a node that is deleted', nodeEvent('delete'), 'nodeset routes'],
  ['a node that goes NotReady', nodeEvent('patch', { objectRef: nodeStatus, user: nodeController }), 'node/worker-7 nodeset'],
];

// prettier-ignore
const IGNORED: readonly (readonly [string, AuditEvent])[] = [
  ['an own write', serviceEvent('patch', { user: self })],
  ['a write as levelset by impersonation', serviceEvent('patch', { impersonatedUser: self })],
  ['an own write to the status of a node', nodeEvent('patch', { user: self, objectRef: nodeStatus })],
  ['a kubelet writing its own status', nodeEvent('patch', { objectRef: nodeStatus })],
  ['a denied request', serviceEvent('create', { responseStatus: { code: 403 } })],
  ['a request without an answer', serviceEvent('update', { responseStatus: {} })],
  ['a dry run', serviceEvent('create', { requestURI: '/api/v1/namespaces/shop/services?dryRun=All&fieldManager=x' })],
  ['stage RequestReceived', serviceEvent('create', { stage: 'RequestReceived' })],
  ['a read', serviceEvent('get')],
  ['a request through the proxy', serviceEvent('create', { objectRef: { ...status, subresource: 'proxy' } })],
  ['a Pod', serviceEvent('create', { objectRef: { resource: 'pods', namespace: 'shop', name: 'web' } })],
  ['a Service of Knative', serviceEvent('create', { objectRef: { ...inNamespace, name: 'web', apiGroup: 'serving.knative.dev' } })],
];

const read = (keys: string, cause: string) => ({
  keys: keys.split(' ').map((key) => ({ key, cause })),
  ...{ accepted: 1, skipped: 0, ignored: 0 },
});

test.each(READ)('%s names its keys', (_, event, keys) => {
  expect(keysFromAudit([event], [SELF])).toEqual(read(keys, event.auditID));
});

test.each(IGNORED)('%s is ignored', (_, event) => {
  expect(keysFromAudit([event], [SELF])).toEqual({ keys: [], accepted: 0, skipped: 0, ignored: 1 });
});

// prettier-ignore
test.each([
  ['no audit event', { hello: 'world' }],
  ['an update without a name', serviceEvent('update', { objectRef: inNamespace })],
  ['a node of a name that Kubernetes does not allow, its other keys with it', nodeEvent('update', { objectRef: { resource: 'nodes', name: '../x' } })],
])('%s is skipped, and the others count', (_, item) => {
  const result = keysFromAudit([item, serviceEvent('update')], [SELF]);
  expect(result).toMatchObject({ accepted: 1, skipped: 1, ignored: 0 });
  expect(result.keys.map(({ key }) => key)).toEqual(['service/shop/web']);
});

const named = { namespace: 'shop', name: 'web' };
const [aService, aNode] = [
  { apiVersion: 'v1', kind: 'Service' },
  { apiVersion: 'v1', kind: 'Node' },
];
const aSlice = { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice' };
// prettier-ignore
test.each<[type: string, data: object, keys: string | undefined]>([
  ['resource.delete', { ...aService, metadata: named }, 'service/shop/web'],
  ['ref.add', { ...aService, ...named }, 'service/shop/web'],
  ['resource.add', { ...aNode, metadata: { name: 'worker-7' } }, 'node/worker-7 nodeset routes'],
  ['ref.update', { ...aNode, name: 'worker-7' }, 'node/worker-7 nodeset routes'],
  ['resource.delete', { ...aNode, metadata: { name: 'worker-7' } }, 'nodeset routes'],
  ['resource.update', { ...aSlice, metadata: named }, 'namespace/shop'],
  ['ref.update', { ...aService, ...named, kind: 'Secret' }, 'namespace/shop'],
  ['ref.add', { ...named, apiVersion: 'x.io/v1', kind: 'Secret' }, undefined],
  ['ref.add', { ...aService, ...named, apiVersion: 'serving.knative.dev/v1' }, undefined],
])('the CloudEvent %s of %j names %s', (type, data, keys) => {
  const event = { specversion: '1.0', id: 'event-1', source: 'https://10.96.0.1:443', type: `dev.knative.apiserver.${type}`, data };
  const none = { keys: [], accepted: 0, skipped: 0, ignored: 1 };
  expect(keysFromCloudEvents([event])).toEqual(keys === undefined ? none : read(keys, 'event-1'));
  expect(keysFromCloudEvents([{ ...event, specversion: '0.3' }])).toMatchObject({ keys: [], skipped: 1 });
});
