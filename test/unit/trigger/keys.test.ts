import { expect, test } from 'vitest';
import { type AuditEvent, keysFromAudit } from '../../../shared/trigger/keys-from-audit.ts';
import { nodeEvent, SELF, serviceEvent } from './audit-events.ts';

const inNamespace = { resource: 'services', namespace: 'shop' };
const status = { ...inNamespace, name: 'web', subresource: 'status' };
const ofDiscovery = { resource: 'endpointslices', apiGroup: 'discovery.k8s.io' };
const slice = { ...ofDiscovery, namespace: 'shop', name: 'web-x7k2p' };
const nodeStatus = { resource: 'nodes', name: 'worker-7', subresource: 'status' };
const self = { username: SELF, groups: ['system:serviceaccounts'] };
const nodeController = { username: 'system:serviceaccount:kube-system:node-controller', groups: [] };

// prettier-ignore
test.each<[string, AuditEvent, keys?: string]>([
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
])('%s names its keys, if any', (_, event, keys) => {
  const found = keys?.split(' ').map((key) => ({ key, cause: event.auditID }));
  const counts = found ? { accepted: 1, ignored: 0 } : { accepted: 0, ignored: 1 };
  expect(keysFromAudit([event], [SELF])).toEqual({ keys: found ?? [], skipped: 0, ...counts });
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
