/** Routes to the pods of Nodes on Neutron routers, and the address pairs on the ports of Nodes. */
import { cidrKey } from './cidr.ts';
import type { Address } from '../address.ts';
import type { NeutronPort } from '../node/nova.ts';

/** A route of a router (extension extraroute). Neutron keeps its spelling, and removes it only by that spelling. */
export interface Route {
  readonly destination: string;
  readonly nexthop: string;
}

/**
 * What a port lets through beside its own addresses (docs/sources/occm.md, "Routes of a router"). Without a MAC
 * address it is that of the port.
 */
export interface AddressPair {
  readonly ip_address: string;
  readonly mac_address?: string;
}

export interface WireRouter {
  readonly id: string;
  /** Absent if Neutron has no extension extraroute. */
  readonly routes?: readonly Route[];
  readonly updated_at?: string;
}

export interface RoutePort extends NeutronPort {
  readonly device_owner?: string;
  readonly mac_address?: string;
  /** Absent if Neutron has no extension allowed-address-pairs. Ports let everything through then. */
  readonly allowed_address_pairs?: readonly AddressPair[];
  readonly port_security_enabled?: boolean;
}

/** A route that levelset wrote, with the port that has the next hop and that got the address pair. */
export interface WrittenRoute extends Route {
  readonly port: string;
}

export type WrittenRoutes = readonly WrittenRoute[];

export type RouteRecords = ReadonlyMap<string, WrittenRoutes>;

/** Whether `there` has these records of these routers, with their routes in the same order. A router without routes equals no entry. */
export function sameRecords(these: RouteRecords, there: RouteRecords): boolean {
  const text = ({ destination, nexthop, port }: WrittenRoute): string =>
    [destination, nexthop, port].join(' ');
  return [...these].every(
    ([id, routes]) => JSON.stringify(routes.map(text)) === JSON.stringify((there.get(id) ?? []).map(text)),
  );
}

export const routerAt = (id: string): Address => `router/${id}`;
export const routeAt = ({ destination, nexthop }: Route): Address => `route/${destination}/${nexthop}`;
export const routePortAt = (id: string): Address => `port/${id}`;

export function routeKey({ destination, nexthop }: Route): string {
  return `${cidrKey(destination)} via ${cidrKey(nexthop)}`;
}

export function recordKey(route: WrittenRoute): string {
  return `${routeKey(route)} ${route.port}`;
}

export function textOfRoute({ destination, nexthop }: Route): string {
  return `${destination} via ${nexthop}`;
}
