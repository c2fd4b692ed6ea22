import { as, table, type Case } from './table.ts';
import { CLEANUP, peerWorld, type PeerWorld } from './world.ts';

const port = (number: number, more: object = {}) => ({
  name: `port-${String(number)}`,
  port: number,
  ...more,
});
type Spec = Readonly<Record<string, unknown>>;

interface Wish {
  readonly spec?: Spec;
  readonly finalizers?: readonly string[];
  readonly then?: object;
}
const OTHER = 'shop.example/audit';
table('when a Service has a load balancer, an address and a finalizer', async ({ spec, finalizers = [], then }: Wish) => {
  const it = peerWorld();
  await it.make(spec, { finalizers });
  if (then) await it.edit(then);
  return [it.cloud.loadbalancers.length, it.ip() === 'none' ? 0 : 1, ...it.finalizers()];
}, [
  ['ClusterIP', { spec: { type: 'ClusterIP' } }, [0, 0]],
  ['NodePort', { spec: { type: 'NodePort' } }, [0, 0]],
  ['TCP', {}, [1, 1, CLEANUP]],
  ['UDP', { spec: { ports: [port(514, { protocol: 'UDP' })] } }, [1, 1, CLEANUP]],
  ['SCTP', { spec: { ports: [port(2905, { protocol: 'SCTP' })] } }, [1, 1, CLEANUP]],
  ['of another class', { spec: { loadBalancerClass: 'shop.example/other' } }, [0, 0]],
  ['with the finalizer before', { finalizers: [CLEANUP] }, [1, 1, CLEANUP]],
  ['with the finalizer of somebody else', { finalizers: [OTHER] }, [1, 1, CLEANUP, OTHER]],
  ['that becomes ClusterIP, with one of somebody else', { finalizers: [OTHER], then: { type: 'ClusterIP' } }, [0, 0, OTHER]],
  ['NodePort with the finalizer', { spec: { type: 'NodePort' }, finalizers: [CLEANUP] }, [0, 0]],
] as readonly Case<Wish, readonly (string | number)[]>[]); // prettier-ignore

type Fault = readonly [method: string, status: number, times?: number];
table('a deletion in trouble: no Service goes before its load balancer, and later both', async ([method, status, times = 1e6]: Fault) => {
  const it = peerWorld();
  await it.make();
  const match = { side: 'openstack', method, path: /loadbalancers/ } as const;
  const body = { faultcode: 'Server', faultstring: 'no', debuginfo: null };
  const clear = it.fault({ match, times, kind: 'fail-before', status, body });
  await it.remove();
  const isKept = it.isThere() || it.cloud.loadbalancers.length === 0;
  clear();
  await it.resync();
  return [isKept, it.isThere(), it.cloud.loadbalancers.length];
}, [
  ['DELETE fails', ['DELETE', 500], [true, false, 0]],
  ['nothing can be looked up', ['GET', 500], [true, false, 0]],
  ['DELETE answers 404 once', ['DELETE', 404, 1], [true, false, 0]],
] as readonly Case<Fault, readonly unknown[]>[]); // prettier-ignore

const FOUR = [7001, 7002, 7003, 7004];
table('which listeners go', async (left: readonly number[]) => {
  const it = peerWorld();
  await it.make({ ports: FOUR.map((one) => port(one)) });
  await it.edit({ ports: left.map((one) => port(one)) });
  return it.open();
}, [undefined, ...FOUR].map((gone): Case<readonly number[], string> => {
  const left = FOUR.filter((one) => one !== gone);
  return [String(gone ?? 'none'), left, left.map((one) => `TCP ${String(one)}`).join(', ')];
})); // prettier-ignore

type Asked = readonly [spec: Spec, config?: Parameters<typeof peerWorld>[1], provider?: 'ovn'];
const served = async ([spec, config = {}, provider]: Asked): Promise<PeerWorld> => {
  const lb = provider ? ({ lbProvider: provider, lbMethod: 'SOURCE_IP_PORT' } as const) : {};
  const it = peerWorld({ nodes: 2, octavia: { provider } }, { ...lb, ...config });
  await it.make(spec);
  return it;
};
const LOCAL = { externalTrafficPolicy: 'Local' };
table('how many members there are', async (asked: Asked) => (await served(asked)).cloud.members.length, [
  ['without node ports', [{ allocateLoadBalancerNodePorts: false }], 0],
  ['health checks of kube-proxy', [LOCAL, { createMonitor: true }], 2],
  ['health checks of kube-proxy, no monitors asked for', [LOCAL, { createMonitor: false }], 2],
]);
const monitorOf = async (asked: Asked) => {
  const [one] = as<Record<string, unknown>[]>((await served(asked)).cloud.healthmonitors);
  return ['type', 'delay', 'timeout', 'max_retries', 'max_retries_down', 'url_path'].map((name) => one?.[name] ?? null);
}; // prettier-ignore
table('the monitor of a pool', monitorOf, [
  ['UDP, ovn', [{ ...LOCAL, ports: [port(514, { protocol: 'UDP' })] }, { monitorDelay: 9, monitorTimeout: 7, monitorMaxRetries: 5 }, 'ovn'], ['UDP-CONNECT', 9, 7, 5, 3, null]],
  ['TCP, ovn', [LOCAL, { monitorDelay: 4, monitorTimeout: 9, monitorMaxRetries: 7, monitorMaxRetriesDown: 4 }, 'ovn'], ['TCP', 4, 9, 7, 4, null]],
  ['TCP, no health checks of kube-proxy', [{}, { monitorDelay: 4, monitorTimeout: 6, monitorMaxRetriesDown: 5 }], ['TCP', 4, 6, 1, 5, null]],
  ['TCP, health checks of kube-proxy', [LOCAL, { monitorDelay: 4, monitorTimeout: 3, monitorMaxRetriesDown: 6 }], ['HTTP', 4, 3, 1, 6, '/healthz']],
] as readonly Case<Asked, readonly unknown[]>[]); // prettier-ignore

type Change = (it: PeerWorld) => Promise<unknown>;
table('a load balancer of a Service that stays', async (change: Change) => {
  const it = peerWorld();
  await it.make();
  await change(it);
  return [it.isReady(), it.cloud.loadbalancers.length, it.open(), it.ip()];
}, [
  ['somebody takes it away: there is another one', (it) => {
    it.cloud.removeLoadBalancer(it.cloud.loadbalancers[0]?.id ?? '');
    return it.resync();
  }, [true, 1, 'TCP 80', '203.0.113.10']],
  ['its listener loses its tags', (it) => {
    for (const listener of it.cloud.listeners) listener.tags = [];
    return it.resync();
  }, [true, 1, 'TCP 80', '203.0.113.10']],
  ['loadBalancerIP changes', (it) => {
    it.cloud.addFloatingIp('203.0.113.88');
    return it.edit({ loadBalancerIP: '203.0.113.88' });
  }, [true, 1, 'TCP 80', '203.0.113.88'], 12, [true, 1, 'TCP 80', '203.0.113.10']],
] as readonly Case<Change, readonly unknown[]>[]); // prettier-ignore
