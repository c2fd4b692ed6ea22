import type { Ref } from '../address.ts';
import type { AddressPair, Route } from '../network/routes.ts';
import { attr } from './attribute-row.ts';

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
