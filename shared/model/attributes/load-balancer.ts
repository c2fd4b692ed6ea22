import { OCCM, own } from '../annotation-prefixes.ts';
import { list, uuid, word } from '../text/parsers.ts';
import { attr } from './attribute-row.ts';
import type { Ref } from '../address.ts';

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
    doc: 'Subnet of the VIP. Cannot change later.' }),
  vip_network_id: attr({ change: 'refuse' }, {
    topic: 'addresses', names: [`${OCCM}network-id`], parse: uuid, option: 'networkId', refers: 'network', orNone: true, unreadable: 'blocks', example: 'NETWORK_ID',
    doc: 'Network of the VIP. Cannot change later.' }),
  vip_address: attr<string>({ change: 'refuse' }),
  vip_port_id: attr({ change: 'refuse' }, {
    topic: 'addresses', names: [`${OCCM}port-id`], parse: uuid, refers: 'port', orNone: true, unreadable: 'blocks', example: 'PORT_ID',
    doc: 'Neutron port that is the VIP, in place of subnet and network. Cannot change later.' }),
  additional_vips: attr<readonly AdditionalVip[]>({ change: 'refuse', compare: 'vips' }),
  vip_qos_policy_id: attr({ change: 'in-place', unset: null }, {
    topic: 'addresses', names: [own('vip-qos-policy-id')], parse: uuid, refers: 'qos_policy', unreadable: 'blocks', example: 'QOS_POLICY_ID',
    doc: 'Neutron QoS policy of the VIP port.' }),
  vip_sg_ids: attr({ change: 'in-place', compare: 'set', unset: [], capability: { since: 29, notOvn: true, guards: true } }, {
    topic: 'addresses', names: [own('vip-sg-ids')], parse: list(uuid), list: true, refers: 'securitygroup', unreadable: 'blocks', example: 'SECURITY_GROUP_ID',
    doc: 'Security groups on the VIP port that say who may connect, in place of what Octavia opens for each listener; source ranges cannot be combined with them.' }),
  flavor_id: attr({ change: 'refuse', capability: { since: 6, notOvn: true } }, {
    topic: 'load-balancer', names: [`${OCCM}flavor-id`], parse: uuid, option: 'flavorId', refers: 'flavor', orNone: true, unreadable: 'blocks', example: 'FLAVOR_ID',
    doc: 'Octavia flavor. Cannot change later. levelset names one that is not offered, or that changes later; OCCM is silent.' }),
  availability_zone: attr({ change: 'refuse', capability: { since: 14, notOvn: true } }, {
    topic: 'load-balancer', names: [`${OCCM}availability-zone`], parse: word, option: 'availabilityZone', refers: 'availability_zone', orNone: true, unreadable: 'blocks', example: 'az1',
    doc: 'Octavia availability zone, by name. Cannot change later.' }),
  tags: attr<readonly string[]>({ change: 'in-place', compare: 'tags' }),
};

/** A policy that redirects to another scheme and host; path and query stay (Octavia API, L7 policies). */
// prettier-ignore
export const L7_POLICY = {
  name: attr<string>({ change: 'at-create' }),
  action: attr<'REDIRECT_PREFIX'>({ change: 'in-place' }),
  redirect_prefix: attr<string>({ change: 'in-place' }),
  redirect_http_code: attr<number>({ change: 'in-place', capability: { since: 9 } }),
  position: attr<number>({ change: 'at-create' }),
  admin_state_up: attr<boolean>({ change: 'in-place' }),
  listener_id: attr<string | Ref>({ change: 'at-create' }),
  tags: attr<readonly string[]>({ change: 'at-create' }),
};

/** A condition on requests for which an L7 policy applies. */
// prettier-ignore
export const L7_RULE = {
  type: attr<'PATH'>({ change: 'in-place' }),
  compare_type: attr<'STARTS_WITH'>({ change: 'in-place' }),
  value: attr<string>({ change: 'in-place' }),
  admin_state_up: attr<boolean>({ change: 'in-place' }),
};

// prettier-ignore
export const MEMBER = {
  name: attr<string>({ change: 'at-create' }),
  address: attr<string>({ change: 'recreate' }),
  protocol_port: attr<number>({ change: 'recreate' }),
  subnet_id: attr<string>({ change: 'new-pool' }),
  monitor_port: attr<number | null>({ change: 'in-place', capability: [
    { at: 'udp', since: 16, instead: null, implied: true },
    { notOvn: true, instead: null, implied: true },
  ] }),
  /** Share of the new connections, 0 to 256. */
  weight: attr<number>({ change: 'in-place', unset: 1 }),
  /** Whether the member gets traffic only while all members that are no backups are down. */
  backup: attr<boolean>({ change: 'in-place', capability: { values: [true], since: 1, notOvn: true, instead: false, implied: true } }),
  admin_state_up: attr<boolean>({ change: 'in-place' }),
  tags: attr<readonly string[]>({ change: 'in-place', compare: 'set-record' }),
};
