/** What becomes of a Service that others change, as the tests of OCCM and of Kubernetes' controllers have it. */
import { beforeEach, expect, test } from 'vitest';
import { startCluster, type Cluster } from '../../support/clusters/cluster.ts';
import { aService } from '../../support/service.ts';
import { addressOf, cloudWrites, ingressOf, readyOf, serviceOf } from '../../support/told.ts';

const RESERVED = '203.0.113.99';
const CLEANUP = 'service.kubernetes.io/load-balancer-cleanup';
const OTHER = 'shop.example/audit';

let it: Cluster;
beforeEach(() => {
  it = startCluster();
});

/** What somebody writes on the Service, and its runs. */
async function change(spec: object, more: object = {}): Promise<void> {
  it.kube.apply({ kind: 'Service', metadata: { name: 'web', namespace: 'default', ...more }, spec });
  await it.run({ key: 'service/default/web', trigger: 'audit' });
}
const finalizers = (): readonly string[] => [...(serviceOf(it)?.metadata.finalizers ?? [])].sort();

test.each(['TCP', 'UDP', 'SCTP'])(
  'a Service of %s, changed step by step, is open as it is asked for, at the address that it names, which it gives back',
  async (protocol) => {
    const { cloud } = it;
    const reserved = cloud.addFloatingIp(RESERVED);
    /** What is open, to which node port, at which address, and whether the Service is ours. */
    const become = async (spec: object, port: number, nodePort: number | null = null) => {
      const ports = [{ name: 'main', port, protocol, targetPort: 9000, nodePort }];
      await change({ ...aService().spec, ...spec, ports });
      const open = cloud.listeners.map((one) => `${one.protocol} ${one.protocol_port}`);
      const to = new Set(cloud.members.map((one) => one.protocol_port));
      return [...open, ...to, addressOf(it), ...finalizers()];
    };
    const named = { type: 'LoadBalancer', loadBalancerIP: RESERVED };
    const none = { loadBalancerIP: null };

    expect(await become({ type: 'ClusterIP' }, 7080)).toEqual([undefined]);
    expect(await become({ type: 'NodePort' }, 7080, 31_480)).toEqual([undefined]);
    for (const [port, nodePort] of [
      [7080, 31_480],
      [7080, 31_490],
      [7081, 31_490],
    ] as const) {
      const served = [`${protocol} ${port}`, nodePort, RESERVED, CLEANUP];
      expect(await become(named, port, nodePort)).toEqual(served);
    }
    expect(await become({ ...none, type: 'ClusterIP' }, 7081)).toEqual([undefined]);
    expect(reserved.port_id).toBeNull();
    const again = [`${protocol} 7081`, 31_490, expect.not.stringContaining(RESERVED), CLEANUP];
    expect(await become(none, 7081, 31_490)).toEqual(again);

    it.kube.delete('Service', 'default', 'web');
    await it.run({ key: 'service/default/web', trigger: 'audit' });
    expect([serviceOf(it), cloud.floatingips]).toEqual([undefined, [reserved]]);
  },
);

const main = (more: object) => ({ ports: [{ name: 'main', port: 80, targetPort: 8080, ...more }] });

test.each([
  ['name and target of a port', main({ nodePort: 31_480, name: 'other', targetPort: 9001 })],
  ['the selector', { selector: { app: 'other' } }],
])('%s are nothing to the cloud', async (_, spec) => {
  await change({ ...aService().spec, ...main({ nodePort: 31_480 }) });
  const written = cloudWrites(it);
  await change(spec);
  expect(cloudWrites(it)).toEqual(written);
});

test.each([
  ['another address', { ip: '198.51.100.77' }],
  ['an error of a port', { ports: [{ port: 80, protocol: 'TCP', error: 'shop.example/No' }] }],
])('%s that somebody else writes into the status goes, and a condition stays', async (_, wrong) => {
  const [type, lastTransitionTime] = ['shop.example/Audited', '2026-02-02T00:00:00Z'];
  const audited = { type, status: 'True', reason: 'Set', message: '', lastTransitionTime };
  await it.create('web');
  const published = ingressOf(it);
  // without levelset's own, which comes back
  const status = { conditions: [audited], loadBalancer: { ingress: [{ ...published[0], ...wrong }] } };
  it.kube.apply({ kind: 'Service', metadata: { name: 'web', namespace: 'default' }, status });

  await change(main({ port: 7081 }));

  expect(ingressOf(it)).toEqual(published);
  expect(serviceOf(it)?.status?.conditions).toEqual([audited, readyOf(it)]);
});

const served = (): readonly unknown[] => [it.cloud.loadbalancers.length, finalizers()];

test.each([
  ['of levelset', CLEANUP, [CLEANUP], []],
  ['of somebody else', OTHER, [CLEANUP, OTHER], [OTHER]],
])('a finalizer %s stays while it is served, levelset’s no longer', async (_, before, during, after) => {
  const { spec } = aService();
  await change(spec, { finalizers: [before] });
  expect(served()).toEqual([1, during]);

  await change({ ...spec, type: 'ClusterIP' });
  expect(served()).toEqual([0, after]);
});

test('levelset’s finalizer goes from a Service that is not served', async () => {
  await change({ ...aService().spec, type: 'NodePort' }, { finalizers: [CLEANUP] });
  expect(served()).toEqual([0, []]);
});
