import type { AddressPair, RoutePort, WrittenRoutes } from '../../model/network/routes.ts';
import { cidrKey, isWithin } from '../../model/network/cidr.ts';

interface DesiredPairs {
  readonly routes: WrittenRoutes;
  /** All routes that levelset is known to have written. */
  readonly before: WrittenRoutes;
  /** Whether the Node of a CIDR is uncertain, so that its pairs stay. */
  readonly isKept: (cidr: string) => boolean;
}

/** A port needs the CIDRs of its routes, each in a pair of its own or a wider one. Only pairs for former routes of levelset go. */
export function desiredPairs(
  ports: readonly RoutePort[],
  { routes, before, isKept }: DesiredPairs,
): readonly (readonly [RoutePort, readonly AddressPair[]])[] {
  const wanted = Map.groupBy(routes, ({ port }) => port);
  const ours = Map.groupBy(before, ({ port }) => port);
  return ports.flatMap((port) => {
    const pairs = port.allowed_address_pairs;
    // a port without port security accepts no pairs
    if (!pairs || port.port_security_enabled === false || !ours.has(port.id)) return [];
    const needed = (wanted.get(port.id) ?? []).map(({ destination }) => cidrKey(destination));
    const former = new Set((ours.get(port.id) ?? []).map(({ destination }) => cidrKey(destination)));
    const leaves = ({ ip_address: cidr }: AddressPair): boolean =>
      former.has(cidrKey(cidr)) && !needed.includes(cidrKey(cidr)) && !isKept(cidr);
    const staying = pairs.filter((pair) => !isOfPort(pair, port) || !leaves(pair));
    const coming = needed.filter((cidr) => !accepts(port, staying, cidr));
    return [[port, [...staying, ...coming.map((cidr) => ({ ip_address: cidr }))]] as const];
  });
}

/** Whether packets of this CIDR pass the port: one of its pairs has it, or a wider one. */
function accepts(port: RoutePort, pairs: readonly AddressPair[], cidr: string): boolean {
  return pairs.some((pair) => isOfPort(pair, port) && isWithin(cidr, cidrKey(pair.ip_address)));
}

function isOfPort({ mac_address: mac }: AddressPair, port: RoutePort): boolean {
  return mac === undefined || mac === port.mac_address;
}
