import { describe, expect, test } from 'vitest';
import { desireVips } from '../../../../shared/service/desired/desire-load-balancer.ts';
import { servedFamilies } from '../../../../shared/model/network/network-facts.ts';
import { readIntent } from '../../../../shared/service/intent/service-intent.ts';
import type { NetworkFacts, Subnet } from '../../../../shared/model/network/network-facts.ts';
import { aConfig } from '../../../support/config.ts';
import { aStoredService } from '../../../support/service.ts';

const FOUR: Subnet = { id: 'four', cidr: '10.0.0.0/24', network_id: 'n' };
const SIX: Subnet = { id: 'six', cidr: 'fd00:10::/64', network_id: 'n' };
const SLAAC: Subnet = { ...SIX, slaac: true };
const facts = (...[vipSubnet, ...additionalSubnets]: readonly Subnet[]): NetworkFacts => ({
  ...(vipSubnet ? { vipSubnet } : {}),
  additionalSubnets,
  floatingNetworks: [],
  missing: [],
});
const ZED = { minor: 26 };
const INTERNAL = { 'service.beta.kubernetes.io/openstack-internal-load-balancer': 'true' };

const intent = (
  ipFamilies: readonly string[],
  loadBalancerIP = '',
  annotations: Record<string, string> = INTERNAL,
) => readIntent(aStoredService({ annotations, spec: { ipFamilies, loadBalancerIP } }), aConfig());

describe('spec.loadBalancerIP', () => {
  // prettier-ignore
  test.each<[string, readonly string[], string, readonly Subnet[], object]>([
    ['is the VIP', ['IPv4'], '10.0.0.7', [FOUR], { vip_subnet_id: 'four', vip_address: '10.0.0.7' }],
    ['is the VIP as OpenStack spells it', ['IPv6'], 'FD00:10:0::07', [SIX], { vip_subnet_id: 'six', vip_address: 'fd00:10::7' }],
    ['is the additional VIP of its family', ['IPv4', 'IPv6'], 'fd00:10::7', [FOUR, SIX], { vip_subnet_id: 'four', additional_vips: [{ subnet_id: 'six', ip_address: 'fd00:10::7' }] }],
    ['leaves the other one to Neutron', ['IPv4', 'IPv6'], '10.0.0.7', [FOUR, SIX], { vip_subnet_id: 'four', vip_address: '10.0.0.7', additional_vips: [{ subnet_id: 'six' }] }],
  ])('%s', (_, families, ip, subnets, attributes) => {
    expect(desireVips(intent(families, ip), facts(...subnets), ZED)).toEqual({ attributes, problems: [] });
  });

  test('is the floating IP of an external Service of IPv4', () => {
    const { attributes } = desireVips(intent(['IPv4'], '203.0.113.7', {}), facts(FOUR), ZED);
    expect(attributes).toEqual({ vip_subnet_id: 'four' });
  });

  test.each<[string, readonly string[], string, readonly Subnet[]]>([
    ['must be an IP address', ['IPv4'], 'web.example.org', [FOUR]],
    ['must be of a family of the Service', ['IPv4'], 'fd00:10::7', [FOUR]],
    ['cannot be requested', ['IPv6'], 'fd00:10::7', [SLAAC]],
  ])('%s', (text, families, ip, subnets) => {
    const { attributes, problems } = desireVips(intent(families, ip), facts(...subnets), ZED);
    expect(problems).toEqual([
      expect.objectContaining({ field: 'spec.loadBalancerIP', value: ip, blocking: true }),
    ]);
    expect(problems[0]?.message).toContain(text);
    expect(attributes).not.toHaveProperty('vip_address');
  });
});

test('a port that is named comes with the subnet that counts', () => {
  const annotations = { 'loadbalancer.openstack.org/port-id': '4b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d' };
  const { attributes } = desireVips(intent(['IPv4'], '', annotations), facts(FOUR), ZED);
  expect(attributes).toEqual({ vip_port_id: '4b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d', vip_subnet_id: 'four' });
});

describe('the families that are served', () => {
  const both = intent(['IPv4', 'IPv6']);
  test.each<[string, NetworkFacts, { readonly minor: number }, readonly number[]]>([
    ['are those of the subnets', facts(FOUR, SIX), ZED, [4, 6]],
    ['are one before additional VIPs', facts(FOUR, SIX), { minor: 25 }, [4]],
    ['are those of a load balancer that is there', { ...facts(FOUR, SIX), vips: ['10.0.0.7'] }, ZED, [4]],
    ['are the first where Octavia chooses the subnet', facts(), ZED, [4]],
  ])('%s', (_, seen, octavia, families) => {
    expect(servedFamilies(both, seen, octavia)).toEqual(families);
  });
});
