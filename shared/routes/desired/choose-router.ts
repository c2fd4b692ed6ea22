import type { Node } from '../../model/kubernetes.ts';
import type { Problem } from '../../model/plan.ts';
import { parseProviderID } from '../../model/node/provider-id.ts';
import type { RoutePort } from '../../model/network/routes.ts';
import { fixedIPs, portFinder } from './node-routes.ts';

interface RouterReading {
  readonly nodes: readonly Node[];
  readonly ports: readonly RoutePort[];
  /** The interfaces of all routers. */
  readonly interfaces: readonly RoutePort[];
  /** Routers that have routes of levelset. */
  readonly recorded: readonly string[];
}

/**
 * The router to use if none is named: the one with an interface on a subnet of the Nodes (`--discover-router`). The
 * router that has the routes is kept while it has such an interface, and while the ports of a Node cannot be seen.
 * Undefined: there is nothing to route.
 */
export function chooseRouter(
  reading: RouterReading,
): { readonly id: string } | { readonly problem: Problem } | undefined {
  const { nodes, interfaces, recorded } = reading;
  const portsOf = portFinder(reading);
  const found = nodes.map((node) => ({ node, ports: portsOf(node) ?? [] }));
  const subnets = new Set(
    found.flatMap(({ ports }) => ports.flatMap(fixedIPs).map((fixed) => fixed.subnet_id)),
  );
  const onThem = interfaces.filter((port) => fixedIPs(port).some((fixed) => subnets.has(fixed.subnet_id)));
  const routers = [...new Set(onThem.map(({ device_id: id }) => id ?? ''))].sort();
  const known = recorded.filter((id) => routers.includes(id));
  const isDoubtful =
    nodes.length === 0 ||
    found.some(({ node, ports }) => ports.length === 0 && parseProviderID(node.spec?.providerID ?? ''));
  if (nodes.length === 0 && recorded.length === 0) return undefined;
  const candidates = known.length > 0 ? known : isDoubtful && recorded.length > 0 ? recorded : routers;
  const [id, ...others] = candidates;
  if (id !== undefined && others.length === 0) return { id };
  const message =
    id === undefined
      ? 'finds no router that has an interface on a subnet of the Nodes'
      : 'finds several routers that have an interface on a subnet of the Nodes';
  return {
    problem: {
      field: '--discover-router',
      value: candidates.join(', ') || 'true',
      message: `${message}; name one in [Route] router-id`,
      blocking: true,
    },
  };
}
