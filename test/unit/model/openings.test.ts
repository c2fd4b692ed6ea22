import { expect, test } from 'vitest';
import { openingAddress, rulesOf } from '../../../shared/model/network/openings.ts';

const plain = {
  ...{ id: '1', direction: 'ingress', ethertype: 'IPv4', protocol: 'tcp', remote_group_id: null },
  ...{ port_range_min: 80, port_range_max: 80, remote_ip_prefix: '10.0.0.0/24' },
};

// prettier-ignore
test.each([
  ['as we write it', {}, 'tcp/80/10.0.0.0/24'],
  ['with its protocol in another case', { protocol: 'TCP' }, 'tcp/80/10.0.0.0/24'],
  ['with its protocol by number', { protocol: '17' }, 'udp/80/10.0.0.0/24'],
  ['with bits of a host', { remote_ip_prefix: '10.0.0.7/24', normalized_cidr: '10.0.0.0/24' }, 'tcp/80/10.0.0.0/24'],
  ['for everybody', { remote_ip_prefix: null }, 'tcp/80/0.0.0.0/0'],
  ['for everybody by IPv6', { remote_ip_prefix: null, ethertype: 'IPv6' }, 'tcp/80/::/0'],
  ['for a group', { remote_ip_prefix: null, remote_group_id: 'g' }, 'tcp/80/group:g'],
  ['for several ports', { port_range_max: 90 }, 'tcp/80-90/10.0.0.0/24'],
  ['for every protocol', { protocol: null, port_range_min: null, port_range_max: null }, 'any/any/10.0.0.0/24'],
  ['going out', { direction: 'egress' }, 'egress/tcp/80/10.0.0.0/24'],
])('a rule %s is known by what it opens', (_, differs, address) => {
  const rules = rulesOf({ id: 'g', security_group_rules: [{ ...plain, ...differs }] });
  expect([...rules.keys()]).toEqual([`securitygrouprule/${address}`]);
});

test('a rule that we want has the address of one that is there', () => {
  const [address] = rulesOf({ id: 'g', security_group_rules: [plain] }).keys();
  expect(openingAddress({ protocol: 'tcp', port: 80, cidr: '10.0.0.0/24' })).toBe(address);
});

test('two rules that open the same are two', () => {
  const again = { ...plain, id: '2', protocol: '6' };
  expect([...rulesOf({ id: 'g', security_group_rules: [plain, again] }).keys()]).toEqual([
    'securitygrouprule/tcp/80/10.0.0.0/24',
    'securitygrouprule/tcp/80/10.0.0.0/24/2',
  ]);
});
