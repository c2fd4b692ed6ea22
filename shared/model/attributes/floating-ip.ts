import type { Ref } from '../address.ts';
import { OCCM } from '../annotation-prefixes.ts';
import { uuid } from '../text/parsers.ts';
import { attr } from './attribute-row.ts';

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
