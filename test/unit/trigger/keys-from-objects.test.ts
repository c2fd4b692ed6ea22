/** Which changes of an object a watch looks at. */
import { expect, test } from 'vitest';
import type { Node, Service } from '../../../shared/model/kubernetes.ts';
import { signOfNode, signOfService } from '../../../shared/trigger/keys-from-objects.ts';
import { aStoredService } from '../../support/service.ts';

const ready = (status: string, more: readonly object[] = []): object => ({
  status: { conditions: [{ type: 'Ready', status }, ...more] },
});
const excluded = {
  metadata: { name: 'n', labels: { 'node.kubernetes.io/exclude-from-external-load-balancers': '' } },
};
const nodeOf = (parts: object): Node => ({ metadata: { name: 'n', uid: 'u' }, spec: {}, ...parts }) as Node;

test.each<[what: string, before: object, after: object, isSeen: boolean]>([
  ['is excluded', {}, excluded, true],
  ['gets its providerID', {}, { spec: { providerID: 'openstack:///one' } }, true],
  ['is tainted', {}, { spec: { taints: [{ key: 'x', effect: 'NoSchedule' }] } }, true],
  ['is not ready any more', ready('True'), ready('False'), true],
  ['is as before', ready('False'), ready('False'), false],
  ['reports another condition', ready('True'), ready('True', [{ type: 'Other', status: 'False' }]), false],
])('a Node that %s', (_, before, after, isSeen) => {
  expect(signOfNode(nodeOf(before)) !== signOfNode(nodeOf(after))).toBe(isSeen);
});

const HTTP = { name: 'web', port: 80, protocol: 'TCP', nodePort: 30_080 };
const serviceOf = ({ uid = 'u', ...spec }: { readonly uid?: string }): Service => {
  const service = aStoredService({ spec: { ports: [HTTP], ...spec } });
  return { ...service, metadata: { ...service.metadata, uid } };
};

test.each<[what: string, after: object, isSeen: boolean]>([
  ['its type', { type: 'ClusterIP' }, true],
  ['the number of a port', { ports: [{ ...HTTP, port: 81 }] }, true],
  ['the target of a port', { ports: [{ ...HTTP, targetPort: 'dns' }] }, true],
  ['the protocol of the application', { ports: [{ ...HTTP, appProtocol: 'http' }] }, true],
  ['its externalIPs', { externalIPs: ['192.0.2.61'] }, true],
  ['its traffic policy', { externalTrafficPolicy: 'Local' }, true],
  ['its families', { ipFamilies: ['IPv4', 'IPv6'] }, true],
  ['its UID', { uid: 'another' }, true],
  ['nothing', {}, false],
])('of a Service changes %s', (_, after, isSeen) => {
  expect(signOfService(serviceOf({})) !== signOfService(serviceOf(after))).toBe(isSeen);
});
