import { describe, expect, it } from 'vitest';
import { asObject, listAllObjects, type Kind } from '../../../shared/kube/kube-objects.ts';

const metadata = { name: 'web', uid: 'u', resourceVersion: '7' };
const service = {
  kind: 'Service',
  metadata: { ...metadata, namespace: 'shop' },
  spec: { type: 'LoadBalancer' },
};
const node = { metadata, status: { addresses: [{ type: 'InternalIP', address: '10.0.0.1' }] } };

describe('an object', () => {
  it.each<[Kind, unknown]>([
    ['Service', service],
    ['Node', node],
    ['EndpointSlice', { metadata, addressType: 'IPv4', endpoints: null, ports: null }],
    ['Metadata', { kind: 'PartialObjectMetadata', metadata }],
  ])('%s is taken as it is', (kind, body) => {
    expect(asObject(kind, body, 'read it')).toBe(body);
  });

  // prettier-ignore
  it.each<[string, Kind, unknown, string]>([
    ['a page of a proxy', 'Service', '<html>', 'must be a map'],
    ['nothing', 'Service', null, 'must be a map'],
    ['another kind', 'Service', { ...service, kind: 'PartialObjectMetadata' }, '.kind must be Service'],
    ['without a version, under which it would be written', 'Lease', { metadata: { name: 'a', uid: 'u' } }, '.metadata.resourceVersion must be a string'],
    ['a Service without a type, which is one that leaves', 'Service', { ...service, spec: {} }, '.spec.type must be a string'],
    ['a Service without a namespace', 'Service', { ...service, metadata }, '.metadata.namespace must be a string'],
    ['a Service whose ports are no ports', 'Service', { ...service, spec: { type: 'LoadBalancer', ports: [80] } }, '.spec.ports[0] must be a map'],
    ['a Node without a status, whose members would go', 'Node', { metadata }, '.status must be a map'],
    ['a Node whose address is none', 'Node', { metadata, status: { addresses: [{ type: 'InternalIP' }] } }, '.status.addresses[0].address must be a string'],
    ['the metadata of a slice', 'EndpointSlice', { metadata }, '.addressType must be a string'],
    ['a record that is no text', 'ConfigMap', { metadata, data: { place: { hush: 1 } } }, '.data.place must be a string'],
  ])('%s is refused, and what it should have is told', (_what, kind, body, why) => {
    expect(() => asObject(kind, body, `read ${kind} web`)).toThrow(
      expect.objectContaining({
        code: 'UNEXPECTED_RESPONSE',
        message: `cannot read ${kind} web: the answer is not a Kubernetes object: ${why}`,
      }) as Error,
    );
  });
});

describe('a list', () => {
  const list = (kind: Kind, body: unknown): Promise<unknown> =>
    listAllObjects(() => Promise.resolve({ status: 200, body }), {
      ...{ kind, path: '/api/v1/x', doing: 'list them' },
    });

  // prettier-ignore
  it.each<[string, Kind, unknown, string]>([
    ['of something else', 'Service', { items: [] }, 'the answer is not a list'],
    ['of metadata, as a cache may have it', 'Node', { kind: 'PartialObjectMetadataList', items: [] }, 'the answer is not a list'],
    ['with one odd object', 'Node', { kind: 'NodeList', items: [node, null] }, 'the answer is not a Kubernetes object: must be a map'],
  ])('%s is no list', async (_what, kind, body, why) => {
    await expect(list(kind, body)).rejects.toThrow(`cannot list them: ${why}`);
  });

  it.each<[Kind, string]>([
    ['Node', 'NodeList'],
    ['Metadata', 'PartialObjectMetadataList'],
  ])('of %s is a %s', async (kind, listed) => {
    expect(await list(kind, { kind: listed, items: [node] })).toEqual([node]);
  });
});
