import { cidrKey, isWithin } from '../../model/network/cidr.ts';
import type { AddressPair, RoutePort, WrittenRoutes } from '../../model/network/routes.ts';

export interface DesiredPairs {
  readonly routes: WrittenRoutes;
  /** All that were ever ours, as far as is known. */
  readonly before: WrittenRoutes;
  /** CIDRs of which nothing is certain just now. */
  readonly isKept: (cidr: string) => boolean;
}

/**
 * What each port lets through, where that is to change or may have to: the CIDRs of the routes that lead to it, in a pair of
 * their own or a wider one. Only pairs for routes that were ours leave.
 */
export function desiredPairs(
  ports: readonly RoutePort[],
  { routes, before, isKept }: DesiredPairs,
): readonly (readonly [RoutePort, readonly AddressPair[]])[] {
  const wanted = Map.groupBy(routes, ({ port }) => port);
  const ours = Map.groupBy(before, ({ port }) => port);
  return ports.flatMap((port) => {
    const pairs = port.allowed_address_pairs;
    if (!pairs || !isFiltered(port) || !ours.has(port.id)) return [];
    const needed = (wanted.get(port.id) ?? []).map(({ destination }) => cidrKey(destination));
    const former = new Set((ours.get(port.id) ?? []).map(({ destination }) => cidrKey(destination)));
    const leaves = ({ ip_address: cidr }: AddressPair): boolean =>
      former.has(cidrKey(cidr)) && !needed.includes(cidrKey(cidr)) && !isKept(cidr);
    const staying = pairs.filter((pair) => !isOfPort(pair, port) || !leaves(pair));
    const coming = needed.filter(
      (cidr) => !staying.some((pair) => isOfPort(pair, port) && isWithin(cidr, cidrKey(pair.ip_address))),
    );
    return [[port, [...staying, ...coming.map((cidr) => ({ ip_address: cidr }))]] as const];
  });
}

/** One with port security switched off lets everything through, and takes no pairs. */
function isFiltered(port: RoutePort): boolean {
  return port.port_security_enabled !== false;
}

function isOfPort({ mac_address: mac }: AddressPair, port: RoutePort): boolean {
  return mac === undefined || mac === port.mac_address;
}
