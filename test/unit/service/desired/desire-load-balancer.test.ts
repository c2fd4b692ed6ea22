import { expect, test } from 'vitest';
import { desireVips } from '../../../../shared/service/desired/desire-load-balancer.ts';
import { familyProblems } from '../../../../shared/service/desired/what-this-cloud-can-do.ts';
import { readIntent, type ServiceIntent } from '../../../../shared/service/intent/service-intent.ts';
import { aConfig } from '../../../support/config.ts';
import { aStoredService } from '../../../support/service.ts';

type NetworkFacts = Parameters<typeof familyProblems>[1];
type Subnet = NonNullable<NetworkFacts['vipSubnet']>;
const FOUR: Subnet = { id: 'four', cidr: '10.0.0.0/24', network_id: 'n' };
const SIX: Subnet = { id: 'six', cidr: 'fd00:10::/64', network_id: 'n' };
const STRAY: Subnet = { ...SIX, id: 'stray', network_id: 'other' };
const ID = '4b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d';
const [ZED, OLD] = [26, 25].map((minor) => ({ major: 2, minor })) as [Octavia, Octavia];
type Octavia = Parameters<typeof familyProblems>[2];

const facts = (
  [vipSubnet, ...additionalSubnets]: readonly Subnet[],
  more: Partial<NetworkFacts> = {},
): NetworkFacts => ({
  ...(vipSubnet ? { vipSubnet } : {}),
  ...{ additionalSubnets, floatingNetworks: [], missing: [] },
  ...more,
});
const INTERNAL = { 'service.beta.kubernetes.io/openstack-internal-load-balancer': 'true' };
const intent = (
  ipFamilies: readonly string[],
  spec: object = {},
  annotations: Record<string, string> = INTERNAL,
) => readIntent(aStoredService({ annotations, spec: { ipFamilies, ...spec } }), aConfig());
const ofIP = (family: string, loadBalancerIP: string) => intent([family], { loadBalancerIP });
const BOTH = ['IPv4', 'IPv6'];
const four = intent(['IPv4'], {}, {});
const six = intent(['IPv6'], {}, {});

// prettier-ignore
test.each<[string, ServiceIntent, Subnet, attributes: object, wrong?: string]>([
  ['is the VIP as OpenStack spells it', ofIP('IPv6', 'FD00:10:0::07'), SIX, { vip_subnet_id: 'six', vip_address: 'fd00:10::7' }],
  ['is none beside a port that is named, which comes with the subnet that counts', intent(['IPv4'], {}, { 'loadbalancer.openstack.org/port-id': ID }), FOUR, { vip_port_id: ID, vip_subnet_id: 'four' }],
  ['must be an IP address', ofIP('IPv4', 'web.example.org'), FOUR, { vip_subnet_id: 'four' }, 'web.example.org'],
  ['must be of a family of the Service', ofIP('IPv4', 'fd00:10::7'), FOUR, { vip_subnet_id: 'four' }, 'fd00:10::7'],
])('spec.loadBalancerIP %s', (words, asked, subnet, attributes, value) => {
  const found = desireVips(asked, facts([subnet]), ZED);
  expect(found.attributes).toEqual(attributes);
  const message = expect.stringContaining(words) as string;
  const wrong = { field: 'spec.loadBalancerIP', value, blocking: true, message };
  expect(found.problems).toMatchObject(value === undefined ? [] : [wrong]);
});

const NONE = { noVipSubnet: { family: 6, network_id: 'n', candidates: [] } } as const;
const ADDITIONAL = { 'levelset.openstack.org/additional-vip-subnet-ids': ID };
const FLOATING = { 'loadbalancer.openstack.org/floating-subnet': 'public' };
const required = intent(BOTH, { ipFamilyPolicy: 'RequireDualStack' }, {});
const additional = intent(['IPv4'], {}, ADDITIONAL);
const NO_SUBNET = 'spec.ipFamilyPolicy has no IPv6 address: the network n has no IPv6 subnet';
const NO_VIPS = /^spec\.ipFamilyPolicy has no IPv6 address: .*needs Octavia API 2\.26/;
const VIP = { vips: ['10.0.0.7'] };
const TWO_VIPS = { vips: ['10.0.0.7', 'fd00:10::7'] };

/** Where the load balancer is shared, `joins`; `! ` stops the unit. */
// prettier-ignore
test.each<[string, ServiceIntent, NetworkFacts, RegExp | string | undefined, Octavia?, joins?: boolean]>([
  ['a second family for want of a subnet stops what requires it', required, facts([FOUR], NONE), new RegExp(`^! ${NO_SUBNET}.*; the Service is blocked$`)],
  ['and to what serves already', required, facts([FOUR], { ...NONE, ...VIP }), /^spec.*; the Service is served by IPv4 only$/],
  ['where Octavia chooses the subnet the first family is served', intent(BOTH, {}, {}), facts([]), 'spec.ipFamilyPolicy has no IPv6 address: there is no subnet for it; the Service is served by IPv4 only'],
  ['for want of additional VIPs it stops what requires it', required, facts([FOUR, SIX]), new RegExp(`${NO_VIPS.source.replace('^', '^! ')}.*; the Service is blocked$`), OLD],
  ['and to what serves there', required, facts([FOUR, SIX], VIP), /^spec.*; the Service is served by IPv4 only$/, OLD],
  ['but is told to one that only joins, whose plan does not have the load balancer', required, facts([FOUR, SIX], VIP), /which is shared, has none/, ZED, true],
  ['a load balancer with no address of the Service is left alone', six, facts([FOUR], VIP), '! spec.ipFamilies is not what the load balancer has, which is IPv4 and cannot change; the Service is blocked'],
  ['so is a network without a subnet of its family', six, facts([FOUR], NONE), '! spec.ipFamilies has no VIP: the network n has no IPv6 subnet; the Service is blocked'],
  ['a VIP subnet of another network stops the unit before anything is made', additional, facts([FOUR, STRAY]), /^! .*all VIPs are of one network/],
  ['and not afterwards', additional, facts([FOUR, STRAY], VIP), undefined],
  ['one that joins is not', four, facts([FOUR], TWO_VIPS), undefined, ZED, true],
  ['nor one that asks for more VIPs', additional, facts([FOUR], TWO_VIPS), undefined],
  ['a floating IP for IPv6 is named where somebody asks for it', intent(['IPv6'], {}, FLOATING), facts([SIX]), /there are no floating IPs of IPv6/],
  ['and not where nobody does', six, facts([SIX]), undefined],
])('%s', (_, asked, seen, says, octavia = ZED, joins = false) => {
  const told = familyProblems(asked, seen, octavia, joins).map(
    ({ blocking, field, message }) => `${blocking ? '! ' : ''}${field} ${message}`,
  );
  const expected: unknown = says instanceof RegExp ? expect.stringMatching(says) : says;
  expect(told).toEqual(says === undefined ? [] : [expected]);
});
