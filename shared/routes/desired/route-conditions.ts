import type { NodeCondition } from '../../model/kubernetes.ts';
import { nodeStatusAt } from '../../model/node/node.ts';
import type { DesiredResource } from '../../model/resources.ts';
import { cidrKey } from '../../model/network/cidr.ts';
import type { WrittenRoute } from '../../model/network/routes.ts';
import type { NodeRoutes } from './node-routes.ts';

const NETWORK_UNAVAILABLE = 'NetworkUnavailable';
/** The conditions of Kubernetes' route controller (docs/sources/kubernetes.md, "Routes"). */
const CREATED = {
  status: 'False',
  reason: 'RouteCreated',
  message: 'RouteController created a route',
} as const;
const NOT_CREATED = {
  status: 'True',
  reason: 'NoRouteCreated',
  message: 'RouteController failed to create a route',
} as const;

/** The condition NetworkUnavailable: whether there is a route to each podCIDR. A Node whose port is unknown keeps what it has. */
export function routeConditions(
  nodes: readonly NodeRoutes[],
  isThere: (route: WrittenRoute) => boolean,
  now: string,
): readonly DesiredResource<'nodestatus'>[] {
  return nodes.flatMap((one) => {
    const verdict = report(one, isThere);
    const { metadata, status } = one.node;
    if (!verdict) return [];
    const old = status?.conditions?.find(({ type }) => type === NETWORK_UNAVAILABLE);
    const lastTransitionTime = old?.status === verdict.status ? old.lastTransitionTime : now;
    const condition: NodeCondition = {
      type: NETWORK_UNAVAILABLE,
      ...verdict,
      lastHeartbeatTime: now,
      lastTransitionTime,
    };
    const address = nodeStatusAt(metadata.name);
    return [{ kind: 'nodestatus', address, attributes: { conditions: [condition] }, ifPresent: true }];
  });
}

function report(
  { node, routes, isDoubtful }: NodeRoutes,
  isThere: (route: WrittenRoute) => boolean,
): typeof CREATED | typeof NOT_CREATED | undefined {
  const cidrs = node.spec?.podCIDRs ?? [];
  const old = node.status?.conditions?.find(({ type }) => type === NETWORK_UNAVAILABLE);
  if (cidrs.length === 0) return old?.reason === CREATED.reason ? NOT_CREATED : undefined;
  if (isDoubtful && old) return undefined;
  const routed = new Set(routes.filter(isThere).map(({ destination }) => destination));
  return cidrs.every((cidr) => routed.has(cidrKey(cidr))) ? CREATED : NOT_CREATED;
}
