import type { Problem } from '../../model/plan.ts';
import {
  routeKey,
  textOfRoute,
  type Route,
  type WireRouter,
  type WrittenRoutes,
} from '../../model/network/routes.ts';
import { cidrKey } from '../../model/network/cidr.ts';
import type { NodeRoutes, RouteReading } from './node-routes.ts';

/** Neutron's default for max_routes. No API tells the real value. */
const DEFAULT_LIMIT = 30;
const NEARLY = 27;

/** The number of routes from which a cluster without Nodes is more likely a wrong answer than the truth. */
const SUSPICIOUS = 2;

/** Why to write nothing. `isManual`: a person confirms that there are no Nodes. */
export function routeDoubt(
  { router, subnets, nodes, written }: RouteReading,
  isManual: boolean,
): Problem | undefined {
  const doubt = (message: string): Problem => ({
    field: '[Route] router-id',
    value: router.id,
    message,
    blocking: true,
  });
  if (!router.routes) return doubt('takes no routes: Neutron has no extension extraroute');
  if (subnets.size === 0)
    return doubt('has no interface that this project can see, so no Node can be a next hop');
  const count = written.length;
  if (nodes.length > 0 || count < SUSPICIOUS || isManual) return undefined;
  const many = `has ${count} routes to Nodes of this cluster, but the cluster has no Node; levelset deletes nothing`;
  return doubt(`${many}. If the cluster really has none, run: levelset reconcile routes`);
}

interface RouteProblemInput {
  readonly router: WireRouter;
  readonly nodes: readonly NodeRoutes[];
  readonly wanted: WrittenRoutes;
  readonly staying: readonly Route[];
  readonly foreign: readonly Route[];
  readonly limit: number;
}

export function routeProblems(input: RouteProblemInput): readonly Problem[] {
  const without = input.nodes.flatMap(({ node, without }) =>
    without.map(({ cidr, why }) => ({
      field: `node/${node.metadata.name} spec.podCIDRs`,
      value: cidr,
      message: `gets no route: ${why}`,
    })),
  );
  return [...room(input), ...rivals(input), ...without];
}

/** Warns before Neutron refuses a route. A router with more than the default has another limit. */
function room({ router, wanted, staying, limit }: RouteProblemInput): readonly Problem[] {
  const keys = new Set([...staying, ...wanted].map(routeKey));
  const isRaised = (router.routes ?? []).length > DEFAULT_LIMIT;
  if (isRaised || limit !== Infinity || keys.size <= NEARLY) return [];
  const message = `needs ${keys.size} routes; Neutron allows ${DEFAULT_LIMIT} unless max_routes in neutron.conf says otherwise`;
  return [{ field: '[Route] router-id', value: router.id, message }];
}

/** Routes of others to the same pods. Nobody knows which of the two routes wins. */
function rivals({ wanted, foreign }: RouteProblemInput): readonly Problem[] {
  const ours = new Set(wanted.map(({ destination }) => cidrKey(destination)));
  return foreign
    .filter(({ destination }) => ours.has(cidrKey(destination)))
    .map((route) => ({
      field: 'routes',
      value: textOfRoute(route),
      message:
        'leads to the same pods as the route to their Node; nothing proves that levelset wrote it, so it stays',
    }));
}
