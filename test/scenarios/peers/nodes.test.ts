import { CONTROLLER_NAMES } from '../../../shared/config/config.ts';
import type { Node } from '../../../shared/model/kubernetes.ts';
import { joinNode } from '../../support/nodes.ts';
import { nodeName, startRouteWorld, type RouteWorld } from '../../support/route-world.ts';
import { as, table, type Case } from './table.ts';
import { peerWorld, type PeerWorld } from './world.ts';

const [NEW, OFF] = [
  'node.cloudprovider.kubernetes.io/uninitialized',
  'node.cloudprovider.kubernetes.io/shutdown',
];
const taint = (key: string) => ({ key, value: 'true', effect: 'NoSchedule' });
const LABELS = [
  ['topology.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/zone'],
  ['topology.kubernetes.io/region', 'failure-domain.beta.kubernetes.io/region'],
  ['node.kubernetes.io/instance-type', 'beta.kubernetes.io/instance-type'],
] as const;
const nodeOf = ({ kube }: PeerWorld, name = 'w1') => as<Node | undefined>(kube.get('Node', undefined, name));
const taintsOf = (it: PeerWorld, name?: string) => (nodeOf(it, name)?.spec?.taints ?? []).map(({ key }) => key).filter((key) => !key.startsWith('node.kubernetes.io/')); // prettier-ignore
const nodeWorld = (region?: string) =>
  peerWorld({ nodes: 0 }, {}, (base) => ({
    controllers: CONTROLLER_NAMES,
    openstack: { ...base.openstack, ...(region !== undefined && { region }) },
  }));

interface Joins {
  readonly server?: Parameters<typeof joinNode>[2];
  readonly registered?: Parameters<typeof joinNode>[3];
  readonly hostname?: string;
  /** What the Node has as a providerID; ID is that of its server. */
  readonly providerID?: string;
  readonly nova?: 'fails' | 'failed';
}
type Joined = readonly [taints: readonly string[], ...facts: readonly unknown[]];
const joined = (facts: (node: Node | undefined, id: string) => readonly unknown[] = () => []) => async ({ server, registered, hostname, providerID, nova }: Joins): Promise<Joined> => {
  const it = nodeWorld();
  const { server: { id } } = joinNode(it, 'w1', server, registered);
  if (hostname !== undefined) it.kube.apply({ kind: 'Node', metadata: { name: 'w1' }, status: { addresses: [{ type: 'Hostname', address: hostname }] } });
  if (providerID !== undefined) it.kube.apply({ kind: 'Node', metadata: { name: 'w1' }, spec: { providerID: providerID.replace('ID', id) } });
  const clear = nova && it.fault({ match: { side: 'openstack', path: /servers/ }, times: 1e6, kind: 'fail-before', status: 500, body: {} });
  await it.look('w1');
  if (nova === 'failed') clear?.();
  await it.look('w1');
  return [taintsOf(it), ...facts(nodeOf(it), id)];
}; // prettier-ignore
const addressesOf = (node: Node | undefined) => (node?.status?.addresses ?? []).map(({ type, address }) => `${type} ${address}`); // prettier-ignore
table('a Node that waits for its cloud: the hostname', joined((node) => addressesOf(node).filter((one) => one.startsWith('Hostname'))), [
  ['of the cloud', { server: { metadata: { hostname: 'w1.cloud.internal' } }, hostname: 'of-the-kubelet' }, [[], 'Hostname w1.cloud.internal']],
  ['of the kubelet', { hostname: 'of-the-kubelet' }, [[], 'Hostname of-the-kubelet']],
]); // prettier-ignore
table('a Node that waits for its cloud: the providerID', joined((node, id) => [(node?.spec?.providerID ?? '').replace(id, 'ID')]), [
  ['is set', {}, [[], 'openstack:///ID']],
  ['is there', { providerID: 'openstack:///ID' }, [[], 'openstack:///ID']],
  ['is there with a region that is not ours', { providerID: 'openstack://North/ID' }, [[NEW], 'openstack://North/ID']],
  ['is of nobody', { providerID: 'w1.elsewhere.777' }, [[NEW], 'w1.elsewhere.777']],
]); // prettier-ignore
table('a Node that waits for its cloud: taints and addresses', joined((node) => addressesOf(node).slice(0, 1)), [
  ['other taints stay', { server: { address: '10.0.0.77' }, registered: { spec: { taints: [taint('dedicated'), taint(NEW)] } } }, [['dedicated'], 'InternalIP 10.0.0.77']],
  ['the address that the kubelet was told', { server: { address: '10.0.0.77' }, registered: { nodeIP: '10.0.0.77' } }, [[], 'InternalIP 10.0.0.77']],
  ['one that its server has not', { registered: { nodeIP: '10.0.0.222' } }, [[NEW]]],
  ['one that is none', { registered: { nodeIP: 'an-address' } }, [[NEW]]],
  ['a server that is not there', { registered: { systemUUID: '' }, providerID: 'openstack:///00000000-0000-4000-8000-000000000000' }, [[NEW]]],
  ['Nova fails', { nova: 'fails' }, [[NEW]]],
  ['Nova failed', { server: { address: '10.0.0.77' }, nova: 'failed' }, [[], 'InternalIP 10.0.0.77']],
]); // prettier-ignore

type Labels = Readonly<Record<string, string>>;
const OLD = ['a', 'north', 'large'];
const labels = (stable?: readonly string[]): Labels => Object.fromEntries(LABELS.flatMap(([now, before], at): [string, string][] => [[before, OLD[at] ?? ''], ...(stable ? [[now, stable[at] ?? ''] as [string, string]] : [])])); // prettier-ignore
const LABELLED = [['only the old ones', labels()], ['both', labels(OLD)], ['other ones', labels(['b', 'south', 'small'])]] as const; // prettier-ignore
const labelled = (it: PeerWorld) =>
  LABELS.map((pair) => pair.map((key) => nodeOf(it)?.metadata.labels?.[key] ?? ''));
table('labels of a Node without a providerID', async (given: Labels) => {
  const it = nodeWorld();
  it.kube.apply({ kind: 'Node', metadata: { name: 'w1', labels: given } });
  await it.look('w1');
  return [labelled(it).map(([now]) => now), nodeOf(it)?.spec?.providerID];
}, [
  [LABELLED[0][0], LABELLED[0][1], [OLD, undefined], 104, [['', '', ''], undefined]],
  [LABELLED[1][0], LABELLED[1][1], [OLD, undefined]],
  [LABELLED[2][0], LABELLED[2][1], [OLD, undefined], 104, [['b', 'south', 'small'], undefined]],
] as readonly Case<Labels, unknown>[]); // prettier-ignore
table('labels of a Node with a server, both spellings', async (given: Labels) => {
  const it = nodeWorld('RegionOne');
  joinNode(it, 'w1', { zone: 'north-a' });
  await it.look('w1');
  const [zone, region, type] = labelled(it);
  it.kube.apply({ kind: 'Node', metadata: { name: 'w1', labels: { ...Object.fromEntries(LABELS.map(([now]) => [now, null])), ...given } } });
  await it.sweepAll();
  return [zone, region, type].map((before, at) => [before?.[0] !== '', labelled(it)[at]?.join() === before?.join(), before?.[0] === before?.[1]].every(Boolean));
}, LABELLED.map(([name, given]): Case<Labels, readonly boolean[]> => [name, given, [true, true, true]])); // prettier-ignore

type Life = 'gone' | 'SHUTOFF' | 'ACTIVE';
table('a Node without a providerID that is not ready', async (status: Life) => {
  const it = nodeWorld();
  const { server } = joinNode(it, 'w1', {}, { spec: { taints: [] } });
  it.kube.setReady('w1', false);
  if (status === 'gone') it.cloud.removeNovaServer(server.id);
  else it.cloud.setServerStatus(server.id, status);
  for (let looks = 0; looks < 3; looks += 1) {
    await it.look('w1');
    it.clock.advance(120_000);
  }
  return nodeOf(it) ? taintsOf(it) : 'deleted';
}, [
  ['gone', 'gone', 'deleted', 27, []],
  ['shut down', 'SHUTOFF', [OFF]],
  ['there', 'ACTIVE', []],
] as readonly Case<Life, string | readonly string[]>[]); // prettier-ignore

const C = (at: number) => `10.120.${String(at)}.0/24`;
type Before = (it: RouteWorld) => readonly (readonly [destination: string, nexthop: string])[];
/** The routes by the Nodes that they lead to, after the first look. */
const routed = async (before: Before, cidrs: readonly (readonly string[])[] = [[C(1)], [C(2)]], change: (it: RouteWorld) => unknown = () => undefined) => {
  const it = await startRouteWorld(['10.120.0.0/16']);
  for (const [at, own] of cidrs.entries()) it.addNode(at + 1, own);
  const [router] = it.sandbox.cloud.routers;
  if (router) router.routes = before(it).map(([destination, nexthop]) => ({ destination, nexthop }));
  await change(it);
  await it.routed();
  const names = new Map(cidrs.map((_, at) => [it.hop(at + 1), nodeName(at + 1)]));
  const routes = it.routes().map((one) => one.split(' ').map((part) => names.get(part) ?? part).join(' ')).sort();
  const conditions = cidrs.map((_, at) => it.unavailable(at + 1)?.reason ?? 'none');
  await it.close();
  return { routes, conditions };
}; // prettier-ignore
const TWO = [`${C(1)} node-1`, `${C(2)} node-2`];
const OTHERS = [[C(8), '10.0.0.233'], [C(9), '10.0.0.234']] as const; // prettier-ignore
table('routes of two Nodes', async (before: Before) => (await routed(before)).routes, [
  ['none', () => [], TWO],
  ['two to the other Node', (it) => [[C(2), it.hop(1)], [C(1), it.hop(2)]], TWO],
  ['one', (it) => [[C(1), it.hop(1)]], TWO],
  ['one is wrong', (it) => [[C(1), it.hop(1)], [C(8), it.hop(2)]], TWO],
  ['two more, to the Nodes', (it) => [[C(1), it.hop(1)], [C(2), it.hop(2)], [C(8), it.hop(1)], [C(9), it.hop(2)]], TWO],
  ['two more, to nobody', (it) => [[C(1), it.hop(1)], [C(2), it.hop(2)], ...OTHERS], TWO, 112, [...TWO, ...OTHERS.map((one) => one.join(' '))]],
  ['one of another cluster', () => [['10.7.2.0/24', '10.0.0.235']], [...TWO, '10.7.2.0/24 10.0.0.235']],
] as readonly Case<Before, readonly string[]>[]); // prettier-ignore
table('the condition of Nodes', async (cidrs: readonly (readonly string[])[]) => (await routed(() => [], cidrs)).conditions, [
  ['both have a CIDR', [[C(1)], [C(2)]], ['RouteCreated', 'RouteCreated']],
  ['one has none', [[C(1)], []], ['RouteCreated', 'none']],
]); // prettier-ignore
const status = (more: (it: RouteWorld) => object) => (it: RouteWorld) => it.sandbox.kube.apply({ kind: 'Node', metadata: { name: nodeName(1) }, status: more(it) }); // prettier-ignore
const addresses = (all: (hop: string) => readonly string[]) => status((it) => ({ addresses: all(it.hop(1)).map((address) => ({ type: 'InternalIP', address })) })); // prettier-ignore
const said = (condition: string, reason: string) => status(() => ({ conditions: [{ type: 'NetworkUnavailable', status: condition, reason, message: 'x' }] })); // prettier-ignore
const moved = async (it: RouteWorld) => {
  await it.routed();
  const { id } = it.sandbox.cloud.addNovaServer('moved', { address: '10.0.0.77' });
  it.sandbox.kube.delete('Node', undefined, nodeName(1));
  it.sandbox.kube.apply({ kind: 'Node', metadata: { name: nodeName(1) }, spec: { providerID: `openstack:///${id}`, podCIDR: C(1), podCIDRs: [C(1)] }, status: { addresses: [{ type: 'InternalIP', address: '10.0.0.77' }] } });
}; // prettier-ignore
type Routed = Awaited<ReturnType<typeof routed>>;
table('the route of a Node', async (change: (it: RouteWorld) => unknown) => routed(() => [], [[C(1)]], change), ([
  ['its addresses begin with IPv6', addresses((hop) => ['fd42:790e::a8', hop, 'fd42:790e::a9'])],
  ['it has another address of the family', addresses((hop) => [hop, 'fd42:790e::a8', '192.0.2.4'])],
  ['a network said that all is well', said('False', 'NetworkIsUp')],
  ['a network said that nothing is', said('True', 'AnotherReason')],
  ['its server is another one', moved, '10.0.0.77'],
] as const).map(([name, change, to = 'node-1']): Case<(it: RouteWorld) => unknown, Routed> => [name, change, { routes: [`${C(1)} ${to}`], conditions: ['RouteCreated'] }])); // prettier-ignore
