import { describe, expect, test } from 'vitest';
import type { NeutronPort, ServerAddress, Subport } from '../../../shared/model/node/nova.ts';
import { nodeAddresses, type NodeAddressInput } from '../../../shared/node/desired/node-addresses.ts';

/** `InternalIP 10.0.0.5`: one line of a Node's addresses. */
type Line = `${'InternalIP' | 'ExternalIP' | 'Hostname' | 'InternalDNS'} ${string}`;

interface Row {
  /** Of the source. */
  readonly section: string;
  readonly what: string;
  readonly given: Partial<Omit<NodeAddressInput, 'existing' | 'options'>> & {
    readonly existing?: readonly Line[];
    readonly options?: Partial<NodeAddressInput['options']>;
  };
  readonly addresses: readonly Line[];
  /** The field of each Problem. */
  readonly problems?: readonly string[];
}

const inputOf = ({ given }: Pick<Row, 'given'>): NodeAddressInput => ({
  server: { id: 'server' },
  ports: [],
  ...given,
  existing: (given.existing ?? []).map(addressOf),
  options: {
    publicNetworkName: [],
    internalNetworkName: [],
    ipv6SupportDisabled: false,
    addressSortOrder: [],
    ...given.options,
  },
});

function addressOf(line: Line): { readonly type: string; readonly address: string } {
  const [type = '', address = ''] = line.split(' ');
  return { type, address };
}

function port(id: string, ...addresses: readonly string[]): NeutronPort {
  return { id, status: 'ACTIVE', fixed_ips: addresses.map((ip_address) => ({ ip_address })) };
}

const down = (one: NeutronPort): NeutronPort => ({ ...one, status: 'DOWN' });

const subport = (networkName: string, id: string, ...addresses: readonly string[]): Subport => ({
  networkName,
  port: port(id, ...addresses),
});

const fixed = (addr: string): ServerAddress => ({ addr, 'OS-EXT-IPS:type': 'fixed' });
const floating = (addr: string): ServerAddress => ({ addr, 'OS-EXT-IPS:type': 'floating' });

const V6 = 'fd00:10::5';
const nic = port('a', '10.0.0.5');
const ofNic = { private: [fixed('10.0.0.5')] };
const two = {
  ports: [nic, port('b', '10.1.0.5')],
  server: { id: 's', addresses: { extra: [fixed('10.1.0.5')], ...ofNic } },
};
/** A server that has each kind of address (docs/sources/occm.md, "Node addresses"). */
const worked = {
  ports: [port('a', '10.0.0.32'), port('b', '10.0.0.31')],
  server: {
    id: 's',
    accessIPv4: '50.56.176.99',
    accessIPv6: '2001:4800:790e::82a8',
    metadata: { hostname: 'a1-yinvcez57-0-bvynoyawrhcg-kube-minion-fg5i4jwcc2yy' },
    addresses: {
      private: [fixed('10.0.0.32'), floating('50.56.176.36'), fixed('10.0.0.31')],
      public: [fixed('50.56.176.35'), fixed('2001:4800:780e:510::5')],
    },
  },
} as const;
const HOSTNAME = 'Hostname a1-yinvcez57-0-bvynoyawrhcg-kube-minion-fg5i4jwcc2yy';

// prettier-ignore
const ORDER: readonly Row[] = [
  { section: '6.5, 1', what: 'fixed IPs of ports, in the order of the ports and of each port',
    given: { ports: [port('a', '10.0.0.9', V6), port('b', '10.0.0.2')], server: { id: 's', addresses: { private: [fixed('10.0.0.2'), fixed(V6), fixed('10.0.0.9')] } } },
    addresses: ['InternalIP 10.0.0.9', `InternalIP ${V6}`, 'InternalIP 10.0.0.2'] },
  { section: '6.5, 1; decision 104', what: 'ports are in the order of their ids, however they were listed', given: { ...two, ports: [...two.ports].reverse() }, addresses: ['InternalIP 10.0.0.5', 'InternalIP 10.1.0.5'] },
  { section: '6.5, 1', what: 'IPv6 goes where it is switched off',
    given: { ports: [port('a', '10.0.0.9', V6)], server: { id: 's', accessIPv6: '2001:db8::1', addresses: { private: [fixed(V6), fixed('10.0.0.9')] } }, options: { ipv6SupportDisabled: true } },
    addresses: ['InternalIP 10.0.0.9'] },
  { section: '6.5, 2', what: 'access addresses come next, IPv4 first',
    given: { ports: [nic], server: { id: 's', accessIPv6: '2001:db8::1', accessIPv4: '198.51.100.7', addresses: ofNic } },
    addresses: ['InternalIP 10.0.0.5', 'ExternalIP 198.51.100.7', 'ExternalIP 2001:db8::1'] },
  { section: '6.5, 2', what: 'and count as empty where they are null', given: { ports: [nic], server: { id: 's', accessIPv6: null, accessIPv4: null, addresses: ofNic } }, addresses: ['InternalIP 10.0.0.5'] },
  { section: '6.5, 3', what: 'then the hostname of the metadata',
    given: { ports: [nic], server: { id: 's', metadata: { hostname: 'web-1' }, accessIPv4: '198.51.100.7', addresses: { ...ofNic, z: [floating('203.0.113.9')] } } },
    addresses: ['InternalIP 10.0.0.5', 'ExternalIP 198.51.100.7', 'Hostname web-1', 'ExternalIP 203.0.113.9'] },
  { section: '6.5, 3', what: 'a hostname with a colon is no IPv6 address',
    given: { ports: [nic], server: { id: 's', metadata: { hostname: 'a:b' }, addresses: ofNic }, options: { ipv6SupportDisabled: true } },
    addresses: ['InternalIP 10.0.0.5', 'Hostname a:b'] },
  { section: '6.5, 3', what: 'an empty one is none', given: { ports: [nic], server: { id: 's', metadata: { hostname: '' }, addresses: ofNic } }, addresses: ['InternalIP 10.0.0.5'] },
  { section: '6.5, 4', what: 'sub-ports of a trunk stand under the name of their network',
    given: { ports: [nic], server: { id: 's', addresses: { m: [floating('203.0.113.9')], ...ofNic } }, subports: [subport('vlan', 'c', '10.3.0.5', 'fd00:3::5'), subport('a', 'd', '10.2.0.5')] },
    addresses: ['InternalIP 10.0.0.5', 'InternalIP 10.2.0.5', 'ExternalIP 203.0.113.9', 'InternalIP 10.3.0.5', 'InternalIP fd00:3::5'] },
  { section: '6.5, 4', what: 'and after those of the same network that Nova lists, in the order of their ids',
    given: { ports: [nic], server: { id: 's', addresses: { private: [fixed('10.0.0.5'), floating('203.0.113.9')] } }, subports: [subport('private', 'd', '10.0.0.7'), subport('private', 'c', '10.0.0.8')] },
    addresses: ['InternalIP 10.0.0.5', 'ExternalIP 203.0.113.9', 'InternalIP 10.0.0.8', 'InternalIP 10.0.0.7'] },
  { section: '6.5, 4', what: 'they may be of a public network',
    given: { ports: [nic], server: { id: 's', addresses: ofNic }, subports: [subport('dmz', 'c', '192.0.2.5')], options: { publicNetworkName: ['dmz'] } },
    addresses: ['InternalIP 10.0.0.5', 'ExternalIP 192.0.2.5'] },
  { section: '6.5, 5', what: 'networks are in the order of the alphabet, capitals first',
    given: { server: { id: 's', addresses: { b: [fixed('10.2.0.1')], '10': [fixed('10.4.0.1')], a: [fixed('10.1.0.1')], B: [fixed('10.3.0.1')] } } },
    addresses: ['InternalIP 10.4.0.1', 'InternalIP 10.3.0.1', 'InternalIP 10.1.0.1', 'InternalIP 10.2.0.1'] },
  { section: '6.5, 5', what: 'a floating IP is an ExternalIP, of whatever network',
    given: { ports: [nic], server: { id: 's', addresses: { private: [floating('203.0.113.9'), fixed('10.0.0.5')] } }, options: { internalNetworkName: ['other', 'private'] } },
    addresses: ['InternalIP 10.0.0.5', 'ExternalIP 203.0.113.9'] },
  { section: '6.5, 5', what: 'also of a network that gives no InternalIP',
    given: { ...two, server: { id: 's', addresses: { extra: [fixed('10.1.0.5'), floating('203.0.113.9')], ...ofNic } }, options: { internalNetworkName: ['private'] } },
    addresses: ['InternalIP 10.0.0.5', 'ExternalIP 203.0.113.9'] },
  { section: '6.5, 5', what: 'an address of a public network is no InternalIP any more', given: { ...two, options: { publicNetworkName: ['extra'] } }, addresses: ['InternalIP 10.0.0.5', 'ExternalIP 10.1.0.5'] },
  { section: '6.5, 5', what: 'one that is the access address as well moves to its place',
    given: { ...two, server: { ...two.server, accessIPv4: '10.1.0.5', metadata: { hostname: 'web-1' } }, options: { publicNetworkName: ['extra'] } },
    addresses: ['InternalIP 10.0.0.5', 'Hostname web-1', 'ExternalIP 10.1.0.5'] },
  { section: '6.5, 5', what: 'a public network may be an internal one by name: it is public',
    given: { ...two, options: { publicNetworkName: ['extra'], internalNetworkName: ['extra', 'private'] } },
    addresses: ['InternalIP 10.0.0.5', 'ExternalIP 10.1.0.5'] },
  { section: '6.5, 5', what: 'only internal networks give an InternalIP, if any is named', given: { ...two, options: { internalNetworkName: ['private'] } }, addresses: ['InternalIP 10.0.0.5'] },
  { section: '6.5, 6', what: 'what is there twice is told once, but once of each type',
    given: { ports: [nic, port('b', '10.0.0.5')], server: { id: 's', accessIPv4: '10.0.0.5', addresses: { ...ofNic, x: [fixed('10.0.0.5'), floating('10.0.0.5')] } } },
    addresses: ['InternalIP 10.0.0.5', 'ExternalIP 10.0.0.5'] },
  { section: '6.5, example', what: 'all of it together', given: { ...worked, options: { publicNetworkName: ['public'] } },
    addresses: ['InternalIP 10.0.0.32', 'InternalIP 10.0.0.31', 'ExternalIP 50.56.176.99', 'ExternalIP 2001:4800:790e::82a8', HOSTNAME, 'ExternalIP 50.56.176.36', 'ExternalIP 50.56.176.35', 'ExternalIP 2001:4800:780e:510::5'] },
  { section: '6.5, example', what: 'and with another internal network',
    given: { ...worked, server: { ...worked.server, addresses: { ...worked.server.addresses, 'also-private': [fixed('10.0.0.64')] } }, options: { publicNetworkName: ['public'], internalNetworkName: ['also-private'] } },
    addresses: ['ExternalIP 50.56.176.99', 'ExternalIP 2001:4800:790e::82a8', HOSTNAME, 'InternalIP 10.0.0.64', 'ExternalIP 50.56.176.36', 'ExternalIP 50.56.176.35', 'ExternalIP 2001:4800:780e:510::5'] },
];

// prettier-ignore
const SORTED: readonly Row[] = [
  { section: '6.5, 7', what: 'addresses in a CIDR come first, by CIDR, ascending by value in each; the others keep their place',
    given: { ports: [port('a', '10.0.0.100', '10.0.0.9', '192.0.2.7', '10.1.0.1', V6)], server: { id: 's', metadata: { hostname: 'web-1' }, addresses: { private: [floating('203.0.113.9'), fixed('10.0.0.9')] } },
      options: { addressSortOrder: ['203.0.113.0/24', '10.0.0.0/16'] } },
    addresses: ['ExternalIP 203.0.113.9', 'InternalIP 10.0.0.9', 'InternalIP 10.0.0.100', 'InternalIP 192.0.2.7', 'InternalIP 10.1.0.1', `InternalIP ${V6}`, 'Hostname web-1'] },
  { section: '6.5, 7', what: 'of IPv6, too, by value and not by spelling',
    given: { ports: [port('a', '10.0.0.5', 'fd00:10::a', 'fd00:10::9', 'fd00:10:0:0:1::')], server: { id: 's', addresses: ofNic }, options: { addressSortOrder: ['fd00:10::/32'] } },
    addresses: ['InternalIP fd00:10::9', 'InternalIP fd00:10::a', 'InternalIP fd00:10:0:0:1::', 'InternalIP 10.0.0.5'] },
  { section: '6.5, 7', what: 'the first CIDR that an address is in counts',
    given: { ports: [port('a', '10.0.0.5', '10.0.1.5')], server: { id: 's', addresses: ofNic }, options: { addressSortOrder: ['10.0.1.0/24', '10.0.0.0/8'] } },
    addresses: ['InternalIP 10.0.1.5', 'InternalIP 10.0.0.5'] },
];

// prettier-ignore
const FRAMEWORK: readonly Row[] = [
  { section: '2.4', what: 'without a Hostname of the cloud the Node keeps its own, and nothing else',
    given: { ports: [nic], server: { id: 's', addresses: ofNic }, existing: ['Hostname web-1', 'InternalIP 10.9.9.9', 'InternalDNS web-1.local'] },
    addresses: ['InternalIP 10.0.0.5', 'Hostname web-1'] },
  { section: '2.4', what: 'and else not', given: { ports: [nic], server: { id: 's', metadata: { hostname: 'web-2' }, addresses: ofNic }, existing: ['Hostname web-1'] }, addresses: ['InternalIP 10.0.0.5', 'Hostname web-2'] },
  { section: '2.4', what: 'the provided IP is the only one of its type',
    given: { ...two, server: { ...two.server, accessIPv4: '198.51.100.7' }, existing: ['Hostname web-1'], providedNodeIPs: '10.1.0.5' },
    addresses: ['InternalIP 10.1.0.5', 'ExternalIP 198.51.100.7', 'Hostname web-1'] },
  { section: '2.4', what: 'a provided one that is external leaves all the internal ones',
    given: { ...two, server: { ...two.server, accessIPv4: '198.51.100.7' }, providedNodeIPs: '198.51.100.7' },
    addresses: ['ExternalIP 198.51.100.7', 'InternalIP 10.0.0.5', 'InternalIP 10.1.0.5'] },
  { section: '2.4', what: 'of both types, of which none is left',
    given: { ...two, server: { ...two.server, accessIPv4: '10.0.0.5', accessIPv6: '2001:db8::1' }, providedNodeIPs: '10.0.0.5' },
    addresses: ['InternalIP 10.0.0.5', 'ExternalIP 10.0.0.5'] },
  { section: '2.4', what: 'a pair comes in its own order, however IPv6 is spelled',
    given: { ports: [port('a', '10.0.0.5', V6)], server: { id: 's', addresses: ofNic }, providedNodeIPs: 'FD00:10:0::5,10.0.0.5' },
    addresses: [`InternalIP ${V6}`, 'InternalIP 10.0.0.5'] },
  { section: '2.4', what: 'it comes before the sort order',
    given: { ...two, server: { ...two.server, accessIPv4: '198.51.100.7' }, providedNodeIPs: '10.0.0.5', options: { addressSortOrder: ['198.51.100.0/24'] } },
    addresses: ['InternalIP 10.0.0.5', 'ExternalIP 198.51.100.7'] },
  ...['10.9.9.9', '0.0.0.0', V6, '10.0.0.5,fd00:10::6'].map((providedNodeIPs): Row => (
    { section: '2.4; decision 104', what: `${providedNodeIPs}, which the cloud does not know, changes nothing`,
      given: { ...two, providedNodeIPs, existing: ['InternalIP 10.9.9.9'] }, addresses: [], problems: ['alpha.kubernetes.io/provided-node-ip'] })),
  ...['', 'web-1', '10.0.0.5,10.1.0.5', '10.0.0.5,', '10.0.0.5, fd00:10::5', '10.0.0.5,fd00:10::5,10.1.0.5', '010.0.0.5'].map((providedNodeIPs): Row => (
    { section: '2.4', what: `${JSON.stringify(providedNodeIPs)} as provided IP is refused`,
      given: { ...two, providedNodeIPs }, addresses: [], problems: ['alpha.kubernetes.io/provided-node-ip'] })),
  { section: '2.4', what: 'a provided IP of a network that gives no InternalIP is not known (recorded: rec-two)',
    given: { ...two, providedNodeIPs: '10.1.0.5', options: { internalNetworkName: ['private'] } },
    addresses: [], problems: ['alpha.kubernetes.io/provided-node-ip'] },
  { section: '2.4', what: 'and neither if the cloud knows nothing at all', given: { providedNodeIPs: '10.0.0.5', existing: ['InternalIP 10.0.0.5', 'Hostname web-1'] }, addresses: [], problems: ['alpha.kubernetes.io/provided-node-ip'] },
  { section: '2.4', what: 'nothing from the cloud changes nothing', given: { existing: ['InternalIP 10.0.0.5', 'Hostname web-1'] }, addresses: [], problems: ['status.addresses'] },
];

// prettier-ignore
const DOUBTFUL: readonly Row[] = [
  { section: 'decision 104', what: 'a port that is DOWN keeps the place that Nova gives its address', given: { ...two, ports: [down(nic), port('b', '10.1.0.5')] }, addresses: ['InternalIP 10.0.0.5', 'InternalIP 10.1.0.5'] },
  { section: 'decision 104', what: 'and the address that the Node has, as what it has it',
    given: { ports: [nic, down(port('b', '10.1.0.5')), down(port('c', '10.2.0.5'))], server: { id: 's', addresses: ofNic }, existing: ['InternalIP 10.1.0.5', 'ExternalIP 10.2.0.5'] },
    addresses: ['InternalIP 10.0.0.5', 'InternalIP 10.1.0.5', 'ExternalIP 10.2.0.5'] },
  { section: 'decision 104', what: 'but not as what it had it before it was read again',
    given: { ports: [nic, down(port('b', '10.1.0.5')), port('c', '10.2.0.5')], server: two.server, existing: ['ExternalIP 10.1.0.5', 'ExternalIP 10.2.0.5', 'Hostname 10.0.0.5'] },
    addresses: ['InternalIP 10.0.0.5', 'InternalIP 10.1.0.5', 'InternalIP 10.2.0.5', 'Hostname 10.0.0.5'] },
  { section: '6.5, 1', what: 'but brings no new one', given: { ports: [nic, down(port('b', '10.1.0.5'))], server: { id: 's', addresses: ofNic } }, addresses: ['InternalIP 10.0.0.5'] },
  { section: 'decision 104', what: 'an address whose port is gone goes',
    given: { ports: [nic], server: { id: 's', addresses: ofNic }, existing: ['InternalIP 10.0.0.5', 'InternalIP 10.1.0.5', 'ExternalIP 203.0.113.9'] },
    addresses: ['InternalIP 10.0.0.5'] },
  { section: 'decision 104', what: 'the last InternalIP stays while there is no other one',
    given: { server: { id: 's', addresses: { private: [floating('203.0.113.9')] } }, existing: ['InternalIP 10.0.0.5', 'InternalIP fd00:10::5', 'ExternalIP 203.0.113.8'] },
    addresses: ['InternalIP 10.0.0.5', 'InternalIP fd00:10::5', 'ExternalIP 203.0.113.9'], problems: ['status.addresses'] },
  { section: 'decision 104', what: 'also where internal-network-name has a typing error',
    given: { ports: [nic], server: { id: 's', accessIPv4: '198.51.100.7', addresses: ofNic }, existing: ['InternalIP 10.0.0.5'], options: { internalNetworkName: ['privat'] } },
    addresses: ['InternalIP 10.0.0.5', 'ExternalIP 198.51.100.7'], problems: ['status.addresses'] },
  { section: 'decision 104', what: 'what is an ExternalIP now is not kept as an internal one',
    given: { ports: [nic], server: { id: 's', addresses: ofNic }, existing: ['InternalIP 10.0.0.5'], options: { publicNetworkName: ['private'] } },
    addresses: ['ExternalIP 10.0.0.5'] },
  { section: 'decision 104', what: 'what is a Hostname as well is kept',
    given: { server: { id: 's', accessIPv4: '198.51.100.7' }, existing: ['InternalIP 10.0.0.5', 'Hostname 10.0.0.5'] },
    addresses: ['InternalIP 10.0.0.5', 'ExternalIP 198.51.100.7', 'Hostname 10.0.0.5'], problems: ['status.addresses'] },
  { section: 'decision 104', what: 'no InternalIP of a kubelet makes up for one that the cloud does not know',
    given: { server: { id: 's', accessIPv4: '198.51.100.7' }, existing: ['InternalIP 10.0.0.5'], providedNodeIPs: '10.0.0.5' },
    addresses: [], problems: ['alpha.kubernetes.io/provided-node-ip'] },
  { section: 'decision 104', what: 'where Nova lists nothing and Neutron has ports, nothing changes',
    given: { ports: two.ports, server: { id: 's', accessIPv4: '198.51.100.7', addresses: { private: [], x: null } }, existing: ['InternalIP 10.0.0.5', 'ExternalIP 203.0.113.9'] },
    addresses: [], problems: ['status.addresses'] },
  { section: 'decision 104', what: 'where Nova lists only some networks, what it does not list stays what it was',
    given: { ports: [port('a', '192.0.2.5'), port('b', '10.0.0.5')], server: { id: 's', addresses: ofNic }, existing: ['InternalIP 10.0.0.5', 'ExternalIP 192.0.2.5'], options: { publicNetworkName: ['public'] } },
    addresses: ['InternalIP 10.0.0.5', 'ExternalIP 192.0.2.5'] },
  { section: 'decision 104', what: 'and what was left out stays left out',
    given: { ports: [port('a', '10.9.0.5'), port('b', '10.0.0.5')], server: { id: 's', addresses: ofNic }, existing: ['InternalIP 10.0.0.5', 'Hostname web-1'], options: { internalNetworkName: ['private'] } },
    addresses: ['InternalIP 10.0.0.5', 'Hostname web-1'] },
  { section: 'decision 104', what: 'where nothing but the Hostname would be left, ports count at once, not only in the next look',
    given: { ports: [port('a', '10.9.0.5')], server: { id: 's', metadata: { hostname: 'web-1' }, addresses: ofNic }, existing: ['ExternalIP 203.0.113.9', 'Hostname web-1'], options: { internalNetworkName: ['extra'] } },
    addresses: ['InternalIP 10.9.0.5', 'Hostname web-1'] },
  { section: '6.5, 1', what: 'where no network is named all are internal, listed or not',
    given: { ports: [port('a', '10.9.0.5'), port('b', '10.0.0.5')], server: { id: 's', addresses: ofNic }, existing: ['InternalIP 10.0.0.5', 'Hostname web-1'] },
    addresses: ['InternalIP 10.9.0.5', 'InternalIP 10.0.0.5', 'Hostname web-1'] },
  { section: '6.5, 1', what: 'but a Node that has none yet gets those of the ports',
    given: { ports: two.ports, server: { id: 's' }, existing: ['Hostname web-1'] },
    addresses: ['InternalIP 10.0.0.5', 'InternalIP 10.1.0.5', 'Hostname web-1'] },
];

describe.each([
  ['the order of OCCM', ORDER],
  ['address-sort-order', SORTED],
  ['what Kubernetes does with them', FRAMEWORK],
  ['doubtful reads', DOUBTFUL],
])('%s', (_, rows) => {
  test.each(rows)('$section: $what', (row) => {
    const { addresses, problems } = nodeAddresses(inputOf(row));
    expect(addresses.map(({ type, address }) => `${type} ${address}`)).toEqual(row.addresses);
    expect(problems.map(({ field }) => field)).toEqual(row.problems ?? []);
  });
});

// prettier-ignore
test.each([
  [{ ...two, providedNodeIPs: '10.0.0.5,x' }, 'must be one IP address, or one of each family, separated by a comma; levelset changes no address', '10.0.0.5,x'],
  [{ ...two, providedNodeIPs: '10.0.0.5,fd00::9' }, 'names an address that the server does not have, or that [Networking] filters out: fd00::9; levelset changes no address', '10.0.0.5,fd00::9'],
  [{ server: { id: 's', accessIPv4: '198.51.100.7' }, existing: ['InternalIP 10.0.0.5', 'InternalIP fd00::5'] }, 'stays: the server has no InternalIP that [Networking] lets through, and a Node needs one', '10.0.0.5,fd00::5'],
  [{}, 'its server has no address that [Networking] lets through; the Node keeps its addresses', ''],
  [{ ports: [nic], existing: ['InternalDNS web-1'] }, 'Nova lists no address of its server, although Neutron has ports with addresses; the Node keeps its addresses', ''],
] satisfies readonly (readonly [Row['given'], string, string])[])('%j: %s', (given, message, value) => {
  const { problems } = nodeAddresses(inputOf({ given }));
  expect(problems).toMatchObject([{ value, message }]);
});
