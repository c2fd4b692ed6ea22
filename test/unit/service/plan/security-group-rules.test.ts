import { expect, test } from 'vitest';
import type { DesiredResource, ObservedResource } from '../../../../shared/model/resources.ts';
import { rulesOfStaying } from '../../../../shared/service/plan/plan-security-group.ts';
import { OTHER_SUBNET, SUBNET } from '../../../support/cloud-contents.ts';

test('members that stay in another subnet are let in from there, by the ingress rules there are', () => {
  const member = 'member/tcp/80/10.0.0.1';
  const rule: DesiredResource<'securitygrouprule'> = {
    kind: 'securitygrouprule',
    address: 'securitygrouprule/tcp/30080/10.0.0.0/24',
    attributes: {
      ...{ direction: 'ingress', ethertype: 'IPv4', protocol: 'tcp' },
      ...{ port_range_min: 30_080, port_range_max: 30_080, remote_ip_prefix: '10.0.0.0/24' },
      security_group_id: { $ref: 'securitygroup.id' },
    },
  };
  const observedRule = (remote_ip_prefix: string | null, direction = 'ingress'): ObservedResource => ({
    ...{
      kind: 'securitygrouprule',
      address: `rule/${direction}/${remote_ip_prefix}`,
      id: 'r',
      whose: 'ours',
    },
    wire: { id: 'r', direction, remote_ip_prefix },
  });
  const lb: ObservedResource = {
    kind: 'loadbalancer',
    address: 'lb',
    id: 'l',
    whose: 'ours',
    wire: { id: 'l' },
  };
  const there: ObservedResource = {
    ...{ kind: 'member', address: member, id: 'm', whose: 'ours' },
    wire: { id: 'm', subnet_id: OTHER_SUBNET },
  };
  const observed = [
    ...[lb, there, observedRule('10.0.0.0/24'), observedRule('10.9.0.0/24'), observedRule('10.9.0.0/24')],
    ...[observedRule('10.8.0.0/24', 'egress'), observedRule('0.0.0.0/0'), observedRule(null)],
    observedRule('fd00:9::/64'),
  ];
  const desired: DesiredResource = {
    ...{ kind: 'member', address: member, unasked: ['subnet_id'] },
    attributes: { subnet_id: SUBNET },
  };
  const sides = {
    ...{ desired: [desired, rule], observed },
    there: new Map(observed.map((one) => [one.address, one])),
  };
  expect(rulesOfStaying([rule], sides).map(({ address }) => address)).toEqual([
    'securitygrouprule/tcp/30080/10.9.0.0/24',
  ]);
});
