import { as, table, type Case } from './table.ts';
import { ingressOf, serviceOf } from '../../support/told.ts';
import { CLEANUP, L, peerWorld, type PeerWorld } from './world.ts';

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

type Act = (it: PeerWorld) => unknown;
/** What is seen of a Service after each of the changes. */
function story(look: (it: PeerWorld) => unknown, config: Parameters<typeof peerWorld>[1] = {}) {
  const it = peerWorld({}, config);
  return async (spec: object) => {
    await (it.isThere() ? it.edit(spec) : it.make(spec as Readonly<Record<string, unknown>>));
    return look(it);
  };
}
const LOCAL = { externalTrafficPolicy: 'Local' };
const CLUSTER = { externalTrafficPolicy: 'Cluster', healthCheckNodePort: null };
const checks = (it: PeerWorld) => {
  const { healthCheckNodePort: own } = as<{ healthCheckNodePort?: number }>(serviceOf(it)?.spec);
  const asked = it.cloud.members.map((one) => one['monitor_port'] ?? null);
  const isAsked = asked.every((port) => (own ? port === own : port === null));
  return [it.cloud.healthmonitors.map(({ type }) => type).join(), isAsked, it.ip()];
};
const ADDRESS = '203.0.113.10';
table('traffic policies', story(checks), [
  ['Local', LOCAL, ['HTTP', true, ADDRESS]],
  ['Cluster', CLUSTER, ['TCP', true, ADDRESS]],
  ['Local again', LOCAL, ['HTTP', true, ADDRESS]],
]);
table('traffic policies, no monitors asked for', story(checks, { createMonitor: false }), [
  ['Local', LOCAL, ['HTTP', true, ADDRESS]],
  ['Cluster', CLUSTER, ['', true, ADDRESS]],
]);

const main = (more: object) => ({ ports: [{ name: 'main', port: 7080, targetPort: 9000, ...more }] });
table(
  'no node ports',
  story((it) => [it.isReady(), it.cloud.members.length, it.nodePorts()]),
  [
    ['none', { allocateLoadBalancerNodePorts: false, ...main({}) }, [true, 0, '']],
    ['one later', { allocateLoadBalancerNodePorts: true, ...main({ nodePort: 31480 }) }, [true, 3, '31480']],
  ],
);

const of = (...protocols: readonly string[]) => ({ ports: protocols.map((protocol) => ({ name: protocol.toLowerCase(), port: 7053, protocol })) }); // prettier-ignore
table(
  'two protocols at one port',
  story((it) => [it.open(), it.isReady()]),
  [
    ['both', of('TCP', 'UDP'), ['TCP 7053, UDP 7053', true]],
    ['one', of('UDP'), ['UDP 7053', true]],
    ['the other one', of('TCP'), ['TCP 7053', true]],
  ],
);

let written = 0;
const writesOf = story((it) => {
  const before = written;
  written = it.writes().length;
  return written - before;
});
await writesOf(main({ nodePort: 31480 }));
table('changes that are none for the cloud', writesOf, [
  ['name and target of a port', main({ nodePort: 31480, name: 'other', targetPort: 9001 }), 0],
  ['the selector', { selector: { app: 'other' } }, 0],
]);

const status = async (act: Act) => {
  const it = peerWorld();
  await it.make();
  await act(it);
  const { conditions } = as<{ conditions: readonly { type: string }[] }>(serviceOf(it)?.status);
  return [ingressOf(it), conditions.some(({ type }) => type === 'shop.example/Audited')];
};
const write = async (it: PeerWorld, ingress: object, more: readonly object[] = []) => {
  const conditions = [...(serviceOf(it)?.status?.conditions ?? []), ...more];
  it.kube.apply({ kind: 'Service', metadata: { name: 'web', namespace: 'default' }, status: { conditions, loadBalancer: { ingress: [ingress] } } }); // prettier-ignore
  await it.edit(main({ port: 7081 }));
};
const published = { ip: ADDRESS, ipMode: 'VIP' };
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

table('a header of the client', async (annotation: string) => {
  const it = peerWorld();
  await it.make({}, { annotations: { [`${L}x-forwarded-for`]: annotation } });
  return it.cloud.listeners.map((one) => [one.protocol, one['insert_headers']]);
}, [
  ['true', 'true', [['HTTP', { 'X-Forwarded-For': 'true' }]]],
] as readonly Case<string, unknown>[]); // prettier-ignore
