import { describe, expect, test } from 'vitest';
import {
  desireFloatingIP,
  desireFloatingSubnets,
} from '../../../../shared/service/desired/desire-floating-ip.ts';
import { networkQuestion } from '../../../../shared/service/question.ts';
import { readIntent } from '../../../../shared/service/intent/service-intent.ts';
import type { FloatingSubnet, NetworkFacts } from '../../../../shared/model/network/network-facts.ts';
import { aConfig } from '../../../support/config.ts';
import { aStoredService } from '../../../support/service.ts';

const OCCM = 'loadbalancer.openstack.org/';
const ID = '0b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d';
const subnet = (
  id: string,
  name: string,
  tags: readonly string[],
  network_id = 'public',
): FloatingSubnet => ({ id, name, network_id, tags });
const THERE = [subnet('1', 'public-1', ['paid']), subnet('2', 'public-2', []), subnet('3', 'old', ['paid'])];

function intent(asked: Readonly<Record<string, string>>, loadBalancerIP?: string) {
  const annotations = Object.fromEntries(Object.entries(asked).map(([name, text]) => [OCCM + name, text]));
  return readIntent(
    aStoredService({ annotations, spec: { loadBalancerIP } }),
    aConfig(undefined, { floatingSubnet: 'old' }),
  );
}

function choose(
  asked: Readonly<Record<string, string>>,
  there: readonly FloatingSubnet[] = THERE,
  loadBalancerIP?: string,
) {
  const facts = { floatingNetworks: ['public'], floatingSubnets: there, missing: [] };
  return desireFloatingSubnets(intent(asked, loadBalancerIP), 'public', facts);
}

describe('subnets for the floating IP', () => {
  // prettier-ignore
  test.each([
    ['of cloud.conf', {}, ['3']],
    ['by name', { 'floating-subnet': 'public-*' }, ['1', '2']],
    ['by tags, whatever cloud.conf says of names', { 'floating-subnet-tags': 'paid' }, ['1', '3']],
    ['by both', { 'floating-subnet': 'public-*', 'floating-subnet-tags': '!paid' }, ['2']],
    ['any, when that is asked', { 'floating-subnet': '*' }, ['1', '2', '3']],
    ['of cloud.conf where a chart renders nothing', { 'floating-subnet': '', 'floating-subnet-tags': ' ' }, ['3']],
    ['none, which Neutron chooses then', { 'floating-subnet-id': '' }, []],
    ['by id, which goes first', { 'floating-subnet-id': ID, 'floating-subnet': 'x' }, [ID]],
  ])('%s', (_, asked, subnets) => {
    expect(choose(asked)).toEqual({ subnets, problems: [] });
  });

  test('are for Neutron to find where an address is asked for', () => {
    expect(choose({ 'floating-subnet': 'public-*' }, THERE, '203.0.113.9')).toEqual({
      subnets: [],
      problems: [],
    });
  });

  test('are ten at most', () => {
    const many = Array.from({ length: 12 }, (_, at) => subnet(String(at), 'public', []));
    expect(choose({ 'floating-subnet': 'public' }, many).subnets).toHaveLength(10);
  });

  test('are none when none matches, and those that are there are named', () => {
    expect(choose({ 'floating-subnet': 'private', 'floating-subnet-tags': 'a' })).toEqual({
      problems: [
        {
          field: `${OCCM}floating-subnet`,
          value: 'private and tags a',
          message:
            'matches no IPv4 subnet of the external network public, which has public-1 #paid, public-2, old #paid; levelset makes no floating IP',
        },
      ],
    });
    expect(choose({ 'floating-subnet-tags': 'paid' }, []).problems).toMatchObject([
      { field: `${OCCM}floating-subnet-tags`, value: 'paid' },
    ]);
  });

  test('are none when the one that is named belongs to another network', () => {
    expect(choose({ 'floating-subnet-id': ID }, [subnet(ID, 'x', [], 'private')])).toEqual({
      problems: [
        {
          field: `${OCCM}floating-subnet-id`,
          value: ID,
          message:
            'is a subnet of network private, not of the external network public; levelset makes no floating IP',
        },
      ],
    });
  });
});

test.each([
  [{ 'floating-subnet': ' ' }, { choose_floating_subnet: true }],
  [{ 'floating-subnet-id': '' }, { choose_floating_subnet: false }],
  [{}, { choose_floating_subnet: true }],
  [{ 'floating-subnet-id': ID }, { choose_floating_subnet: false, floating_subnet_id: ID }],
])('%j has %j looked up', (asked, question) => {
  expect(networkQuestion(intent(asked))).toMatchObject(question);
});

describe('a floating IP that does not exist yet', () => {
  const four = (id: string) => ({ id, cidr: `10.0.${id}.0/24`, network_id: 'net' });
  const six = { id: '6', cidr: 'fd00:10::/64', network_id: 'net' };
  const several = [four('1'), four('2')];
  // prettier-ignore
  test.each<[string, Partial<NetworkFacts>, boolean]>([
    ['with one VIP', { vipSubnet: four('1') }, true],
    ['with one IPv4 VIP beside an IPv6 one', { vipSubnet: six, additionalSubnets: [four('1')] }, true],
    ['with an IPv4 VIP and more', { vipSubnet: four('1'), additionalSubnets: [four('2')] }, true],
    ['where Octavia chooses the subnet', { additionalSubnets: [four('2')] }, true],
    ['not while Octavia chooses among IPv4 VIPs', { vipSubnet: six, additionalSubnets: several }, false],
    ['once Octavia has chosen', { vips: ['fd00:10::7', '10.0.1.7', '10.0.2.7'], vipSubnet: six, additionalSubnets: several }, true],
  ])('is made %s', (_, network, made) => {
    const facts = { floatingNetworks: ['public'], missing: [], additionalSubnets: [], ...network };
    const { resources } = desireFloatingIP(intent({ 'floating-subnet-id': '' }), facts, {
      ...{ id: 'c', name: 'kubernetes' },
    });
    expect(resources.map(({ ifPresent = false }) => !ifPresent)).toEqual([made]);
  });
});
