import { table, type Case } from './table.ts';
import { ingressOf, serviceOf } from '../../support/told.ts';
import { CLEANUP, peerWorld, type PeerWorld } from './world.ts';

const RESERVED = '203.0.113.99';
/** What clients reach, and whether the Service is ours. */
const reached = (it: PeerWorld) => {
  const ip = it.ip() === RESERVED ? 'the address asked for' : it.ip() === 'none' ? it.ip() : 'an address';
  const isOurs = it.finalizers().includes(CLEANUP);
  return it.cloud.loadbalancers.length === 0 && it.cloud.pools.length === 0
    ? `nothing${isOurs ? ', kept' : ''}`
    : `${it.open()} to ${it.nodePorts()} at ${ip}${isOurs ? '' : ', not kept'}`;
};
type Step = readonly [spec: object | 'removed', port: number, nodePort?: number | null];
for (const protocol of ['TCP', 'UDP', 'SCTP']) {
  const it = peerWorld();
  it.cloud.addFloatingIp(RESERVED);
  const change = async ([spec, port, nodePort]: Step) => {
    const ports = [{ name: 'main', port, protocol, targetPort: 9000, ...(nodePort === undefined ? {} : { nodePort }) }]; // prettier-ignore
    if (spec === 'removed') await it.remove();
    else await (it.isThere() ? it.edit({ ...spec, ports }) : it.make({ ...spec, ports }));
    const kept = it.cloud.floatingips.some(({ floating_ip_address: ip, port_id: on }) => ip === RESERVED && !on);
    return `${it.isThere() ? reached(it) : 'gone'}${kept ? '; the address asked for is free' : ''}`;
  }; // prettier-ignore
  const free = '; the address asked for is free';
  table(`a Service of ${protocol}, changed step by step`, change, [
    ['ClusterIP', [{ type: 'ClusterIP' }, 7080], `nothing${free}`],
    ['NodePort', [{ type: 'NodePort' }, 7080, 31480], `nothing${free}`],
    ['LoadBalancer, at an address', [{ type: 'LoadBalancer', loadBalancerIP: RESERVED }, 7080, 31480], `${protocol} 7080 to 31480 at the address asked for`],
    ['another node port', [{}, 7080, 31490], `${protocol} 7080 to 31490 at the address asked for`],
    ['another port', [{}, 7081, 31490], `${protocol} 7081 to 31490 at the address asked for`],
    ['ClusterIP again', [{ type: 'ClusterIP', loadBalancerIP: null }, 7081, null], `nothing${free}`],
    ['LoadBalancer again', [{ type: 'LoadBalancer' }, 7081, 31490], `${protocol} 7081 to 31490 at an address${free}`],
    ['deleted', ['removed', 0], `gone${free}`],
  ]); // prettier-ignore
}

const main = (more: object) => ({ ports: [{ name: 'main', port: 7080, targetPort: 9000, ...more }] });
table('changes that are none for the cloud', async (spec: object) => {
  const it = peerWorld();
  await it.make(main({ nodePort: 31480 }));
  const before = it.writes().length;
  await it.edit(spec);
  return it.writes().length - before;
}, [
  ['name and target of a port', main({ nodePort: 31480, name: 'other', targetPort: 9001 }), 0],
  ['the selector', { selector: { app: 'other' } }, 0],
]); // prettier-ignore

type Act = (it: PeerWorld) => unknown;
const status = async (act: Act) => {
  const it = peerWorld();
  await it.make();
  await act(it);
  const { conditions = [] } = serviceOf(it)?.status ?? {};
  return [ingressOf(it), conditions.some(({ type }) => type === 'shop.example/Audited')];
};
const write = async (it: PeerWorld, ingress: object, more: readonly object[] = []) => {
  const conditions = [...(serviceOf(it)?.status?.conditions ?? []), ...more];
  it.kube.apply({ kind: 'Service', metadata: { name: 'web', namespace: 'default' }, status: { conditions, loadBalancer: { ingress: [ingress] } } }); // prettier-ignore
  await it.edit(main({ port: 7081 }));
};
const published = { ip: '203.0.113.10', ipMode: 'VIP' };
const audited = { type: 'shop.example/Audited', status: 'True', reason: 'Set', message: '', lastTransitionTime: '2026-02-02T00:00:00Z' }; // prettier-ignore
table('what others write into the status', status, [
  ['a condition stays', (it) => write(it, published, [audited]), [[published], true]],
  ['another address goes', (it) => write(it, { ip: '198.51.100.77' }), [[published], false]],
  [
    'ports with an error go',
    (it) => write(it, { ...published, ports: [{ port: 80, protocol: 'TCP', error: 'shop.example/No' }] }),
    [[published], false],
  ],
] as readonly Case<Act, readonly unknown[]>[]);

interface Wish {
  readonly finalizers: readonly string[];
  readonly type?: string;
  readonly then?: object;
}
const OTHER = 'shop.example/audit';
table('when a Service has a load balancer, an address and a finalizer', async ({ finalizers, type, then }: Wish) => {
  const it = peerWorld();
  await it.make(type === undefined ? {} : { type }, { finalizers });
  if (then) await it.edit(then);
  return [it.cloud.loadbalancers.length, it.ip() === 'none' ? 0 : 1, ...it.finalizers()];
}, [
  ['with the finalizer before', { finalizers: [CLEANUP] }, [1, 1, CLEANUP]],
  ['with the finalizer of somebody else', { finalizers: [OTHER] }, [1, 1, CLEANUP, OTHER]],
  ['that becomes ClusterIP, with one of somebody else', { finalizers: [OTHER], then: { type: 'ClusterIP' } }, [0, 0, OTHER]],
  ['NodePort with the finalizer', { type: 'NodePort', finalizers: [CLEANUP] }, [0, 0]],
] as readonly Case<Wish, readonly (string | number)[]>[]); // prettier-ignore
