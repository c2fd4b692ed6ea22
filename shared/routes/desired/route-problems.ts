import type { Problem } from '../../model/plan.ts';
import { textOfRoute, type Route, type WrittenRoutes } from '../../model/network/routes.ts';
import { cidrKey } from '../../model/network/cidr.ts';
import type { NodeRoutes, RouteReading } from './node-routes.ts';

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
  if (!router.routes) return doubt('cannot take routes: Neutron lacks the extension extraroute');
  if (subnets.size === 0)
    return doubt('has no interface that this project can see, so no Node can be a next hop');
  const count = written.length;
  if (nodes.length > 0 || count < SUSPICIOUS || isManual) return undefined;
  const many = `has ${count} routes to Nodes of this cluster, but the cluster has no Node; levelset deletes nothing`;
  return doubt(`${many}. If the cluster really has none, run: levelset reconcile routes`);
}

interface RouteProblemInput {
  readonly nodes: readonly NodeRoutes[];
  readonly wanted: WrittenRoutes;
  readonly foreign: readonly Route[];
}

export function routeProblems(input: RouteProblemInput): readonly Problem[] {
  const without = input.nodes.flatMap(({ node, without }) =>
    without.map(({ cidr, why }) => ({
      field: `node/${node.metadata.name} spec.podCIDRs`,
      value: cidr,
      message: `gets no route: ${why}`,
    })),
  );
  return [...rivals(input), ...without];
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
