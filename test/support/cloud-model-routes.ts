import { ReconcileError } from '../../shared/model/errors.ts';
import type { Route } from '../../shared/model/network/routes.ts';
import type { Attributes } from '../../shared/model/resources.ts';
import type { CloudModel, Wire } from './cloud-model.ts';

/** Neutron's max_routes, as it is when nobody sets it. */
const MOST = 30;

const isSame = (a: Route, b: Route): boolean => a.destination === b.destination && a.nexthop === b.nexthop;

/** The routes of a router in place of those it has; Neutron looks at all of them. */
export function setRoutes(cloud: CloudModel, router: Wire, routes: readonly Route[]): Wire {
  if (routes.length > MOST)
    throw new ReconcileError('QUOTA_EXCEEDED', `The number of routes exceeds the maximum ${MOST}.`, {
      limit: MOST,
    });
  const subnets = cloud
    .all('port')
    .filter((port) => port['device_id'] === router.id)
    .flatMap((port) => port['fixed_ips'] as readonly Attributes[]);
  const near = (hop: string): boolean =>
    subnets.some(({ ip_address: own }) => networkOf(String(own)) === networkOf(hop) && own !== hop);
  if (!routes.every(({ nexthop }) => near(nexthop)))
    throw new ReconcileError(
      'REJECTED',
      'Invalid format for routes, the nexthop is not connected with router',
    );
  const revision = Number(router['revision_number']);
  return Object.assign(router, { routes: [...routes], revision_number: revision + 1 });
}

export function addRoutes(cloud: CloudModel, router: Wire, routes: readonly Route[]): Wire {
  const there = router['routes'] as readonly Route[];
  return setRoutes(cloud, router, [
    ...there,
    ...routes.filter((route) => !there.some((one) => isSame(one, route))),
  ]);
}

/** By their spelling. */
export function removeRoutes(cloud: CloudModel, router: Wire, routes: readonly Route[]): Wire {
  const there = router['routes'] as readonly Route[];
  return setRoutes(
    cloud,
    router,
    there.filter((one) => !routes.some((route) => isSame(one, route))),
  );
}

/** Of the subnets in tests, whose addresses differ in their last part alone. */
function networkOf(address: string): string {
  return address.slice(0, address.lastIndexOf(address.includes(':') ? ':' : '.'));
}
