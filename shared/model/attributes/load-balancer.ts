import { OCCM, own } from '../annotation-prefixes.ts';
import { list, uuid, word } from '../text/parsers.ts';
import { attr } from './attribute-row.ts';

/** A further VIP: an IP address of the VIP port in another subnet. */
export interface AdditionalVip {
  readonly subnet_id: string;
  readonly ip_address?: string;
}

// prettier-ignore
export const LOAD_BALANCER = {
  name: attr<string>({ change: 'at-create' }),
  description: attr<string>({ change: 'in-place', compare: 'asked-text' }),
  provider: attr<string>({ change: 'at-create' }),
  admin_state_up: attr<boolean>({ change: 'in-place' }),
  vip_subnet_id: attr({ change: 'refuse' }, {
    topic: 'addresses', names: [`${OCCM}subnet-id`], parse: uuid, option: 'subnetId', refers: 'subnet', orNone: true, unreadable: 'blocks', example: 'SUBNET_ID',
    doc: 'Subnet of the VIP.' }),
  vip_network_id: attr({ change: 'refuse' }, {
    topic: 'addresses', names: [`${OCCM}network-id`], parse: uuid, option: 'networkId', refers: 'network', orNone: true, unreadable: 'blocks', example: 'NETWORK_ID',
    doc: 'Network of the VIP.' }),
  vip_address: attr<string>({ change: 'refuse' }),
  vip_port_id: attr({ change: 'refuse' }, {
    topic: 'addresses', names: [`${OCCM}port-id`], parse: uuid, refers: 'port', orNone: true, unreadable: 'blocks', example: 'PORT_ID',
    doc: 'Neutron port that is the VIP, in place of subnet and network.' }),
  additional_vips: attr<readonly AdditionalVip[]>({ change: 'refuse', compare: 'vips' }),
  vip_qos_policy_id: attr({ change: 'in-place', unset: null }, {
    topic: 'addresses', names: [own('vip-qos-policy-id')], parse: uuid, refers: 'qos_policy', unreadable: 'blocks', example: 'QOS_POLICY_ID',
    doc: 'Neutron QoS policy of the VIP port.' }),
  vip_sg_ids: attr({ change: 'in-place', compare: 'set', unset: [], capability: { since: 29, notOvn: true, guards: true } }, {
    topic: 'addresses', names: [own('vip-sg-ids')], parse: list(uuid), list: true, refers: 'securitygroup', unreadable: 'blocks', example: 'SECURITY_GROUP_ID',
    doc: 'Security groups on the VIP port that say who may connect, in place of what Octavia opens for each listener; source ranges cannot be combined with them.' }),
  flavor_id: attr({ change: 'refuse', capability: { since: 6, notOvn: true } }, {
    topic: 'load-balancer', names: [`${OCCM}flavor-id`], parse: uuid, option: 'flavorId', refers: 'flavor', orNone: true, unreadable: 'blocks', example: 'FLAVOR_ID',
    doc: 'Octavia flavor. levelset names one that is not offered, or that changes later; OCCM is silent.' }),
  availability_zone: attr({ change: 'refuse', capability: { since: 14, notOvn: true } }, {
    topic: 'load-balancer', names: [`${OCCM}availability-zone`], parse: word, option: 'availabilityZone', refers: 'availability_zone', orNone: true, unreadable: 'blocks', example: 'az1',
    doc: 'Octavia availability zone, by name.' }),
  tags: attr<readonly string[]>({ change: 'in-place', compare: 'tags' }),
};
