import { expect, it } from 'vitest';
import type { Node, Service, ObjectEvent } from '../../../shared/model/kubernetes.ts';
import { aService } from '../../support/service.ts';
import { sandboxKube } from './sandbox-kube.ts';

const ensured: ObjectEvent = { type: 'Normal', reason: 'EnsuredLoadBalancer', message: 'Ensured all' };

async function world() {
  const { sandbox, connect } = await sandboxKube();
  const service = sandbox.kube.apply(aService()) as unknown as Service;
  const node = sandbox.kube.apply({ kind: 'Node', metadata: { name: 'node-1' } }) as unknown as Node;
  const events = () => sandbox.kube.list('Event', 'default');
  return { kube: connect(), service, node, events };
}

it('an Event is shown by kubectl describe, is cut at 1024, and the same again, from any process, is counted', async () => {
  const { kube, service, events } = await world();
  for (let time = 0; time < 3; time += 1)
    await kube.recordEvent(service, { ...ensured, message: 'x'.repeat(3000) });
  expect(events()).toMatchObject([
    {
      ...ensured,
      message: `${'x'.repeat(1023)}…`,
      metadata: { namespace: 'default', name: expect.stringMatching(/^web\.[0-9a-f]{16}$/) as string },
      involvedObject: { kind: 'Service', namespace: 'default', name: 'web', uid: service.metadata.uid },
      source: { component: 'service-controller' },
      reportingComponent: 'levelset',
      count: 3,
    },
  ]);
});

it('an Event is another one with another type, reason, message, Service or component', async () => {
  const { kube, service, node, events } = await world();
  const others = [{ type: 'Warning' }, { reason: 'UpdatedLoadBalancer' }, { message: 'Ensured it' }] as const;
  for (const other of [{}, ...others]) await kube.recordEvent(service, { ...ensured, ...other });
  await kube.recordEvent({ ...service, metadata: { ...service.metadata, uid: 'another' } }, ensured);
  await kube.recordEvent(node, { type: 'Normal', reason: 'Synced', message: 'a' });
  await kube.recordEvent(node, { ...ensured, component: 'route_controller' });
  const components = events().map(({ source }) => (source as { component: string }).component);
  expect(components.sort()).toEqual([
    ...['cloud-node-controller', 'route_controller', ...Array<string>(5).fill('service-controller')],
  ]);
});
