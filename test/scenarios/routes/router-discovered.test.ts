/** `--discover-router`: no router is named. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { World } from '../../../shared/ports.ts';
import { sweep } from '../../../shared/sweep.ts';
import { nodeName, startRouteWorld } from '../../support/route-world.ts';
import type { RouteWorld } from '../../support/route-world.ts';

let it: RouteWorld;
let world: World;
beforeEach(async () => {
  it = await startRouteWorld();
  world = it.naming();
});
afterEach(() => it.close());

const routesOf = (at: number): number | undefined => it.sandbox.cloud.routers[at]?.routes.length;
const problems = async (): Promise<readonly string[]> =>
  ((await it.reconcile({}, world)).plan?.problems ?? []).map(({ value, message }) => `${value} ${message}`);

test('the one router on the subnets of the Nodes has the routes, with one call more', async () => {
  it.sandbox.cloud.addNetwork('elsewhere', '10.1.0.0/24');
  it.addRouter('elsewhere');
  for (const at of [1, 2]) it.addNode(at);

  expect((await it.routed(world)).outcome).toEqual({ status: 'settled' });

  expect([routesOf(0), routesOf(1)]).toEqual([2, 0]);
  it.calls();
  expect([(await sweep(world)).requests, it.calls()]).toEqual([
    [],
    ['GET /network/v2.0/ports', 'GET /network/v2.0/ports', 'GET /network/v2.0/routers/ID'],
  ]);
});

test('of several none has them, and of none there is nothing to say but that', async () => {
  const ids = [it.addRouter(), it.sandbox.cloud.routerId].sort();
  it.addNode(1);
  const { outcome } = await it.routed(world);
  expect([outcome.status, it.unavailable(1)]).toEqual(['blocked', undefined]);
  expect(await problems()).toEqual([expect.stringMatching(`^${ids.join(', ')} finds several routers`)]);
  expect([routesOf(0), routesOf(1), (await sweep(world)).requests.length]).toEqual([0, 0, 1]);

  it.sandbox.cloud.ports.splice(0, Infinity, ...it.sandbox.cloud.ports.filter((one) => !isOfRouter(one)));
  expect(await problems()).toEqual([expect.stringMatching('^true finds no router')]);
});

const isOfRouter = ({ device_owner: owner }: { readonly device_owner: string }): boolean =>
  owner.startsWith('network:router');

test('the one that has our routes stays when another one comes, and when the Nodes cannot be seen', async () => {
  for (const at of [1, 2]) it.addNode(at);
  await it.routed(world);
  it.addRouter();
  it.addNode(3);
  expect((await it.routed(world)).outcome).toEqual({ status: 'settled' });
  expect([routesOf(0), routesOf(1)]).toEqual([3, 0]);

  it.sandbox.cloud.ports.splice(0, Infinity, ...it.sandbox.cloud.ports.filter(isOfRouter));
  await it.routed(world);
  expect([routesOf(0), routesOf(1)]).toEqual([3, 0]);
});

test('they move when all Nodes are elsewhere, and not before all of them are seen there', async () => {
  it.sandbox.cloud.addNetwork('elsewhere', '10.1.0.0/24');
  it.addRouter('elsewhere');
  it.addNode(1);
  await it.routed(world);
  it.addNode(2, undefined, 'elsewhere');
  expect((await it.routed(world)).outcome.status).toBe('blocked');
  expect([routesOf(0), routesOf(1)]).toEqual([1, 0]);

  const { ports } = it.sandbox.cloud;
  const at = ports.findIndex((port) => port.fixed_ips.some(({ ip_address: ip }) => ip === it.hop(1)));
  const [unseen] = ports.splice(at, 1);
  await it.routed(world);
  expect([routesOf(0), routesOf(1)]).toEqual([1, 0]);

  if (unseen) ports.push(unseen);
  it.sandbox.kube.delete('Node', undefined, nodeName(1));
  await it.routed(world);
  expect([routesOf(0), routesOf(1), (await world.kube.routes.load()).size]).toEqual([0, 1, 1]);
});

test('where it is gone, and a Node cannot be seen, the plan names what to set', async () => {
  for (const at of [1, 2]) it.addNode(at);
  await it.routed(world);
  const { cloud } = it.sandbox;
  const gone = cloud.routerId;
  cloud.routers.splice(0, 1);
  cloud.ports.splice(0, Infinity, ...cloud.ports.filter((port) => !isOfRouter(port)).slice(0, 1));
  const said = `there is no router ${gone}, which had the routes; name one in [Route] router-id`;
  const { outcome } = await it.reconcile({}, world);
  expect(outcome).toEqual({ status: 'blocked', reason: expect.stringContaining(said) as unknown });
  expect((await sweep(world)).warnings).toEqual([`the sweep could not compare the routes: ${said}`]);
});

test('in an empty cluster there is nothing to say', async () => {
  it.addRouter();
  expect((await it.reconcile({}, world)).outcome).toEqual({ status: 'settled' });
  expect((await sweep(world)).requests).toEqual([]);
});

test('the route of the last Node goes where its router is known from the record alone', async () => {
  it.addNode(1);
  await it.routed(world);
  it.addRouter();
  it.sandbox.kube.delete('Node', undefined, nodeName(1));
  expect((await it.routed(world)).outcome).toEqual({ status: 'settled' });
  expect([routesOf(0), (await world.kube.routes.load()).size]).toEqual([0, 0]);
});
