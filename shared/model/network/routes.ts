/** Routes to the pods of Nodes on a Neutron router, and what the ports of Nodes must let through for them. */
import { cidrKey } from './cidr.ts';
import type { Address } from '../address.ts';
import type { NeutronPort } from '../node/nova.ts';

/** Of a router (extension extraroute). Neutron keeps each as it was spelled, and takes one away only by that spelling. */
export interface Route {
  readonly destination: string;
  readonly nexthop: string;
}

export interface Router {
  routes: readonly Route[];
}

/**
 * What a port lets through beside its own addresses, as for the pods behind it (docs/sources/go-provider.md, "Routes of
 * a router"). Neutron fills in the port's own MAC address where none is named.
 */
export interface AddressPair {
  readonly ip_address: string;
  readonly mac_address?: string;
}

export interface WireRouter {
  readonly id: string;
  /** Absent where Neutron has no extension extraroute. */
  readonly routes?: readonly Route[];
}

export interface RoutePort extends NeutronPort {
  readonly device_owner?: string;
  readonly mac_address?: string;
  /** Absent where Neutron has no extension allowed-address-pairs: then nothing is held back either. */
  readonly allowed_address_pairs?: readonly AddressPair[];
  readonly port_security_enabled?: boolean;
}

/** A route of ours, with the port that has its next hop and, for it, an address pair. */
export interface WrittenRoute extends Route {
  readonly port: string;
}

/** What we wrote to one router: the proof of whose its routes are when their Nodes are gone (decision 112). */
export type WrittenRoutes = readonly WrittenRoute[];

/** The same of all routers, by their ids. */
export type RouteRecords = ReadonlyMap<string, WrittenRoutes>;

/** A router that had our routes before another one took its place. One that is gone has no routes. */
export interface FormerRouter {
  readonly id: string;
  readonly routes: readonly Route[];
  readonly written: WrittenRoutes;
}

/** Both have the same order; none is as good as an empty one. */
export function sameRecords(a: RouteRecords, b: RouteRecords): boolean {
  const text = ({ destination, nexthop, port }: WrittenRoute): string =>
    [destination, nexthop, port].join(' ');
  return [...new Set([...a.keys(), ...b.keys()])].every(
    (id) => JSON.stringify((a.get(id) ?? []).map(text)) === JSON.stringify((b.get(id) ?? []).map(text)),
  );
}

export const routerAt = (id: string): Address => `router/${id}`;
export const routeAt = ({ destination, nexthop }: Route): Address => `route/${destination}/${nexthop}`;
export const routePortAt = (id: string): Address => `port/${id}`;

/** Equal for the same route, however it is spelled. */
export function routeKey({ destination, nexthop }: Route): string {
  return `${cidrKey(destination)} via ${cidrKey(nexthop)}`;
}

export function textOfRoute({ destination, nexthop }: Route): string {
  return `${destination} via ${nexthop}`;
}
