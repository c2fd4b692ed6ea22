import { readCloudConf } from '../../../shared/config/cloud-conf/cloud-conf.ts';
import { attributeRule } from '../../../shared/model/attributes.ts';
import { equalAttribute } from '../../../shared/model/equality.ts';
import { memberAddress } from '../../../shared/model/node/node-set.ts';
import { parseProviderID } from '../../../shared/model/node/provider-id.ts';
import { loadBalancerName, securityGroupName } from '../../../shared/model/ownership.ts';
import { nodeAddresses, preferNodeIPs, sortAddresses } from '../../../shared/node/desired/node-addresses.ts';
import { as, table, type Case } from './table.ts';

const [E, I, H] = ['ExternalIP', 'InternalIP', 'Hostname'];
type Told = readonly [type: string, address: string];
const list = (...all: readonly Told[]) => as<never[]>(all.map(([type, address]) => ({ type, address })));
const told = (...all: readonly Told[]): readonly string[] => all.map((one) => one.join(' '));
const read = (all: readonly { type: string; address: string }[]) =>
  all.map(({ type, address }) => `${type} ${address}`);

table(
  'address-sort-order, as it is read',
  (value: string) =>
    readCloudConf(`[Networking]\naddress-sort-order = "${value}"`, 'f').networking.addressSortOrder,
  [
    ['nothing', '', []],
    ['nothing that is a CIDR', 'Wrong, AlsoWrong', []],
    ['some that are', '172.20.0.0/16, Wrong, AlsoWrong, fd42:17::/64', ['172.20.0.0/16', 'fd42:17::/64']],
  ],
);

const FIRST = { 0: ['172.20.9.0/24', 'fd42:17::/64'] } as const;
table(
  'address-sort-order, which place an address gets',
  (address: string) => {
    const others: readonly Told[] = [
      [E, '203.0.113.9'],
      [E, 'fd42:17::1'],
      [E, '172.20.9.1'],
      [E, address],
    ];
    const sorted = sortAddresses(list(...others), FIRST[0]).map((one) => one.address);
    const at = sorted.indexOf(address);
    return at === 1 ? 'first' : at === 2 && address.startsWith('fd42:17:') ? 'second' : 'none';
  },
  [
    ['an empty text', '', 'none'],
    ['a name', 'a.host.example', 'none'],
    ['in the second CIDR', 'fd42:17::82a8', 'second'],
    ['in no CIDR, IPv6', 'fd43:18::82a8', 'none'],
    ['in the first CIDR', '172.20.9.200', 'first'],
    ['in no CIDR, IPv4', '172.20.10.7', 'none'],
  ],
);

const MANY: readonly Told[] = [
  [E, 'fd42:aa::4'], [I, 'fd11:22:33:44::a8'], [I, '172.30.0.1'], [I, 'fd11:22:33:44::a2'], [I, '10.7.0.32'], [I, '192.168.5.1'], [E, 'fd42:bb::2'],
  [I, '10.7.0.31'], [I, '203.0.113.37'], [E, '203.0.113.36'], [H, 'worker.novalocal'], [E, '203.0.113.99'], [E, '203.0.113.35'], [H, 'worker.example'],
]; // prettier-ignore
const ahead = (...first: readonly string[]) => [
  ...first,
  ...MANY.map(([, address]) => address).filter((one) => !first.includes(one)),
];
table('address-sort-order, sorting', (option: string) => sortAddresses(list(...MANY), readCloudConf(`[Networking]\naddress-sort-order = "${option}"`, 'f').networking.addressSortOrder).map((one) => one.address), [
  ['a CIDR that is none', '10.7.0.0/244', ahead()],
  ['IPv4', '10.7.0.0/16', ahead('10.7.0.31', '10.7.0.32')],
  ['IPv6', 'fd11:22:33:44::/64', ahead('fd11:22:33:44::a2', 'fd11:22:33:44::a8')],
  ['several', '10.7.0.0/16, 192.168.0.0/16, 172.30.0.0/24, fd11:22:33:44::/64, 203.0.113.0/24, fd99::/64', ahead('10.7.0.31', '10.7.0.32', '192.168.5.1', '172.30.0.1', 'fd11:22:33:44::a2', 'fd11:22:33:44::a8', '203.0.113.35', '203.0.113.36', '203.0.113.37', '203.0.113.99')],
]); // prettier-ignore

const U = '0f5c3c7a-51a4-4a55-9c8e-6d9d5f3b7e21';
table(
  'providerID',
  (id: string) => {
    const found = parseProviderID(id);
    return found ? [found.serverId, found.region ?? ''] : 'refused';
  },
  [
    ['without a region', `openstack:///${U}`, [U, '']],
    ['with a region', `openstack://North/${U}`, [U, 'North']],
    ['without a scheme', `/${U}`, [U, '']],
    ['without a region and its slash', `openstack://${U}`, 'refused'],
    ['an id alone', U, 'refused', 466, [U, '']],
    ['of another cloud', `elsewhere:///${U}`, 'refused'],
    ['with a region of dashes', `openstack://eu-north-2/${U}`, [U, 'eu-north-2']],
    ['with a dash for the slash', `openstack://eu-north-2-${U}`, 'refused'],
    ['an id that is no UUID', 'openstack://eu-north-2/a-server', ['a-server', 'eu-north-2'], 466, 'refused'],
    ['an id that is no UUID, without a scheme', '/a-server', ['a-server', ''], 466, 'refused'],
  ] as readonly Case<string, string | readonly string[]>[],
);

const LONG = 'quite-a-long-name-'.repeat(16);
table(
  'names',
  ([what, ...parts]: readonly [string, string, string, string]) => {
    const name = what === 'lb' ? loadBalancerName : securityGroupName;
    const made = name(parts[0], { namespace: parts[1], name: parts[2] });
    return made.length > 200 ? [made.slice(0, 200), made.length] : made;
  },
  [
    ['load balancer', ['lb', 'prod', 'shop', 'web'], 'kube_service_prod_shop_web'],
    ['load balancer, cut', ['lb', 'c', 'n', LONG], [`kube_service_c_n_${LONG}`.slice(0, 200), 255]],
    ['load balancer of nothing', ['lb', '', '', ''], 'kube_service___'],
    ['security group', ['sg', 'u1', 'shop', 'web'], 'lb-sg-u1-shop-web'],
    ['security group, cut', ['sg', 'u', 'n', LONG], [`lb-sg-u-n-${LONG}`.slice(0, 200), 255]],
    ['security group of nothing', ['sg', '', '', ''], 'lb-sg---'],
  ] as readonly Case<readonly [string, string, string, string], string | readonly [string, number]>[],
);
table(
  'the end of a name that is cut',
  (name: string) => loadBalancerName('c', { namespace: 'n', name }).slice(-8),
  [
    [
      'is a hash',
      LONG,
      `kube_service_c_n_${LONG}`.slice(247, 255),
      31,
      loadBalancerName('c', { namespace: 'n', name: LONG }).slice(-8),
    ],
  ],
);

const [v4, v6, x6] = ['192.168.77.1', 'fd42:85a3::8a2e:370:7334', 'fd42:85a3:3333::8888'];
table(
  'the address of a member',
  ([family, ...addresses]: readonly [4 | 6, ...Told[]]) =>
    memberAddress(
      as({ metadata: { name: 'n' }, status: { addresses: list(...addresses) } }),
      undefined,
      family,
    ) ?? '',
  [
    ['none of IPv4', [4], ''],
    ['none of IPv6', [6], ''],
    ['one of IPv4', [4, [I, v4]], v4],
    ['one of IPv6', [6, [I, v6]], v6],
    ['internal before external, IPv4', [4, [E, '192.168.77.2'], [I, v4]], v4],
    ['internal before external, IPv6', [6, [E, x6], [I, v6]], v6],
    ['IPv6 of both', [6, [I, v4], [I, v6]], v6],
    ['IPv4 of many', [4, [E, x6], [I, v6], [E, x6], [I, v4], [E, v6]], v4],
    ['IPv4 of IPv6', [4, [I, v6]], ''],
    ['IPv6 of IPv4', [6, [I, v4]], ''],
    ['a name, IPv4', [4, ['ExternalDNS', 'n.example']], ''],
    ['a name, IPv6', [6, ['ExternalDNS', 'n.example']], ''],
    ['external alone', [4, [E, v4]], v4],
  ],
);

const fixed = (addr: string, type?: string) => ({
  addr,
  version: addr.includes(':') ? 6 : 4,
  ...(type && { 'OS-EXT-IPS:type': type }),
});
const [A4, A6, P6] = ['203.0.113.99', 'fd42:bb::82a8', 'fd42:aa::84a8'];
const own = [fixed('10.7.0.32', 'fixed'), fixed('203.0.113.36', 'floating'), fixed('10.7.0.31')];
const open = [fixed('203.0.113.35'), fixed(P6)];
const three = { inner: own, also: [fixed('10.7.0.64')], outer: open };
interface OfServer {
  readonly addresses: object;
  readonly options: object;
  readonly hostname?: string;
  readonly ips?: readonly string[];
}
const ofServer = ({ addresses, options, hostname, ips = ['10.7.0.32', '10.7.0.31'] }: OfServer) =>
  read(
    nodeAddresses(
      as({
        server: {
          id: U,
          status: 'ACTIVE',
          accessIPv4: A4,
          accessIPv6: A6,
          addresses,
          metadata: hostname ? { hostname } : {},
        },
        ports: [{ id: 'p', status: 'ACTIVE', fixed_ips: ips.map((ip_address) => ({ ip_address })) }],
        existing: [],
        options: {
          publicNetworkName: [],
          internalNetworkName: [],
          ipv6SupportDisabled: false,
          addressSortOrder: [],
          ...options,
        },
      }),
    ).addresses,
  );
const base: readonly Told[] = [
  [I, '10.7.0.32'],
  [I, '10.7.0.31'],
  [E, A4],
  [E, A6],
];
const open3: readonly Told[] = [
  [E, '203.0.113.36'],
  [E, '203.0.113.35'],
  [E, P6],
];
table('addresses of a Node', ofServer, [
  ['a public network, and a hostname', { addresses: { inner: own, public: open }, options: { publicNetworkName: ['public'] }, hostname: 'worker.novalocal' }, told(...base, [H, 'worker.novalocal'], ...open3)],
  ['a public network of another name', { addresses: { inner: own, outer: open }, options: { publicNetworkName: ['outer'] } }, told(...base, ...open3)],
  ['a public address on a port', { addresses: { inner: [own[0], own[2]], outer: [fixed('203.0.113.36'), fixed(P6)] }, options: { publicNetworkName: ['outer'] }, ips: ['10.7.0.32', '10.7.0.31', '203.0.113.36'] }, told(...base, [E, '203.0.113.36'], [E, P6])],
  ['two internal networks', { addresses: three, options: { internalNetworkName: ['inner', 'also'] } }, told(...base, [I, '10.7.0.64'], [E, '203.0.113.36'])],
  ['one internal network', { addresses: three, options: { internalNetworkName: ['also'] } }, told([E, A4], [E, A6], [I, '10.7.0.64'], [E, '203.0.113.36'])],
  ['without IPv6', { addresses: { inner: own, public: open }, options: { publicNetworkName: ['public'], ipv6SupportDisabled: true } }, told([I, '10.7.0.32'], [I, '10.7.0.31'], [E, A4], [E, '203.0.113.36'], [E, '203.0.113.35'])],
  ['sorted', { addresses: { inner: own, public: open }, options: { publicNetworkName: ['public'], addressSortOrder: ['10.0.0.0/8', '203.0.113.0/24', 'fd42::/16'] }, hostname: 'worker.novalocal' }, told([I, '10.7.0.31'], [I, '10.7.0.32'], [E, '203.0.113.35'], [E, '203.0.113.36'], [E, A4], [E, P6], [E, A6], [H, 'worker.novalocal'])],
]); // prettier-ignore
const hostnames = ([before, hostname]: readonly [readonly Told[], string?]) =>
  nodeAddresses(
    as({
      server: { id: U, addresses: { n: [fixed('10.7.0.1')] }, metadata: hostname ? { hostname } : {} },
      ports: [{ id: 'p', status: 'ACTIVE', fixed_ips: [{ ip_address: '10.7.0.1' }] }],
      existing: list(...before),
      options: {
        publicNetworkName: [],
        internalNetworkName: [],
        ipv6SupportDisabled: false,
        addressSortOrder: [],
      },
    }),
  )
    .addresses.filter(({ type }) => type === 'Hostname')
    .map(({ address }) => address);
table('the hostname of a Node', hostnames, [
  ['of the cloud', [[[H, 'of-the-kubelet']], 'w1.cloud.internal'], ['w1.cloud.internal']],
  ['of the kubelet if the cloud has none', [[[H, 'of-the-kubelet']]], ['of-the-kubelet']],
  ['of the cloud, none before', [[], 'w1.cloud.internal'], ['w1.cloud.internal']],
]);

const [n4, n6, ex, ex6, h]: readonly Told[] = [
  [I, '10.7.1.1'],
  [I, 'fd11:34::5678'],
  [E, '198.51.100.55'],
  [E, 'fd42:db1::1'],
  [H, 'w1'],
];
const both = '10.7.1.1,fd11:34::5678';
table('the addresses that a kubelet was told', ([ip, ...addresses]: readonly [string, ...(Told | undefined)[]]) => {
  const { addresses: all, problems } = preferNodeIPs(list(...as<Told[]>(addresses)), ip);
  return problems.length > 0 ? 'refused' : read(all);
}, (([
  ['one', ['10.7.1.1', n4, h], [n4, h]],
  ['an external one', ['198.51.100.55', n4, ex, h], [ex, n4, h]],
  ['internal and external', ['198.51.100.55', [I, '192.0.2.44'], [E, '192.0.2.44'], [I, '198.51.100.55'], ex, h], [[I, '198.51.100.55'], ex, h]],
  ['names', ['10.7.1.1', n4, ex, ['InternalDNS', 'in.example'], ['ExternalDNS', 'ex.example'], h], [n4, ex, ['InternalDNS', 'in.example'], ['ExternalDNS', 'ex.example'], h]],
  ['several internal ones', ['10.7.1.1', n4, [I, '10.7.2.2'], [I, '10.7.3.3'], ex, h], [n4, ex, h]],
  ['one that is not there', ['10.7.2.2', n4, ex, h], 'refused'],
  ['one that is spelled otherwise', ['fd11:14:d4:d101::ba3d', n4, [I, 'fd11:14:d4:d101:0:0:0:ba3d'], h], [[I, 'fd11:14:d4:d101:0:0:0:ba3d'], h]],
  ['two where one is there', [both, n4, h], 'refused'],
  ['two', [both, n4, n6, h], [n4, n6, h]],
  ['two, the other way round', [both, n6, n4, h], [n4, n6, h]],
  ['two of several', [both, n4, [I, '10.7.1.2'], [I, 'fd11:34::1234'], n6, h], [n4, n6, h]],
  ['two beside an external one', [both, n4, ex, [I, 'fd11:34::1234'], n6, h], [n4, n6, ex, h]],
  ['two beside two external ones', ['fd11:34::5678,10.7.1.1', n4, ex, n6, ex6, h], [n6, n4, ex, ex6, h]],
  ['one external, one internal', ['198.51.100.55,fd11:34::5678', n4, ex, n6, ex6, h], [ex, n6, h]],
] as readonly [string, readonly [string, ...Told[]], 'refused' | readonly Told[]][])).map(([name, given, want]) => [name, given, want === 'refused' ? want : told(...want)] as const)); // prettier-ignore

const [inner, outer, other, name]: readonly [Told, Told, Told, Told] = [[I, '10.7.1.1'], [E, '198.51.100.55'], [E, '198.51.100.56'], [H, 'w1']]; // prettier-ignore
table('whether addresses of a Node change', ([a, b]: readonly [readonly Told[], readonly Told[]]) => !equalAttribute(attributeRule('nodestatus', 'addresses'), list(...a), list(...b)), [
  ['the same', [[inner, outer], [inner, outer]], false],
  ['another one', [[inner, other], [inner, outer]], true],
  ['one less', [[inner, outer, name], [inner, outer]], true],
  ['one more', [[inner, outer], [inner, outer, name]], true],
  ['the types change places', [[[E, '10.7.1.1'], [I, '198.51.100.55']], [inner, outer]], true],
]); // prettier-ignore
