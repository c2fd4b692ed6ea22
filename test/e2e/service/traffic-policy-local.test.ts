/** externalTrafficPolicy Local: requests go to the nodes that have a Pod, also when the Pods moved and nobody told us. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { READY, writeSlice, type Conditions } from '../fixtures/endpoint-slice.ts';
import {
  addressOf,
  answeringNodes,
  apply,
  aService,
  getService,
  longestOutage,
  nodeHttp,
  nodeUp,
  startTraffic,
  until,
} from '../lab/lab.ts';
import { labWorld } from '../lab/lab-world.ts';

const world = labWorld({ nodes: ['e2e-local-1', 'e2e-local-2', 'e2e-local-3'] });
let url = '';
beforeEach(async () => {
  await endpointsOn('e2e-local-1');
  const spec = { externalTrafficPolicy: 'Local' };
  await apply([aService(world.namespace, 'web', [{ port: 80 }], { spec })]);
  url = `http://${await addressOf(world.namespace, 'web')}/`;
});
afterEach(async () => {
  for (const { name } of world.nodes) await nodeUp(name);
});

const endpointsOn = (...names: readonly string[]): Promise<void> =>
  slice(names.map((nodeName) => ({ nodeName, conditions: READY })));

async function slice(
  endpoints: readonly { readonly nodeName: string; readonly conditions: Conditions }[],
): Promise<void> {
  const withAddress = endpoints.map((endpoint, at) => ({
    addresses: [`10.244.0.${String(at + 1)}`],
    ...endpoint,
  }));
  await writeSlice(world.namespace, { port: 8080 }, withAddress);
}

const answering = async (): Promise<string> => [...(await answeringNodes(url, 9))].sort().join();

it('goes where the Pods go, without a gap', async () => {
  await until('the node with the Pod alone', async () => (await answering()) === 'e2e-local-1');
  const traffic = startTraffic(url, 30);

  await endpointsOn('e2e-local-2', 'e2e-local-3');
  await world.levelset.resync({ all: true });
  await until('the other nodes', async () => (await answering()) === 'e2e-local-2,e2e-local-3');

  const answers = await traffic.stop();
  expect(longestOutage('Pods move', answers)).toBeLessThan(1_000);
});

it('is sent where kube-proxy has an endpoint while levelset has not heard of it', async () => {
  await until('the node with the Pod alone', async () => (await answering()) === 'e2e-local-1');
  const port = (await getService(world.namespace, 'web'))?.spec.healthCheckNodePort ?? 0;
  expect(port).toBeGreaterThan(0);

  // the Pod is on the second node now: kube-proxy of the others answers 503 on the health check node port
  await nodeHttp('e2e-local-1', 503, port);
  await nodeHttp('e2e-local-3', 503, port);

  await until('the second node alone', async () => (await answering()) === 'e2e-local-2');
});
