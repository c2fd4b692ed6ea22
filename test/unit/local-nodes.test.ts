import { expect, test } from 'vitest';
import { readyNodes, withLocalNodes } from '../../shared/local-nodes.ts';
import type { EndpointSlice } from '../../shared/model/kubernetes.ts';
import { serviceKey } from '../../shared/model/request.ts';
import { aStoredService } from '../support/service.ts';

const metadata = { name: 'web-x7k2p', uid: 'u', resourceVersion: '1' };
const slice = (...endpoints: NonNullable<EndpointSlice['endpoints']>): EndpointSlice => ({
  metadata,
  endpoints,
});

test('nodes with a ready endpoint are named once and in order, over all slices', () => {
  const slices = [
    slice({ nodeName: 'b', conditions: { ready: true } }, { nodeName: 'c', conditions: { ready: false } }),
    slice({ nodeName: 'a' }, { nodeName: 'b', conditions: {} }, { conditions: { ready: true } }),
    { metadata, endpoints: null },
  ];
  expect(readyNodes(slices)).toEqual(['a', 'b']);
});

test('only a Service whose traffic stays local is asked for', async () => {
  const asked: string[] = [];
  const kube = {
    listEndpointSlices: (namespace: string, name: string) => {
      asked.push(`${namespace}/${name}`);
      return Promise.resolve([slice({ nodeName: 'a' })]);
    },
  };
  const unit = (spec: Record<string, unknown>, wanted = true) => ({
    key: serviceKey('default', 'web'),
    name: { namespace: 'default', name: 'web' },
    service: aStoredService({ spec }),
    wanted,
  });
  expect(await withLocalNodes(unit({}), kube)).not.toHaveProperty('localNodes');
  expect(await withLocalNodes(unit({ externalTrafficPolicy: 'Local' }, false), kube)).not.toHaveProperty(
    'localNodes',
  );
  expect(asked).toEqual([]);
  expect(await withLocalNodes(unit({ externalTrafficPolicy: 'Local' }), kube)).toMatchObject({
    localNodes: ['a'],
  });
  expect(asked).toEqual(['default/web']);
});
