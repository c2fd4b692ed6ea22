import { as, table, type Case } from './table.ts';
import { peerWorld, type PeerWorld } from './world.ts';

const [THREE, FOUR, TWO] = ['node-1, node-2, node-3', 'node-1, node-2, node-3, node-4', 'node-1, node-3'];
const node = ({ kube }: PeerWorld, metadata: object, more: object = {}) =>
  kube.apply({ kind: 'Node', metadata: { name: 'node-2', ...metadata }, ...more });
const taint = (it: PeerWorld, key: string) =>
  node(it, {}, { spec: { taints: [{ key, effect: 'NoSchedule' }] } });

const POLICIES = { one: 'Local', two: 'Local', three: 'Cluster' };
type Change = (it: PeerWorld) => unknown;
const changed = async (change: Change) => {
  const it = peerWorld();
  for (const [name, externalTrafficPolicy] of Object.entries(POLICIES))
    await it.make({ externalTrafficPolicy }, { name });
  await it.sweepAll();
  const before = it.writes().length;
  await change(it);
  await it.sweepAll();
  const sets = new Set(Object.keys(POLICIES).map((name) => it.members(name)));
  return { members: [...sets], isWritten: it.writes().length > before };
};
const all = (members: string) => ({ members: [members], isWritten: members !== THREE });
table('the members of three Services after a change of the Nodes', changed, [
  ['none', () => undefined, all(THREE)],
  ['one comes', ({ kube }) => kube.addNode('node-4'), all(FOUR)],
  ['one is not ready', ({ kube }) => kube.setReady('node-2', false), all(THREE)],
  ['one is ready again', ({ kube }) => { kube.setReady('node-2', false); kube.setReady('node-2', true); }, all(THREE)],
  ['the autoscaler takes one away', (it) => taint(it, 'ToBeDeletedByClusterAutoscaler'), all(TWO)],
  ['one gets another taint', (it) => taint(it, 'dedicated'), all(THREE)],
  ['one is excluded', (it) => node(it, { labels: { 'node.kubernetes.io/exclude-from-external-load-balancers': '' } }), all(TWO)],
  ['one is gone', ({ kube }) => { kube.removeNode('node-2'); }, all(TWO)],
  ['one waits for its finalizers', (it) => { node(it, { finalizers: ['shop.example/wait'] }); it.kube.delete('Node', undefined, 'node-2'); }, all(TWO)],
  ['one comes, which Octavia refuses at first', async (it) => {
    it.kube.addNode('node-4');
    it.fault({ match: { side: 'openstack', write: true, path: /members/ }, times: 3, kind: 'fail-before', status: 503, body: {} });
    await it.sweepAll();
  }, all(FOUR)],
] as readonly Case<Change, ReturnType<typeof all>>[]); // prettier-ignore

table('which of four Services get a Node that comes', async (types: readonly string[]) => {
  const it = peerWorld();
  for (const [at, type] of types.entries()) await it.make({ type }, { name: `s${String(at)}` });
  it.kube.addNode('node-4');
  await it.sweepAll();
  return types.map((_, at) => it.members(`s${String(at)}`));
}, [
  ['two', ['NodePort', 'LoadBalancer', 'LoadBalancer', 'ClusterIP'], ['', FOUR, FOUR, '']],
] as readonly Case<readonly string[], readonly string[]>[]); // prettier-ignore

table('another server behind the name of a Node', async (name: string) => {
  const it = peerWorld();
  await it.make();
  const { conditions } = as<{ conditions: unknown }>(it.kube.get('Node', undefined, name)?.status);
  const { id } = it.cloud.addNovaServer('made-anew');
  const address = it.cloud.ports.find(({ device_id: device }) => device === id)?.fixed_ips[0]?.ip_address;
  it.kube.delete('Node', undefined, name);
  it.kube.apply({ kind: 'Node', metadata: { name }, spec: { providerID: `openstack:///${id}` }, status: { addresses: [{ type: 'InternalIP', address }], conditions } });
  await it.sweepAll();
  return it.cloud.members.find((one) => one.name === name)?.address === address;
}, [
  ['its address is the member', 'node-2', true],
]); // prettier-ignore
