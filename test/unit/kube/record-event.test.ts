import { expect, it } from 'vitest';
import type { Node, Service, ObjectEvent } from '../../../shared/model/kubernetes.ts';
import { aService } from '../../support/service.ts';
import { sandboxKube } from './sandbox-kube.ts';

const ensured: ObjectEvent = {
  type: 'Normal',
  reason: 'EnsuredLoadBalancer',
  message: 'Ensured load balancer',
};

interface Shown {
  readonly involvedObject: { readonly kind: string };
  readonly source: { readonly component: string };
}

async function world() {
  const { sandbox, connect, asked, log } = await sandboxKube();
  const service = sandbox.kube.apply(aService()) as unknown as Service;
  const events = () => sandbox.kube.list('Event', 'default') as unknown as Shown[];
  asked();
  return { sandbox, kube: await connect(), service, events, asked, log };
}

it('writes an Event that kubectl describe shows at the Service', async () => {
  const { kube, service, events, asked } = await world();
  await kube.recordEvent(service, ensured);
  expect(asked()).toEqual(['POST 201']);
  expect(events()).toMatchObject([
    {
      ...ensured,
      metadata: { namespace: 'default', name: expect.stringMatching(/^web\.[0-9a-f]{16}$/) as string },
      involvedObject: { kind: 'Service', namespace: 'default', name: 'web', uid: service.metadata.uid },
      source: { component: 'service-controller' },
      reportingComponent: 'levelset',
      count: 1,
    },
  ]);
});

it('has the component that emits it in Kubernetes', async () => {
  const { sandbox, kube, service, events } = await world();
  const node = sandbox.kube.apply({ kind: 'Node', metadata: { name: 'node-1' } }) as unknown as Node;
  await kube.recordEvent(node, { type: 'Normal', reason: 'Synced', message: 'a' });
  await kube.recordEvent(node, { ...ensured, component: 'route_controller' });
  await kube.recordEvent(service, ensured);
  const said = events().map(({ source, involvedObject: { kind } }) => `${kind} ${source.component}`);
  expect(said.sort()).toEqual([
    'Node cloud-node-controller',
    'Node route_controller',
    'Service service-controller',
  ]);
});

it('counts up the same again, from any process', async () => {
  const { kube, service, events, asked } = await world();
  await kube.recordEvent(service, ensured);
  asked();
  await kube.recordEvent(service, ensured);
  expect(asked()).toEqual(['POST 409', 'GET 200', 'PATCH 200']);
  await kube.recordEvent(service, ensured);
  expect(events()).toMatchObject([{ count: 3 }]);
});

it.each([
  ['type', { ...ensured, type: 'Warning' as const }, {}],
  ['reason', { ...ensured, reason: 'UpdatedLoadBalancer' }, {}],
  ['message', { ...ensured, message: 'Ensured it' }, {}],
  ['Service of the same name', ensured, { uid: 'another' }],
])('writes another Event for another %s', async (_what, event, metadata) => {
  const { kube, service, events } = await world();
  await kube.recordEvent(service, ensured);
  await kube.recordEvent({ ...service, metadata: { ...service.metadata, ...metadata } }, event);
  expect(events()).toHaveLength(2);
});

it('cuts a message at 1024', async () => {
  const { kube, service, events } = await world();
  await kube.recordEvent(service, { ...ensured, message: 'x'.repeat(3000) });
  expect(events()).toMatchObject([{ message: `${'x'.repeat(1023)}…` }]);
});
