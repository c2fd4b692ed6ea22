import { describe, expect, test } from 'vitest';
import { aService } from '../../support/service.ts';
import { inEachTest, pause, run, startSandboxWorld, type SandboxWorld } from '../../support/sandbox-world.ts';
import { leftovers, readyOf, serviceOf } from '../../support/told.ts';

const it = inEachTest(() => startSandboxWorld());

const once = () => run({ key: 'service/default/web', trigger: 'audit' }, it.world);

describe('a Service that leaves', () => {
  test('by becoming ClusterIP loses load balancer, finalizer, annotations, condition and address', async () => {
    it.sandbox.kube.apply(aService());
    await it.settle('web');

    it.sandbox.kube.apply(aService({ spec: { type: 'ClusterIP' } }));
    await it.settle('web');

    expect(leftovers(it.sandbox)).toEqual({});
    const service = serviceOf(it.sandbox);
    expect(service?.metadata.finalizers ?? []).toEqual([]);
    expect(service?.metadata.annotations ?? {}).toEqual({});
    expect(readyOf(it.sandbox)).toBeUndefined();
    expect(service?.status?.loadBalancer ?? {}).toEqual({});
  });

  test.each([
    ['has a listener on it', false],
    ['makes a listener on it while the run waits for Neutron', true],
  ] as const)('keeps its load balancer alive where somebody else %s', async (_, isLate) => {
    it.sandbox.kube.apply(aService());
    await it.settle('web');
    const { listeners } = it.sandbox.cloud;
    const [ours] = listeners;
    if (!ours) throw new Error('no listener');
    const foreign = { ...ours, id: it.sandbox.cloud.newId(), name: 'foreign', tags: [], protocol_port: 9999 };
    const make = () => {
      listeners.push({ ...foreign, default_pool_id: null });
      return Promise.resolve();
    };
    const match = { side: 'openstack', method: 'GET', path: /floatingips/ } as const;
    if (isLate) it.sandbox.fault({ match, kind: 'call', before: make });
    else await make();

    await it.remove('web');

    expect(it.sandbox.cloud.listeners.map(({ name }) => name)).toEqual(['foreign']);
    expect(it.sandbox.cloud.pools).toEqual([]);
    expect(it.sandbox.cloud.floatingips).toEqual([]);
    expect(it.sandbox.cloud.loadbalancers[0]?.tags.filter((tag) => tag.startsWith('levelset-'))).toEqual([]);
    expect(serviceOf(it.sandbox)).toBeUndefined();
  });

  test('has only lists read that serve others, where nothing has changed on the load balancer since all of it was read', async () => {
    // Octavia's times have whole seconds
    it.sandbox.advanceClock(-5_000);
    it.sandbox.kube.apply(aService());
    await it.settle('web');
    await it.sweepUntilSettled();
    const before = readByItself(it.sandbox).length;

    await it.remove('web');

    expect(readByItself(it.sandbox).slice(before)).toEqual([]);
    expect(leftovers(it.sandbox)).toEqual({});
  });

  test.each<readonly [string, (cloud: SandboxWorld['sandbox']['cloud']) => void]>([
    [
      'a pool that no listener uses',
      (cloud) => {
        const [ours] = cloud.pools;
        if (ours) cloud.pools.push({ ...ours, id: cloud.newId(), name: 'own', tags: [], listener_id: null });
      },
    ],
    [
      'a listener that somebody gave to another Service',
      ({ listeners: [ours] }) => {
        const given = ['levelset-service=other', 'kube_service_kubernetes_default_other'];
        Object.assign(ours ?? {}, { tags: given });
      },
    ],
  ])('keeps its load balancer alive while there is %s', async (_, change) => {
    it.sandbox.kube.apply(aService());
    await it.settle('web');
    change(it.sandbox.cloud);

    await it.remove('web');

    expect(readByItself(it.sandbox)).not.toEqual([]);
    expect(it.sandbox.cloud.loadbalancers).toHaveLength(1);
  });

  test.each<readonly [string, object]>([
    ['', {}],
    [' and had lost its tags', { tags: [] }],
  ])(
    'keeps its finalizer until a load balancer is gone that fell into ERROR while it was deleted%s',
    async (_, change) => {
      it.sandbox.kube.apply(aService());
      await it.settle('web');
      Object.assign(it.sandbox.cloud.loadbalancers[0] ?? {}, change);
      it.sandbox.kube.delete('Service', 'default', 'web');
      it.sandbox.fault({
        match: { method: 'DELETE', path: /loadbalancers/ },
        kind: 'fail-before',
        status: 204,
      });
      await once();
      it.sandbox.cloud.setStatus(it.sandbox.cloud.loadbalancers[0]?.id ?? '', 'ERROR');

      await once();

      expect(serviceOf(it.sandbox)?.metadata.finalizers).toHaveLength(1);
      await it.settle('web');
      expect(leftovers(it.sandbox)).toEqual({});
    },
  );

  test('asks for its load balancer by its id where another process deleted it', async () => {
    it.sandbox.kube.apply(aService());
    await it.settle('web');
    it.sandbox.kube.delete('Service', 'default', 'web');
    await once();
    await pause(30);

    await it.settle('web', {}, await it.another());

    expect(readByItself(it.sandbox)).not.toEqual([]);
    expect(leftovers(it.sandbox)).toEqual({});
  });
});

/** Reads of what is on one load balancer, and of one load balancer by its id. */
function readByItself({ requests }: SandboxWorld['sandbox']): readonly string[] {
  return requests
    .filter(({ method }) => method === 'GET')
    .map(({ path }) => path)
    .filter((path) => /loadbalancer_id=|loadbalancers\/[0-9a-f-]{36}$/.test(path));
}
