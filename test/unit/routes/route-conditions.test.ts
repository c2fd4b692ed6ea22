import { expect, test } from 'vitest';
import { nodeRoutes, routeConditions } from '../../../shared/routes/desired/node-routes.ts';
import type { NodeCondition } from '../../../shared/model/kubernetes.ts';
import { nodeOf, portOf, readingOf } from '../../support/route-reading.ts';

const NOW = '2026-11-21T10:00:00Z';
const EARLIER = '2026-11-21T09:00:00Z';
const saying = (status: NodeCondition['status'], reason: string, message: string) => ({
  ...{ type: 'NetworkUnavailable', status, reason, message },
});
const CREATED = saying('False', 'RouteCreated', 'RouteController created a route');
const NOT_CREATED = saying('True', 'NoRouteCreated', 'RouteController failed to create a route');
const was = (told: ReturnType<typeof saying>): NodeCondition => ({
  ...{ ...told, lastHeartbeatTime: EARLIER, lastTransitionTime: EARLIER },
});
const calico = was(saying('False', 'CalicoIsUp', 'Calico is running on this node'));
const two = ['10.244.1.0/24', 'fd00:244:0:1::/64'];

/** docs/sources/kubernetes.md, "Routes"; test/golden/routes and the stories of routes have the others. */
// prettier-ignore
test.each([
  ['routed as before', { podCIDRs: two, was: was(CREATED) }, [portOf(1)], true, CREATED, EARLIER],
  ['told by another', { podCIDRs: two, was: calico }, [portOf(1)], true, CREATED, EARLIER],
  ['routed in one family of two', { podCIDRs: two }, [portOf(1, [], { fixed_ips: portOf(1).fixed_ips?.slice(0, 1) ?? [] })], true, NOT_CREATED, NOW],
  ['new, with no port yet', { podCIDRs: two }, [], true, NOT_CREATED, NOW],
  ['with no port to be seen, but told', { podCIDRs: two, was: was(CREATED) }, [], false, undefined, ''],
  ['without podCIDRs, told by another', { podCIDRs: [], was: calico }, [portOf(1)], true, undefined, ''],
  ['without podCIDRs any more', { podCIDRs: [], was: was(CREATED) }, [portOf(1)], true, NOT_CREATED, NOW],
] as const)('a Node %s', (_what, node, ports, isThere, told, since) => {
  const nodes = [nodeOf(1, { ...node, podCIDRs: [...node.podCIDRs] })];
  const found = nodeRoutes(readingOf({ nodes, ports }));
  const [desired] = routeConditions(found, () => isThere, NOW);
  expect(desired?.attributes.conditions).toEqual(
    told && [{ ...told, lastHeartbeatTime: NOW, lastTransitionTime: since }],
  );
});
