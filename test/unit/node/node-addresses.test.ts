import { describe, expect, test } from 'vitest';
import type { NeutronPort, Server, ServerAddress, Subport } from '../../../shared/model/node/nova.ts';
import { nodeAddresses, type NodeAddressInput } from '../../../shared/node/desired/node-addresses.ts';

/** `InternalIP 10.0.0.5`: one line of a Node's addresses. */
type Line = `${'InternalIP' | 'ExternalIP' | 'Hostname' | 'InternalDNS'} ${string}`;

/** What differs from a server whose one port has 10.0.0.5 in the network `private`. */
interface Given extends Partial<Pick<NodeAddressInput, 'ports' | 'subports' | 'providedNodeIPs'>> {
  readonly server?: Partial<Server>;
  readonly existing?: readonly Line[];
  readonly options?: Partial<NodeAddressInput['options']>;
}

/** `what` begins with the section of the source; of each Problem a part of `FIELD VALUE MESSAGE`. */
type Row = [what: string, given: Given, addresses: readonly Line[], problems?: readonly string[]];

function addressOf(line: Line): { readonly type: string; readonly address: string } {
  const [type = '', address = ''] = line.split(' ');
  return { type, address };
}

const port = (id: string, ...addresses: readonly string[]): NeutronPort => ({
  ...{ id, status: 'ACTIVE', fixed_ips: addresses.map((ip_address) => ({ ip_address })) },
});
const down = (one: NeutronPort): NeutronPort => ({ ...one, status: 'DOWN' });
const subport = (networkName: string, ...of: Parameters<typeof port>): Subport => ({
  ...{ networkName, port: port(...of) },
});
const fixed = (addr: string): ServerAddress => ({ addr, 'OS-EXT-IPS:type': 'fixed' });
const floating = (addr: string): ServerAddress => ({ addr, 'OS-EXT-IPS:type': 'floating' });
const inPrivate = (...all: readonly ServerAddress[]) => ({ addresses: { private: all } });

const V6 = 'fd00:10::5';
const NIC: Line = 'InternalIP 10.0.0.5';
const ONE: Line = 'InternalIP 10.1.0.5';
const ACCESS = { accessIPv4: '198.51.100.7' };
const OUTSIDE: Line = 'ExternalIP 198.51.100.7';
const nic = port('a', '10.0.0.5');
const ofNic = { private: [fixed('10.0.0.5')] };
const two = {
  ports: [nic, port('b', '10.1.0.5')],
  server: { addresses: { extra: [fixed('10.1.0.5')], ...ofNic } },
};
const reached = { ...two, server: { ...two.server, ...ACCESS } };
const NOTHING = { ports: [], server: { addresses: null } };
const UNLISTED = { ports: [], server: { ...ACCESS, addresses: null } };

// prettier-ignore
const ORDER: readonly Row[] = [
  ['6.5, 1: fixed IPs of ports, in the order of the ports and of each port',
    { ports: [port('a', '10.0.0.9', V6), port('b', '10.0.0.2')], server: inPrivate(...['10.0.0.2', V6, '10.0.0.9'].map(fixed)) }, ['InternalIP 10.0.0.9', `InternalIP ${V6}`, 'InternalIP 10.0.0.2']],
  ['6.5, 1; decision 104: ports are in the order of their ids, however they were listed', { ...two, ports: [...two.ports].reverse() }, [NIC, ONE]],
  ['6.5, 1: IPv6 goes where it is switched off',
    { ports: [port('a', '10.0.0.9', V6)], server: { accessIPv6: '2001:db8::1', ...inPrivate(fixed(V6), fixed('10.0.0.9')) }, options: { ipv6SupportDisabled: true } }, ['InternalIP 10.0.0.9']],
  ['6.5, 2: access addresses come next, IPv4 first', { server: { accessIPv6: '2001:db8::1', ...ACCESS } }, [NIC, OUTSIDE, 'ExternalIP 2001:db8::1']],
  ['6.5, 2: and count as empty where they are null', { server: { accessIPv6: null, accessIPv4: null } }, [NIC]],
  ['6.5, 3: then the hostname of the metadata',
    { server: { metadata: { hostname: 'web-1' }, ...ACCESS, addresses: { ...ofNic, z: [floating('203.0.113.9')] } } }, [NIC, OUTSIDE, 'Hostname web-1', 'ExternalIP 203.0.113.9']],
  ['6.5, 3: a hostname with a colon is no IPv6 address', { server: { metadata: { hostname: 'a:b' } }, options: { ipv6SupportDisabled: true } }, [NIC, 'Hostname a:b']],
  ['6.5, 3: an empty one is none', { server: { metadata: { hostname: '' } } }, [NIC]],
  ['6.5, 4: sub-ports of a trunk stand under the name of their network',
    { server: { addresses: { m: [floating('203.0.113.9')], ...ofNic } }, subports: [subport('vlan', 'c', '10.3.0.5', 'fd00:3::5'), subport('a', 'd', '10.2.0.5')] },
    [NIC, 'InternalIP 10.2.0.5', 'ExternalIP 203.0.113.9', 'InternalIP 10.3.0.5', 'InternalIP fd00:3::5']],
  ['6.5, 4: and after those of the same network that Nova lists, in the order of their ids',
    { server: inPrivate(fixed('10.0.0.5'), floating('203.0.113.9')), subports: [subport('private', 'd', '10.0.0.7'), subport('private', 'c', '10.0.0.8')] },
    [NIC, 'ExternalIP 203.0.113.9', 'InternalIP 10.0.0.8', 'InternalIP 10.0.0.7']],
  ['6.5, 4: they may be of a public network', { subports: [subport('dmz', 'c', '192.0.2.5')], options: { publicNetworkName: ['dmz'] } }, [NIC, 'ExternalIP 192.0.2.5']],
  ['6.5, 5: networks are in the order of the alphabet, capitals first',
    { ports: [], server: { addresses: { b: [fixed('10.2.0.1')], '10': [fixed('10.4.0.1')], a: [fixed('10.1.0.1')], B: [fixed('10.3.0.1')] } } },
    ['InternalIP 10.4.0.1', 'InternalIP 10.3.0.1', 'InternalIP 10.1.0.1', 'InternalIP 10.2.0.1']],
  ['6.5, 5: a floating IP is an ExternalIP, of whatever network', { server: inPrivate(floating('203.0.113.9'), fixed('10.0.0.5')), options: { internalNetworkName: ['other', 'private'] } }, [NIC, 'ExternalIP 203.0.113.9']],
  ['6.5, 5: also of a network that gives no InternalIP',
    { ...two, server: { addresses: { extra: [fixed('10.1.0.5'), floating('203.0.113.9')], ...ofNic } }, options: { internalNetworkName: ['private'] } }, [NIC, 'ExternalIP 203.0.113.9']],
  ['6.5, 5: an address of a public network is no InternalIP any more', { ...two, options: { publicNetworkName: ['extra'] } }, [NIC, 'ExternalIP 10.1.0.5']],
  ['6.5, 5: one that is the access address as well moves to its place',
    { ...two, server: { ...two.server, accessIPv4: '10.1.0.5', metadata: { hostname: 'web-1' } }, options: { publicNetworkName: ['extra'] } }, [NIC, 'Hostname web-1', 'ExternalIP 10.1.0.5']],
  ['6.5, 5: a public network may be an internal one by name: it is public', { ...two, options: { publicNetworkName: ['extra'], internalNetworkName: ['extra', 'private'] } }, [NIC, 'ExternalIP 10.1.0.5']],
  ['6.5, 5: only internal networks give an InternalIP, if any is named', { ...two, options: { internalNetworkName: ['private'] } }, [NIC]],
  ['6.5, 6: what is there twice is told once, but once of each type',
    { ports: [nic, port('b', '10.0.0.5')], server: { accessIPv4: '10.0.0.5', addresses: { ...ofNic, x: [fixed('10.0.0.5'), floating('10.0.0.5')] } } }, [NIC, 'ExternalIP 10.0.0.5']],
];

// prettier-ignore
const SORTED: readonly Row[] = [
  ['6.5, 7: addresses in a CIDR come first, by CIDR, ascending by value in each; the others keep their place',
    { ports: [port('a', '10.0.0.100', '10.0.0.9', '192.0.2.7', '10.1.0.1', V6)], server: { metadata: { hostname: 'web-1' }, ...inPrivate(floating('203.0.113.9'), fixed('10.0.0.9')) },
      options: { addressSortOrder: ['203.0.113.0/24', '10.0.0.0/16'] } },
    ['ExternalIP 203.0.113.9', 'InternalIP 10.0.0.9', 'InternalIP 10.0.0.100', 'InternalIP 192.0.2.7', 'InternalIP 10.1.0.1', `InternalIP ${V6}`, 'Hostname web-1']],
  ['6.5, 7: of IPv6, too, by value and not by spelling',
    { ports: [port('a', '10.0.0.5', 'fd00:10::a', 'fd00:10::9', 'fd00:10:0:0:1::')], options: { addressSortOrder: ['fd00:10::/32'] } },
    ['InternalIP fd00:10::9', 'InternalIP fd00:10::a', 'InternalIP fd00:10:0:0:1::', NIC]],
  ['6.5, 7: the first CIDR that an address is in counts', { ports: [port('a', '10.0.0.5', '10.0.1.5')], options: { addressSortOrder: ['10.0.1.0/24', '10.0.0.0/8'] } }, ['InternalIP 10.0.1.5', NIC]],
];

const PROVIDED = 'alpha.kubernetes.io/provided-node-ip';
const UNKNOWN = 'names an address that the server does not have, or that [Networking] filters out: ';
const REFUSED =
  'must be one IP address, or one of each family, separated by a comma; levelset changes no address';

// prettier-ignore
const FRAMEWORK: readonly Row[] = [
  ['2.4: without a Hostname of the cloud the Node keeps its own, and nothing else', { existing: ['Hostname web-1', 'InternalIP 10.9.9.9', 'InternalDNS web-1.local'] }, [NIC, 'Hostname web-1']],
  ['2.4: and else not', { server: { metadata: { hostname: 'web-2' } }, existing: ['Hostname web-1'] }, [NIC, 'Hostname web-2']],
  ['2.4: the provided IP is the only one of its type', { ...reached, existing: ['Hostname web-1'], providedNodeIPs: '10.1.0.5' }, [ONE, OUTSIDE, 'Hostname web-1']],
  ['2.4: a provided one that is external leaves all the internal ones', { ...reached, providedNodeIPs: '198.51.100.7' }, [OUTSIDE, NIC, ONE]],
  ['2.4: of both types, of which none is left', { ...two, server: { ...two.server, accessIPv4: '10.0.0.5', accessIPv6: '2001:db8::1' }, providedNodeIPs: '10.0.0.5' }, [NIC, 'ExternalIP 10.0.0.5']],
  ['2.4: a pair comes in its own order, however IPv6 is spelled', { ports: [port('a', '10.0.0.5', V6)], providedNodeIPs: 'FD00:10:0::5,10.0.0.5' }, [`InternalIP ${V6}`, NIC]],
  ['2.4: it comes before the sort order', { ...reached, providedNodeIPs: '10.0.0.5', options: { addressSortOrder: ['198.51.100.0/24'] } }, [NIC, OUTSIDE]],
  ...['10.9.9.9', '0.0.0.0', V6, '10.0.0.5,fd00:10::6'].map((ips): Row => (
    [`2.4; decision 104: ${ips}, which the cloud does not know, changes nothing`, { ...two, providedNodeIPs: ips, existing: ['InternalIP 10.9.9.9'] },
      [], [`${PROVIDED} ${ips} ${UNKNOWN}${ips.replace('10.0.0.5,', '')}; levelset changes no address`]])),
  ...['', 'web-1', '10.0.0.5,10.1.0.5', '10.0.0.5,', '10.0.0.5, fd00:10::5', '10.0.0.5,fd00:10::5,10.1.0.5', '010.0.0.5'].map((ips): Row => (
    [`2.4: ${JSON.stringify(ips)} as provided IP is refused`, { ...two, providedNodeIPs: ips }, [], [`${PROVIDED} ${ips} ${REFUSED}`]])),
  ['2.4: a provided IP of a network that gives no InternalIP is not known (recorded: rec-two)', { ...two, providedNodeIPs: '10.1.0.5', options: { internalNetworkName: ['private'] } }, [], [PROVIDED]],
  ['2.4: and neither if the cloud knows nothing at all', { ...NOTHING, providedNodeIPs: '10.0.0.5', existing: [NIC, 'Hostname web-1'] }, [], [PROVIDED]],
  ['2.4: nothing from the cloud changes nothing', { ...NOTHING, existing: [NIC, 'Hostname web-1'] }, [], ['status.addresses  its server has no address that [Networking] lets through; the Node keeps its addresses']],
];

const STAYS = 'stays: the server has no InternalIP that [Networking] lets through, and a Node needs one';
const DOUBT =
  'Nova lists no address of its server, although Neutron has ports with addresses; the Node keeps its addresses';

// prettier-ignore
const DOUBTFUL: readonly Row[] = [
  ['decision 104: a port that is DOWN keeps the place that Nova gives its address', { ...two, ports: [down(nic), port('b', '10.1.0.5')] }, [NIC, ONE]],
  ['decision 104: and the address that the Node has, as what it has it', { ports: [nic, down(port('b', '10.1.0.5')), down(port('c', '10.2.0.5'))], existing: [ONE, 'ExternalIP 10.2.0.5'] }, [NIC, ONE, 'ExternalIP 10.2.0.5']],
  ['decision 104: but not as what it had it before it was read again',
    { ports: [nic, down(port('b', '10.1.0.5')), port('c', '10.2.0.5')], server: two.server, existing: ['ExternalIP 10.1.0.5', 'ExternalIP 10.2.0.5', 'Hostname 10.0.0.5'] },
    [NIC, ONE, 'InternalIP 10.2.0.5', 'Hostname 10.0.0.5']],
  ['6.5, 1: but brings no new one', { ports: [nic, down(port('b', '10.1.0.5'))] }, [NIC]],
  ['decision 104: an address whose port is gone goes', { existing: [NIC, ONE, 'ExternalIP 203.0.113.9'] }, [NIC]],
  ['decision 104: the last InternalIP stays while there is no other one',
    { ports: [], server: inPrivate(floating('203.0.113.9')), existing: [NIC, 'InternalIP fd00:10::5', 'ExternalIP 203.0.113.8'] },
    [NIC, 'InternalIP fd00:10::5', 'ExternalIP 203.0.113.9'], [`status.addresses 10.0.0.5,fd00:10::5 ${STAYS}`]],
  ['decision 104: also where internal-network-name has a typing error', { server: ACCESS, existing: [NIC], options: { internalNetworkName: ['privat'] } }, [NIC, OUTSIDE], [`status.addresses 10.0.0.5 ${STAYS}`]],
  ['decision 104: what is an ExternalIP now is not kept as an internal one', { existing: [NIC], options: { publicNetworkName: ['private'] } }, ['ExternalIP 10.0.0.5']],
  ['decision 104: what is a Hostname as well is kept', { ...UNLISTED, existing: [NIC, 'Hostname 10.0.0.5'] }, [NIC, OUTSIDE, 'Hostname 10.0.0.5'], ['status.addresses']],
  ['decision 104: no InternalIP of a kubelet makes up for one that the cloud does not know', { ...UNLISTED, existing: [NIC], providedNodeIPs: '10.0.0.5' }, [], [PROVIDED]],
  ['decision 104: where Nova lists nothing and Neutron has ports, nothing changes',
    { ports: two.ports, server: { ...ACCESS, addresses: { private: [], x: null } }, existing: [NIC, 'ExternalIP 203.0.113.9'] }, [], [`status.addresses  ${DOUBT}`]],
  ['decision 104: also for a Node that has a name alone', { server: { addresses: null }, existing: ['InternalDNS web-1'] }, [], [DOUBT]],
  ['decision 104: where Nova lists only some networks, what it does not list stays what it was',
    { ports: [port('a', '192.0.2.5'), port('b', '10.0.0.5')], existing: [NIC, 'ExternalIP 192.0.2.5'], options: { publicNetworkName: ['public'] } }, [NIC, 'ExternalIP 192.0.2.5']],
  ['decision 104: and what was left out stays left out', { ports: [port('a', '10.9.0.5'), port('b', '10.0.0.5')], existing: [NIC, 'Hostname web-1'], options: { internalNetworkName: ['private'] } }, [NIC, 'Hostname web-1']],
  ['decision 104: where nothing but the Hostname would be left, ports count at once, not only in the next look',
    { ports: [port('a', '10.9.0.5')], server: { metadata: { hostname: 'web-1' } }, existing: ['ExternalIP 203.0.113.9', 'Hostname web-1'], options: { internalNetworkName: ['extra'] } }, ['InternalIP 10.9.0.5', 'Hostname web-1']],
  ['6.5, 1: where no network is named all are internal, listed or not', { ports: [port('a', '10.9.0.5'), port('b', '10.0.0.5')], existing: [NIC, 'Hostname web-1'] }, ['InternalIP 10.9.0.5', NIC, 'Hostname web-1']],
  ['6.5, 1: but a Node that has none yet gets those of the ports', { ports: two.ports, server: { addresses: null }, existing: ['Hostname web-1'] }, [NIC, ONE, 'Hostname web-1']],
];

describe.each([
  ['the order of OCCM', ORDER],
  ['address-sort-order', SORTED],
  ['what Kubernetes does with them', FRAMEWORK],
  ['doubtful reads', DOUBTFUL],
])('%s', (_, rows) => {
  test.each(rows)('%s', (_what, { server, existing = [], options, ...given }, addresses, says = []) => {
    const found = nodeAddresses({
      ...{ ports: [nic], ...given, server: { id: 's', addresses: ofNic, ...server } },
      existing: existing.map(addressOf),
      options: {
        ...{ publicNetworkName: [], internalNetworkName: [], ipv6SupportDisabled: false },
        ...{ addressSortOrder: [], ...options },
      },
    });
    expect(found.addresses.map(({ type, address }) => `${type} ${address}`)).toEqual(addresses);
    expect(found.problems.map(({ field, value, message }) => `${field} ${value} ${message}`)).toEqual(
      says.map((text) => expect.stringContaining(text) as string),
    );
  });
});
