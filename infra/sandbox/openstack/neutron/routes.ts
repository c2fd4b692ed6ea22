import { isIP } from 'node:net';
import { asList, asText, isJson } from '../../json.ts';
import { neutronError } from '../../refusal.ts';
import type { CloudState } from '../cloud-state.ts';
import { contains, networkOf } from '../ip-network.ts';
import type { Route, Router } from './objects.ts';

/** Routes as Neutron keeps and shows them: ordered by destination, then next hop, as text. */
export const inOrder = (routes: readonly Route[]): Route[] =>
  [...routes].sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1));

const textOf = ({ destination, nexthop }: Route): string => `${destination} ${nexthop}`;

export const sameRoute = (a: Route, b: Route): boolean => textOf(a) === textOf(b);

/** Routes of a PUT, whose form is checked before anything else; null is none (tried on the lab). */
export function readRoutes(given: unknown): Route[] {
  if (given === null) return [];
  if (!Array.isArray(given)) throw wrong(`Invalid data format for hostroute: '${asText(given)}'`);
  const routes = given.map(readRoute);
  const twice = routes.find((one, index) => routes.findIndex((other) => sameRoute(one, other)) < index);
  if (twice) throw wrong(`Duplicate hostroute '${printed(twice)}'`);
  return routes;
}

function readRoute(given: unknown): Route {
  const keys = isJson(given) ? Object.keys(given).sort() : [];
  if (!isJson(given) || String(keys) !== 'destination,nexthop') {
    const shown = keys.map((one) => `'${one}'`).join(', ');
    const text = "Validation of dictionary's keys failed. Expected keys: {'nexthop', 'destination'}";
    throw wrong(`${text} Provided keys: {${shown}}`);
  }
  const [destination, nexthop] = [asText(given['destination']), asText(given['nexthop'])];
  const network = networkOf(destination);
  if (network === undefined) throw wrong(`'${destination}' is not a valid CIDR`);
  if (network !== destination)
    throw wrong(`'${destination}' is not a recognized CIDR, '${network}' is recommended`);
  if (isIP(nexthop) === 0) throw wrong(`'${nexthop}' is not a valid IP address`);
  return { destination, nexthop };
}

/**
 * Refuses more routes than `max_routes`, and a next hop that is on no subnet of the router or is the router itself.
 * The message shows all routes, even those that are there already (tried on the lab). Neutron of 2026.2 has a quota for them, and names no number.
 */
export function checkRoutes(world: CloudState, router: Router, routes: readonly Route[]): void {
  if (routes.length > world.maxRoutes && world.octaviaTraits.hasRouteQuota)
    throw neutronError(409, 'OverQuota', "Quota exceeded for resources: ['router_route'].");
  if (routes.length > world.maxRoutes) {
    const text = `The number of routes exceeds the maximum ${world.maxRoutes}.`;
    throw neutronError(400, 'RoutesExhausted', `Unable to complete operation for ${router.id}. ${text}`);
  }
  const refuse = (why: string): Error => {
    const shown = `[${routes.map(printed).join(', ')}]`;
    return neutronError(400, 'InvalidRoutes', `Invalid format for routes: ${shown}, the nexthop is ${why}`);
  };
  const { cidrs, addresses } = placeOf(world, router);
  for (const { nexthop } of routes) {
    if (!cidrs.some((cidr) => contains(cidr, nexthop))) throw refuse('not connected with router');
    if (addresses.includes(nexthop)) throw refuse('used by router');
  }
}

/** The subnets a router is on, the outer ones of its gateway too, and its own addresses there. */
function placeOf(world: CloudState, router: Router): { cidrs: string[]; addresses: string[] } {
  const ips = world.ports.of('device_id', router.id).flatMap((one) => one.fixed_ips);
  const outer = router.external_gateway_info?.network_id;
  const on = world.subnets.filter(
    (one) => one.network_id === outer || ips.some((ip) => ip.subnet_id === one.id),
  );
  return { cidrs: on.map((one) => one.cidr), addresses: ips.map((ip) => ip.ip_address) };
}

/** Routes of `add_extraroutes` and `remove_extraroutes`: next to nothing is checked, and no list is a 500. */
export function readExtraRoutes(given: unknown): Route[] {
  if (!Array.isArray(given)) {
    const text = 'Request Failed: internal server error while processing your request.';
    throw neutronError(500, 'HTTPInternalServerError', text);
  }
  const routes = asList(given).map((one) => {
    const { destination, nexthop } = isJson(one) ? one : {};
    return { destination: asText(destination), nexthop: asText(nexthop) };
  });
  const none = routes.find((one) => networkOf(one.destination) === undefined);
  if (none) throw neutronError(400, 'AddrFormatError', `invalid IPNetwork ${none.destination}`);
  return routes;
}

/** A route as Python prints a dictionary. */
const printed = ({ destination, nexthop }: Route): string =>
  `{'destination': '${destination}', 'nexthop': '${nexthop}'}`;

const wrong = (reason: string): Error =>
  neutronError(400, 'HTTPBadRequest', `Invalid input for routes. Reason: ${reason}.`);
