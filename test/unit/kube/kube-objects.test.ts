import { describe, expect, it, test } from 'vitest';
import type { KubeAnswer, KubeHttp, KubeRequest } from '../../../shared/kube/kube-http.ts';
import { asObject, listAllObjects, type Kind } from '../../../shared/kube/kube-objects.ts';
import { ReconcileError } from '../../../shared/model/errors.ts';

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
    const message = `cannot read ${kind} web: the answer is not a Kubernetes object: ${why}`;
    const told = expect.objectContaining({ code: 'UNEXPECTED_RESPONSE', message }) as Error;
    expect(() => asObject(kind, body, `read ${kind} web`)).toThrow(told);
  });
});

const list = (kind: Kind, http: KubeHttp) =>
  listAllObjects(http, { kind, path: '/api/v1/x', query: { labelSelector: 'a=b' }, doing: 'list them' });

// prettier-ignore
test.each<[string, Kind, unknown, string]>([
  ['of something else', 'Service', { items: [] }, 'the answer is not a list'],
  ['of metadata, as a cache may have it', 'Node', { kind: 'PartialObjectMetadataList', items: [] }, 'the answer is not a list'],
  ['with one odd object', 'Node', { kind: 'NodeList', items: [node, null] }, 'the answer is not a Kubernetes object: must be a map'],
])('a list %s is none', async (_what, kind, body, why) => {
  await expect(list(kind, () => Promise.resolve({ status: 200, body }))).rejects.toThrow(`cannot list them: ${why}`);
});

describe('a list in pages', () => {
  /** One of 1,200; the n-th request may be answered with something else. */
  const pages =
    (asked: KubeRequest[], odd: (nth: number) => KubeAnswer | undefined): KubeHttp =>
    (request) => {
      const { continue: begin = 0, limit } = request.query ?? {};
      const from = Number(begin);
      const to = Math.min(1200, from + Number(limit));
      const items = Array.from({ length: to - from }, (_, at) => ({
        metadata: { ...metadata, name: `node-${from + at}`, managedFields: [] },
        status: { images: [], addresses: [] },
      }));
      const more = to < 1200 ? { continue: String(to) } : {};
      asked.push(request);
      return Promise.resolve(
        odd(asked.length) ?? { status: 200, body: { kind: 'NodeList', metadata: more, items } },
      );
    };
  const expired: KubeAnswer = { status: 410, body: undefined };

  it.each<[string, (nth: number) => KubeAnswer | undefined, asked: number]>([
    ['is read with the same selector, without what nobody reads', () => undefined, 3],
    ['begins anew when the snapshot expires on the way', (nth) => (nth === 3 ? expired : undefined), 6],
  ])('%s', async (_what, odd, count) => {
    const asked: KubeRequest[] = [];
    const items = await list('Node', pages(asked, odd));
    expect(items.map(({ metadata: { name } }) => name)).toEqual(
      Array.from({ length: 1200 }, (_, at) => `node-${at}`),
    );
    expect(items[0]).toEqual({ metadata: { ...metadata, name: 'node-0' }, status: { addresses: [] } });
    expect(asked.map(({ query }) => query?.['labelSelector'])).toEqual(Array(count).fill('a=b'));
  });

  it.each<[string, (nth: number) => KubeAnswer | undefined]>([
    ['it expires twice', (nth) => (nth % 3 === 0 ? expired : undefined)],
    [
      'a page fails',
      (nth) => {
        if (nth >= 2) throw new ReconcileError('KUBE_UNAVAILABLE', 'etcd');
        return undefined;
      },
    ],
  ])('is given up, and no part of it is told, when %s', async (_what, odd) => {
    await expect(list('Node', pages([], odd))).rejects.toMatchObject({ code: 'KUBE_UNAVAILABLE' });
  });
});
