import type { Ref } from '../address.ts';
import type { AddressPair, Route } from '../network/routes.ts';
import { attr } from './attribute-row.ts';
import { OCCM } from '../annotation-prefixes.ts';
import { uuid } from '../text/parsers.ts';

// prettier-ignore
export const FLOATING_IP = {
  floating_network_id: attr({ change: 'refuse' }, {
    topic: 'addresses', names: [`${OCCM}floating-network-id`], parse: uuid, option: 'floatingNetworkId', refers: 'network', orNone: true, unreadable: 'blocks', example: 'EXTERNAL_NETWORK_ID',
    doc: 'External network of the floating IP; else the only one there is. Without a valid one no floating IP is made, since it could not move.' }),
  subnet_id: attr({ change: 'at-create' }, {
    topic: 'addresses', names: [`${OCCM}floating-subnet-id`], parse: uuid, option: 'floatingSubnetId', refers: 'subnet', orNone: true, unreadable: 'blocks', example: 'EXTERNAL_SUBNET_ID',
    doc: 'Subnet that gives the floating IP; new ones only.' }),
  floating_ip_address: attr<string>({ change: 'refuse' }),
  port_id: attr<string | Ref | null>({ change: 'in-place' }),
  /** The IP address of the port for which the floating IP is, if the port has several IPv4 addresses. */
  fixed_ip_address: attr<string | Ref>({ change: 'in-place' }),
  description: attr<string>({ change: 'at-create' }),
  tags: attr<readonly string[]>({ change: 'in-place', compare: 'tags' }),
};

/** Made for one Service, and put on the ports of the Nodes. */
export const SECURITY_GROUP = {
  name: attr<string>({ change: 'at-create' }),
  description: attr<string>({ change: 'at-create' }),
  tags: attr<readonly string[]>({ change: 'in-place', compare: 'tags' }),
};

/** Neutron changes no rule: another rule has another plan address (model/network/openings.ts). */
export const SECURITY_GROUP_RULE = {
  direction: attr<'ingress'>({ change: 'at-create' }),
  ethertype: attr<'IPv4' | 'IPv6'>({ change: 'at-create' }),
  protocol: attr<string>({ change: 'at-create' }),
  port_range_min: attr<number>({ change: 'at-create' }),
  port_range_max: attr<number>({ change: 'at-create' }),
  remote_ip_prefix: attr<string>({ change: 'at-create' }),
  security_group_id: attr<Ref>({ change: 'at-create' }),
};

/** A port of a Node: levelset changes only its own group and address pairs there. */
export const PORT = {
  security_groups: attr<readonly (string | Ref)[]>({ change: 'in-place', compare: 'set' }),
  allowed_address_pairs: attr<readonly AddressPair[]>({ change: 'in-place' }),
};

/** Others make routers; only our own routes are added and removed. */
export const ROUTER = {
  routes: attr<readonly Route[]>({ change: 'in-place' }),
};
