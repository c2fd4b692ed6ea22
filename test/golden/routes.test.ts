/** What the real OCCM made of three Nodes and a router (recorded on the lab), and what we would. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { routeConditions } from '../../shared/routes/desired/node-routes.ts';
import { desireRoutes } from '../../shared/routes/desired/desire-routes.ts';
import type { Node } from '../../shared/model/kubernetes.ts';
import { observedNode } from '../../shared/model/node/node.ts';
import type { RoutePort, WireRouter } from '../../shared/model/network/routes.ts';
import { stepsTo } from '../../shared/routes/plan/plan-routes.ts';

interface Recorded {
  readonly cluster_cidr: string;
  readonly nodes: readonly Node[];
  readonly router: WireRouter & { readonly revision_number: number };
  readonly ports: readonly RoutePort[];
}

const { cluster_cidr, nodes, router, ports } = JSON.parse(
  readFileSync(join(import.meta.dirname, 'routes/recorded.json'), 'utf8'),
) as Recorded;
/** Of the network `private`, both of them. */
const subnets = new Set(['3ee1e18b-f334-4458-9bb2-76c4107fd4e3', '4a5ed126-4c55-4689-93ba-59d45f5aebeb']);
const reading = { router, ports, subnets, written: [], clusterCidrs: [cluster_cidr] };

function ours(kind: 'router' | 'port', { id, ...wire }: WireRouter | RoutePort) {
  return { kind, address: `${kind}/${id}`, id, wire: { id, ...wire }, whose: 'ours' as const };
}

function plan(some: readonly Node[]) {
  const desired = desireRoutes({ ...reading, nodes: some });
  const conditions = routeConditions(desired.nodes, () => true, '2026-11-21T04:00:00Z');
  const wires = [ours('router', router), ...ports.map((port) => ours('port', port))];
  const observed = [...wires, ...some.flatMap(observedNode)];
  return { desired, steps: stepsTo([...desired.resources, ...conditions], observed) };
}

test('what it made is left as it is, conditions and all', () => {
  const { desired, steps } = plan(nodes.filter(({ metadata }) => metadata.name !== 'rec-two'));
  expect(steps).toEqual([]);
  expect(desired.after.get(router.id)?.map(({ destination, nexthop }) => ({ destination, nexthop }))).toEqual(
    router.routes,
  );
});

test('rec-two has a route by its other port, on a subnet of the router (decision 115)', () => {
  const { steps } = plan(nodes);
  expect(steps.map(({ address }) => address)).toEqual([
    `router/${router.id}`,
    'port/c786e43b-f573-44cd-a99e-0715cb089b3a',
    'nodestatus/rec-two',
  ]);
  const [ofRouter] = steps;
  expect(ofRouter).toMatchObject({
    changes: [{ to: [...(router.routes ?? []), { destination: '10.244.1.0/24', nexthop: '10.0.0.214' }] }],
  });
});
