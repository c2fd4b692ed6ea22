import { describe, expect, it } from 'vitest';
import { connectKube } from '../../../shared/kube/connection/connect-kube.ts';
import type { Service } from '../../../shared/model/kubernetes.ts';
import type { Kube } from '../../../shared/ports.ts';
import { aService } from '../../support/service.ts';
import { fakeApiserver, keptLog } from './fake-apiserver.ts';
import { sandboxKube, type SandboxKube } from './sandbox-kube.ts';

async function withService(): Promise<SandboxKube & { kube: Kube; service: Service }> {
  const world = await sandboxKube();
  world.sandbox.kube.apply(aService());
  const kube = await world.connect();
  const service = await kube.getService('default', 'web');
  if (!service) throw new Error('no Service');
  world.asked();
  return { ...world, kube, service };
}

describe('reading', () => {
  it('asks for the id of the cluster once', async () => {
    const { sandbox, connect, asked } = await sandboxKube();
    const kube = await connect();
    const uid = sandbox.kube.get('Namespace', undefined, 'kube-system')?.metadata.uid;
    expect([await kube.clusterId(), await kube.clusterId()]).toEqual([uid, uid]);
    expect(asked()).toEqual(['GET 200']);
  });

  it('does not take the answer of something else for a Service', async () => {
    const fake = await fakeApiserver(() => ({ status: 200, body: '<html>' }));
    const env = { LEVELSET_KUBECONFIG_TEXT: kubeconfigFor(fake.url) };
    const { kube, ready } = await connectKube({ env, namespace: 'x', log: keptLog() });
    await expect(kube.getService('a', 'b')).rejects.toMatchObject({ code: 'UNEXPECTED_RESPONSE' });
    await expect(kube.listNodes()).rejects.toMatchObject({ code: 'UNEXPECTED_RESPONSE' });
    await expect(ready(false)).rejects.toMatchObject({ code: 'UNEXPECTED_RESPONSE' });
    await fake.close();
  });
});

describe('patchService', () => {
  const finalizers = ['service.kubernetes.io/load-balancer-cleanup'];

  // prettier-ignore
  it.each([
    ['was changed', (world: SandboxKube) => world.sandbox.kube.apply(aService({ annotations: { a: 'b' } }))],
    ['is gone', (world: SandboxKube) => { world.sandbox.kube.delete('Service', 'default', 'web'); }],
  ])('conflicts with a Service that %s since it was read', async (_what, change) => {
    const { kube, service, ...world } = await withService();
    change(world);
    await expect(kube.patchService(service, { metadata: { finalizers } })).rejects.toMatchObject({
      code: 'KUBE_CONFLICT',
    });
    expect((await kube.getService('default', 'web'))?.metadata.finalizers).toBeUndefined();
  });
});

function kubeconfigFor(server: string): string {
  return JSON.stringify({
    'current-context': 'a',
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    clusters: [{ name: 'a', cluster: { server } }],
    users: [{ name: 'a', user: {} }],
  });
}

it('is ready when the apiserver is and the cluster can be named', async () => {
  const { sandbox, asked, log } = await sandboxKube();
  const env = { LEVELSET_KUBECONFIG_TEXT: kubeconfigFor(sandbox.kubeUrl) };
  const { ready } = await connectKube({ env, namespace: 'levelset', log });
  await expect(ready(false)).rejects.toMatchObject({ code: 'KUBE_FORBIDDEN' });
  expect(asked()).toEqual(['GET 200', 'GET 401']);
});
