import { equalAttribute } from '../../../shared/model/equality.ts';
import { attributeRule } from '../../../shared/model/attributes.ts';
import { isWithin, parseCidr } from '../../../shared/model/network/cidr.ts';
import { openingAddress, rulesOf } from '../../../shared/model/network/openings.ts';
import { chooseByName, chooseByTags } from '../../../shared/model/network/subnet-choice.ts';
import { isSelected, parseNodeSelector } from '../../../shared/model/node/node-selector.ts';
import { isEligible } from '../../../shared/model/node/node-set.ts';
import { noteGone, SERVER_GONE, SHUTDOWN_TAINT } from '../../../shared/model/node/node.ts';
import { chooseServer } from '../../../shared/node/desired/choose-server.ts';
import { nodeLife } from '../../../shared/node/desired/node-lifecycle.ts';
import { routeConditions } from '../../../shared/routes/desired/route-conditions.ts';
import { signOfNode } from '../../../shared/trigger/keys-from-objects.ts';
import { as, table, type Case } from './table.ts';

const [U, V] = ['0f5c3c7a-51a4-4a55-9c8e-6d9d5f3b7e21', '9b1d2a44-0c7e-4f0b-8a53-1a2b3c4d5e6f'];
const EXCLUDE = 'node.kubernetes.io/exclude-from-external-load-balancers';
interface Wish {
  labels?: object;
  deleted?: true;
  taints?: readonly string[];
  id?: string;
  ready?: boolean | null;
  other?: string;
}
const node = ({ labels = {}, deleted, taints = [], id = 'openstack:///one', ready = true, other }: Wish) => ({
  metadata: { name: 'worker', uid: 'u', labels, ...(deleted && { deletionTimestamp: 'now' }) },
  spec: {
    taints: taints.map((key) => ({ key, effect: 'NoSchedule' })),
    ...(id !== '' && { providerID: id }),
  },
  status: {
    conditions: [
      ...(ready === null ? [] : [{ type: 'Ready', status: ready ? 'True' : 'False' }]),
      ...(other ? [{ type: 'Other', status: other }] : []),
    ],
  },
});
const out = (value: string): Wish => ({ labels: { [EXCLUDE]: value } });
const LEAVES = ['ToBeDeletedByClusterAutoscaler'];

table('which Nodes may be members', (wish: Wish) => isEligible(as(node(wish))), [
  ['a ready one', {}, true],
  ['without a providerID', { id: '' }, true],
  ['excluded, empty', out(''), false],
  ['excluded, false', out('false'), true],
  ['excluded, true', out('true'), false],
  ['excluded, a word', out('word'), false],
  ['the autoscaler takes it away', { taints: LEAVES }, false],
  ['not ready', { ready: false }, true],
  ['being deleted', { deleted: true }, false],
  ['another taint', { taints: ['dedicated'] }, true],
]);

const BASES = [
  ['', {}],
  ['tainted, ', { taints: LEAVES }],
  ['not ready, ', { ready: false }],
] as const;
const LOOKS = [['is excluded', {}, out('')], ['is included', out(''), {}], ['gets its providerID', { id: '' }, {}], ['loses its providerID', {}, { id: '' }], ['changes its providerID', {}, { id: 'openstack:///two' }]] as const; // prettier-ignore
type Change = readonly [Wish, Wish];
table('whether a change of a Node is looked at', ([a, b]: Change) => signOfNode(as(node(a))) !== signOfNode(as(node(b))), [
  ...BASES.flatMap(([name, more]) => LOOKS.map(([what, a, b]): Case<Change, boolean> => [`${name}${what}`, [{ ...more, ...a }, { ...more, ...b }], true])),
  ['excluded, gets its providerID', [{ ...out(''), id: '' }, out('')], true],
  ['excluded, loses its providerID', [out(''), { ...out(''), id: '' }], true],
  ['excluded, changes its providerID', [out(''), { ...out(''), id: 'openstack:///two' }], true],
  ['without a providerID, is excluded', [{ id: '' }, { id: '', ...out('') }], true],
  ['without a providerID, is included', [{ id: '', ...out('') }, { id: '' }], true],
  ['nothing', [{}, {}], false],
  ['excluded as before', [out(''), out('')], false],
  ['not ready as before', [{ ready: false }, { ready: false }], false],
  ['readiness unknown as before', [{ ready: null }, { ready: null }], false],
  ['not ready, another condition', [{ ready: false, other: 'False' }, { ready: false, other: 'True' }], false],
  ['not ready, another condition back', [{ ready: false, other: 'True' }, { ready: false, other: 'False' }], false],
  ['another condition', [{ other: 'False' }, { other: 'True' }], false],
  ['another condition back', [{ other: 'True' }, { other: 'False' }], false],
]); // prettier-ignore

const place = as<Parameters<typeof noteGone>[1]>({ projectId: 'p', region: 'r', serverId: U });
const [on, off] = [
  { id: U, status: 'ACTIVE' },
  { id: U, status: 'SHUTOFF' },
];
type Life = readonly [ready: string, server: unknown, taints?: readonly string[]];
table(
  'the life of a Node, its server noted gone more than a minute ago',
  ([ready, server, taints = []]: Life) => {
    const it = {
      metadata: { name: 'worker', annotations: { [SERVER_GONE]: noteGone(0, place) } },
      spec: { taints: taints.map((key) => ({ key, effect: 'NoSchedule' })) },
      status: { conditions: [{ type: 'Ready', status: ready }] },
    };
    const life = nodeLife(as({ node: it, server, place, now: 600_000 }));
    return [life.leaves ? 'deleted' : 'stays', ...life.taints.map(({ key }) => key)];
  },
  [
    ['not ready, gone', ['False', 'gone'], ['deleted']],
    ['not ready, Nova fails', ['False', 'unknown'], ['stays']],
    ['not ready, there', ['False', on], ['stays']],
    ['unknown, gone', ['Unknown', 'gone'], ['deleted']],
    ['unknown, there', ['Unknown', on], ['stays']],
    ['ready, gone', ['True', 'gone'], ['stays']],
    ['not ready, shut down', ['False', off], ['stays', SHUTDOWN_TAINT]],
    ['ready, shut down', ['True', off], ['stays']],
    ['ready again', ['True', on, [SHUTDOWN_TAINT]], ['stays']],
    ['ready again, another taint', ['True', on, ['dedicated', SHUTDOWN_TAINT]], ['stays', 'dedicated']],
  ],
);

table(
  'whether a route is of the cluster',
  ([cluster, route]: readonly [string, string]) =>
    isWithin(parseCidr(route)?.text ?? '', parseCidr(cluster)?.text ?? ''),
  [
    ['the first of a /16', ['10.60.0.0/16', '10.60.0.0/24'], true],
    ['one of a /16', ['10.60.0.0/16', '10.60.10.0/24'], true],
    ['the last of a /16', ['10.60.0.0/16', '10.60.255.0/24'], true],
    ['the first of a /14', ['10.60.0.0/14', '10.60.0.0/24'], true],
    ['the last of a /14', ['10.60.0.0/14', '10.63.255.0/24'], true],
    ['IPv6', ['fd60:100::/28', 'fd60:100::/64'], true],
    ['another /16', ['10.60.0.0/16', '10.40.0.0/24'], false],
    ['far below', ['10.60.0.0/16', '10.0.10.0/24'], false],
    ['far above', ['10.60.0.0/16', '10.255.255.0/24'], false],
    ['just above a /14', ['10.60.0.0/14', '10.64.0.0/24'], false],
    ['just below a /14', ['10.60.0.0/14', '10.59.255.0/24'], false],
    ['another IPv6', ['fd60:100::/28', 'fd61:100::/64'], false],
  ],
);

const NU = 'NetworkUnavailable';
const made = {
  type: NU,
  status: 'False',
  reason: 'RouteCreated',
  message: 'RouteController created a route',
};
const none = {
  type: NU,
  status: 'True',
  reason: 'NoRouteCreated',
  message: 'RouteController failed to create a route',
};
// prettier-ignore
table(
  'NetworkUnavailable',
  ([before, isThere]: readonly [object | undefined, boolean]) => {
    const conditions = before ? [before] : [];
    const it = {
      metadata: { name: 'w', uid: 'u' },
      spec: { podCIDRs: ['10.60.0.0/24'] },
      status: { conditions },
    };
    const [wanted] = routeConditions(
      as([{ node: it, routes: isThere ? [{ destination: '10.60.0.0/24' }] : [], isDoubtful: false }]),
      () => true,
      'now',
    );
    const desired = as<readonly Record<string, string>[] | undefined>(wanted?.attributes.conditions);
    const isSame =
      desired && equalAttribute(attributeRule('nodestatus', 'conditions'), as(desired), as(conditions));
    return isSame
      ? 'as it is'
      : desired?.map(({ type, status, reason, message }) => ({ type, status, reason, message }))[0];
  },
  [
    ['none, a route', [undefined, true], made],
    ['none, no route', [undefined, false], none],
    ['as it is to be', [made, true], 'as it is'],
    ['of Calico', [{ type: NU, status: 'False', reason: 'CalicoIsUp', message: 'x' }, true], made],
    ['of another network', [{ type: NU, status: 'False', reason: 'ExternalNetwork', message: 'x' }, true], made],
    ['another reason, no route', [{ type: NU, status: 'True', reason: 'Another', message: 'x' }, false], none],
    ['a route before, none now', [made, false], none],
    ['no route, as before', [none, false], 'as it is'],
  ] as readonly Case<readonly [object | undefined, boolean], object | string>[],
);

const named = (name: string, providerID = '') => ({ metadata: { name }, spec: { providerID }, status: {} });
const server = (id: string, name: string) => ({ id, name, status: 'ACTIVE' });
// prettier-ignore
table(
  'the server of a Node',
  ([it, ...servers]: readonly [object, ...object[]]) => {
    const {
      found,
      by,
      none: no,
    } = as<{ found?: { id: string }; by?: string; none?: string }>(
      chooseServer(as(it), as(servers), {}),
    );
    return found ? `${found.id} by ${by ?? ''}` : no ? `none by ${no}` : 'problem';
  },
  [
    ['by providerID', [named('w1', `openstack:///${U}`), server(V, 'w1'), server(U, 'other')], `${U} by providerID`],
    ['by name', [named('w1'), server(U, 'w1'), server(V, 'w11')], `${U} by name`],
    ['none of that id', [named('w1', `openstack:///${U}`), server(V, 'w1')], 'none by providerID'],
    ['none of that name', [named('w1'), server(U, 'w11')], 'none by name'],
    ['two of that name', [named('w1'), server(U, 'w1'), server(V, 'w1')], 'problem'],
    ['a name that is a pattern', [named('w.'), server(U, 'ws')], 'none by name'],
  ],
);

const labels = (it: Record<string, string>) => (selector: string) => {
  const wanted = parseNodeSelector(selector);
  return wanted ? isSelected(it, wanted) : 'refused';
};
table('node-selector', labels({ pool: 'edge', disk: 'ssd' }), [
  ['two labels', 'pool=edge,disk=ssd', true],
  ['names alone', 'pool,disk', true],
  ['with blanks', ' pool=edge, gpu ', false],
  ['another label', 'gpu=yes', false],
  ['nothing', '', true],
  ['one label', 'pool=edge', true],
  ['another value', 'pool=core', false],
  ['another value of one of two', 'pool=edge,disk=hdd', false],
] as readonly Case<string, boolean>[]);
table('node-selector, as it is read', (selector: string) => parseNodeSelector(selector) ?? 'refused', [
  ['two labels', 'pool=edge,disk=ssd', { pool: 'edge', disk: 'ssd' }],
  ['two signs of equality', 'pool=edge,disk=ssd=true', { pool: 'edge', disk: 'ssd=true' }, 466, 'refused'],
  ['names alone', 'pool,disk', { pool: '', disk: '' }],
  ['with blanks', ' pool=edge, disk ', { pool: 'edge', disk: '' }],
  ['without a name', 'gpu=yes,=empty', { gpu: 'yes', '': 'empty' }, 466, 'refused'],
] as readonly Case<string, object | string>[]);

const byName = (name: string) =>
  as<{ matches(it: string): boolean }>(chooseByName(name)).matches('ext-net-7');
const NAMES = [['ext-*', true], ['~ext-.*', true], ['inner*', false], ['~inner.*', false], ['*', true], ['~.*', true], ['ext-net-7', true], ['ext', false], ['~ext', false]] as const; // prettier-ignore
table(
  'floating-subnet',
  byName,
  NAMES.flatMap(([name, is]): Case<string, boolean>[] => [
    [name, name, is],
    [`!${name}`, `!${name}`, !is],
  ]),
);
table('floating-subnet-tags', (tags: string) => as<{ matches(it: readonly string[]): boolean }>(chooseByTags(tags)).matches(['red', 'blue']), [
  ...([['red', true], ['grey', false], ['red,blue', true], ['red,grey', true], ['&red,blue', true], ['&red,grey', false]] as const).flatMap(([tags, is]): Case<string, boolean>[] => [[tags, tags, is], [`!${tags}`, `!${tags}`, !is]]),
]); // prettier-ignore

const rule = (protocol: unknown, port: number, cidr: string) => ({
  direction: 'ingress',
  ethertype: 'IPv4',
  protocol,
  port_range_min: port,
  port_range_max: port,
  remote_ip_prefix: cidr,
  id: `${String(protocol)}${port}${cidr}`,
});
type Rules = readonly [wanted: readonly (readonly [string, number, string])[], there: readonly object[]];
table('rules of a security group: how many are made, how many go', ([wanted, there]: Rules) => {
  const known = [...rulesOf(as({ id: 'g', security_group_rules: there })).keys()];
  const asked = wanted.map(([protocol, port, cidr]) => openingAddress(as({ protocol: protocol.toLowerCase(), port, cidr })));
  return [asked.filter((one) => !known.includes(one)).length, known.filter((one) => !asked.includes(one)).length];
}, [
  ['nothing', [[], []], [0, 0]],
  ['rules of Neutron go', [[['TCP', 321, '10.9.0.0/16']], [{ id: 'a', direction: 'egress', ethertype: 'IPv4', remote_ip_prefix: '0.0.0.0/0' }, { id: 'b', direction: 'egress', ethertype: 'IPv6', remote_ip_prefix: '::/0' }]], [1, 2]],
  ['the case of a protocol', [[['TCP', 321, '10.9.0.0/16']], [rule('tcp', 321, '10.9.0.0/16')]], [0, 0]],
  ['a protocol in capitals', [[['TCP', 321, '10.9.0.0/16']], [rule('TCP', 321, '10.9.0.0/16')]], [0, 0]],
  ['another port', [[['TCP', 322, '10.9.0.0/16']], [rule('tcp', 321, '10.9.0.0/16')]], [1, 1]],
  ['another CIDR', [[['TCP', 321, '10.9.0.0/24']], [rule('tcp', 321, '10.9.0.0/16')]], [1, 1]],
  ['all go', [[], [321, 322, 323].map((port) => rule('tcp', port, '10.9.0.0/16'))], [0, 3]],
  ['several for an empty group', [[['TCP', 321, '10.9.0.0/16'], ['TCP', 322, '10.9.10.0/24'], ['UDP', 322, '10.9.12.0/24']], []], [3, 0]],
]); // prettier-ignore
