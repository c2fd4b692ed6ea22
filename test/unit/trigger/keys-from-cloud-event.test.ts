import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseKey } from '../../../shared/model/request.ts';
import { keysFromCloudEvents } from '../../../shared/trigger/keys-from-cloud-event.ts';

const service = { apiVersion: 'v1', kind: 'Service', metadata: { namespace: 'shop', name: 'web' }, spec: {} };
const reference = { apiVersion: 'v1', kind: 'Service', namespace: 'shop', name: 'web' };
const slice = {
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { namespace: 'shop', name: 'x' },
};
const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'worker-7' } };

function cloudEvent(type: string, data?: unknown): Record<string, unknown> {
  return { specversion: '1.0', id: 'event-1', source: 'https://10.96.0.1:443', type, data };
}

test.each([
  ['resource.add', service, 'service/shop/web'],
  ['resource.update', service, 'service/shop/web'],
  ['resource.delete', service, 'service/shop/web'],
  ['ref.add', reference, 'service/shop/web'],
  ['ref.delete', reference, 'service/shop/web'],
  ['resource.add', node, 'node/worker-7 nodeset routes'],
  ['resource.update', node, 'node/worker-7 nodeset routes'],
  ['ref.update', { apiVersion: 'v1', kind: 'Node', name: 'worker-7' }, 'node/worker-7 nodeset routes'],
  ['resource.delete', node, 'nodeset routes'],
  ['resource.update', slice, 'namespace/shop'],
  ['ref.update', { ...reference, kind: 'Secret', name: 'web-tls' }, 'namespace/shop'],
])('%s names its keys', (type, data, keys) => {
  expect(keysFromCloudEvents([cloudEvent(`dev.knative.apiserver.${type}`, data)])).toEqual({
    keys: keys.split(' ').map((key) => ({ key, cause: 'event-1' })),
    accepted: 1,
    skipped: 0,
    ignored: 0,
  });
});

test('a PingSource asks for everything', () => {
  expect(keysFromCloudEvents([cloudEvent('dev.knative.sources.ping')]).keys).toEqual([
    { key: 'all', cause: 'event-1' },
  ]);
});

// prettier-ignore
test.each([
  ['another type', cloudEvent('com.example.order', service)],
  ['another kind', cloudEvent('dev.knative.apiserver.resource.add', { ...service, kind: 'Pod' })],
  ['another Secret', cloudEvent('dev.knative.apiserver.ref.add', { ...reference, apiVersion: 'x.io/v1', kind: 'Secret' })],
  ['a Service of Knative', cloudEvent('dev.knative.apiserver.ref.add', { ...reference, apiVersion: 'serving.knative.dev/v1' })],
])('%s is ignored', (_, event) => {
  expect(keysFromCloudEvents([event])).toEqual({ keys: [], accepted: 0, skipped: 0, ignored: 1 });
});

test.each([
  ['no event', 'text'],
  ['an event without id', { specversion: '1.0', source: 'x', type: 'dev.knative.sources.ping' }],
  ['a version that is not 1.0', { ...cloudEvent('dev.knative.sources.ping'), specversion: '0.3' }],
  ['an event without data', cloudEvent('dev.knative.apiserver.resource.add')],
  ['a reference without a name', cloudEvent('dev.knative.apiserver.ref.add', { ...reference, name: 7 })],
  ['a Node without a name', cloudEvent('dev.knative.apiserver.resource.add', { ...node, metadata: {} })],
])('%s is skipped', (_, event) => {
  expect(keysFromCloudEvents([event])).toEqual({ keys: [], accepted: 0, skipped: 1, ignored: 0 });
});

test('law: whatever comes, nothing is thrown and every key is one', () => {
  const type = fc.constantFrom('dev.knative.apiserver.resource.add', 'dev.knative.apiserver.ref.update');
  const data = fc.record({
    apiVersion: fc.constant('v1'),
    kind: fc.constantFrom('Service', 'Node'),
    metadata: fc.option(fc.jsonValue(), { nil: undefined }),
    namespace: fc.string(),
    name: fc.string(),
  });
  const event = fc.tuple(type, data).map(([of, what]) => cloudEvent(of, what));
  fc.assert(
    fc.property(fc.array(fc.oneof(event, fc.jsonValue())), (list) => {
      const { keys, accepted, skipped, ignored } = keysFromCloudEvents(list);
      expect(accepted + skipped + ignored).toBe(list.length);
      for (const { key } of keys) expect(parseKey(key)).toBe(key);
    }),
  );
});
