import { describe, expect, test } from 'vitest';
import { familyProblems } from '../../../../shared/service/desired/network-problems.ts';
import { readIntent } from '../../../../shared/service/intent/service-intent.ts';
import type { NetworkFacts, Subnet } from '../../../../shared/model/network/network-facts.ts';
import { aConfig } from '../../../support/config.ts';
import { aStoredService } from '../../../support/service.ts';

const FOUR: Subnet = { id: 'four', cidr: '10.0.0.0/24', network_id: 'n' };
const SIX: Subnet = { id: 'six', cidr: 'fd00:10::/64', network_id: 'n' };
const STRAY: Subnet = { ...SIX, id: 'stray', network_id: 'other' };
const ZED = { major: 2, minor: 26 };
const OLD = { major: 2, minor: 25 };
const facts = (vipSubnet: Subnet, more: Partial<NetworkFacts> = {}): NetworkFacts => ({
  vipSubnet,
  additionalSubnets: [],
  floatingNetworks: [],
  missing: [],
  ...more,
});
const intent = (ipFamilies: readonly string[], ipFamilyPolicy = 'SingleStack', annotations = {}) =>
  readIntent(aStoredService({ annotations, spec: { ipFamilies, ipFamilyPolicy } }), aConfig());
const BOTH = ['IPv4', 'IPv6'];
const NONE = { noVipSubnet: { family: 6, network_id: 'n', candidates: [] } } as const;
const ADDITIONAL = {
  'levelset.openstack.org/additional-vip-subnet-ids': '0b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d',
};

/** `! ` stops the unit. */
const told = (...asked: Parameters<typeof familyProblems>): readonly string[] =>
  familyProblems(...asked).map(
    ({ blocking, field, message }) => `${blocking ? '! ' : ''}${field} ${message}`,
  );

describe('a second family that cannot be had', () => {
  const require = intent(BOTH, 'RequireDualStack');
  test.each([
    ['for want of a subnet', facts(FOUR, NONE), ZED, 'the network n has no IPv6 subnet'],
    ['for want of additional VIPs', facts(FOUR, { additionalSubnets: [SIX] }), OLD, 'needs Octavia API 2.26'],
  ])('%s stops what requires it, and is told to what prefers it', (_, seen, octavia, why) => {
    const [required, ...more] = told(require, seen, octavia, false);
    expect(required).toMatch(/^! spec\.ipFamilyPolicy has no IPv6 address: .*; levelset changes nothing$/);
    expect([required, more]).toEqual([expect.stringContaining(why), []]);
    const preferred = told(intent(BOTH, 'PreferDualStack'), seen, octavia, false);
    expect(preferred).toEqual([expect.stringMatching(/^spec.*the Service is served by IPv4 only$/)]);
    // what serves is not held up
    const there = told(require, { ...seen, vips: ['10.0.0.7'] }, octavia, false);
    expect(there).toEqual([expect.stringMatching(/^spec.*the Service is served by IPv4 only$/)]);
  });

  test('although there is a subnet is for the plan to refuse', () => {
    const seen = facts(FOUR, { additionalSubnets: [SIX], vips: ['10.0.0.7'] });
    expect(told(require, seen, ZED, false)).toEqual([]);
    // and is told to one that only joins, whose plan does not have the load balancer
    expect(told(require, seen, ZED, true)).toEqual([expect.stringContaining('which is shared, has none')]);
  });
});

test('a load balancer with no address of the Service is left alone', () => {
  const six = intent(['IPv6']);
  expect(told(six, facts(FOUR, { vips: ['10.0.0.7'] }), ZED, false)).toEqual([
    '! spec.ipFamilies is not what the load balancer has, which is IPv4 and cannot change; levelset changes nothing',
  ]);
  expect(told(six, facts(FOUR, NONE), ZED, false)).toEqual([
    '! spec.ipFamilies has no VIP: the network n has no IPv6 subnet; levelset changes nothing',
  ]);
});

test('a VIP subnet of another network stops the unit before anything is made', () => {
  const asked = intent(['IPv4'], 'SingleStack', ADDITIONAL);
  const seen = facts(FOUR, { additionalSubnets: [STRAY] });
  expect(told(asked, seen, ZED, false)).toEqual([expect.stringMatching(/^! .*all VIPs are of one network/)]);
  expect(told(asked, { ...seen, vips: ['10.0.0.7'] }, ZED, false)).toEqual([]);
  expect(told(asked, facts(FOUR, { additionalSubnets: [SIX] }), OLD, false)).toEqual([
    expect.stringMatching(/additional-vip-subnet-ids needs Octavia API 2\.26/),
  ]);
});

test('only the owner of the load balancer names a VIP too many', () => {
  const seen = facts(FOUR, { vips: ['10.0.0.7', 'fd00:10::7'] });
  const four = intent(['IPv4']);
  expect(told(four, seen, ZED, false)).toEqual([
    expect.stringContaining('does not name the family of fd00:10::7'),
  ]);
  expect(told(four, seen, ZED, true)).toEqual([]);
  expect(told(intent(['IPv4'], 'SingleStack', ADDITIONAL), seen, ZED, false)).toEqual([]);
});

test('a floating IP for IPv6 is named only where somebody asks for it', () => {
  const seen = facts(SIX);
  const asked = { 'loadbalancer.openstack.org/floating-subnet': 'public' };
  expect(told(intent(['IPv6']), seen, ZED, false)).toEqual([]);
  expect(told(intent(['IPv6'], 'SingleStack', asked), seen, ZED, false)).toEqual([
    expect.stringContaining('there are no floating IPs of IPv6'),
  ]);
});
