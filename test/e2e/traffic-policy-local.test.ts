/** externalTrafficPolicy Local: requests go to the nodes that have a Pod, also when the Pods moved and nobody told us. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import {
  addressOf,
  aNamespace,
  answeringNodes,
  apply,
  aService,
  getService,
  lab,
  longestOutage,
  needsControl,
  nodeHttp,
  nodeUp,
  nothingLeft,
  removeNamespace,
  removeNodes,
  someNodes,
  startLevelset,
  startTraffic,
  stopAllLevelsets,
  until,
  type LabNode,
  type Levelset,
} from './lab.ts';

let nodes: readonly LabNode[] = [];
let levelset: Levelset;
let namespace = '';
let url = '';

beforeAll(async () => {
  if (!lab().controllable) return;
  nodes = await someNodes(['e2e-local-1', 'e2e-local-2', 'e2e-local-3']);
  levelset = await startLevelset();
});
afterAll(async () => {
  await stopAllLevelsets();
  await removeNodes(nodes);
});
beforeEach(async (context) => {
  needsControl(context);
  namespace = await aNamespace();
  await endpointsOn('e2e-local-1');
  await apply([aService(namespace, 'web', [{ port: 80 }], { spec: { externalTrafficPolicy: 'Local' } })]);
  url = `http://${await addressOf(namespace, 'web')}/`;
});
afterEach(async () => {
  if (namespace === '') return;
  for (const { name } of nodes) await nodeUp(name);
  await removeNamespace(namespace);
  await nothingLeft({ timeoutMs: 60_000 });
});

const READY = { ready: true, serving: true, terminating: false };
const LEAVING = { ready: false, serving: true, terminating: true };

const endpointsOn = (...names: readonly string[]): Promise<void> =>
  slice(names.map((nodeName) => ({ nodeName, conditions: READY })));

/** Where the Pods are, as the endpoint slice controller would write it. */
async function slice(
  endpoints: readonly { readonly nodeName: string; readonly conditions: object }[],
): Promise<void> {
  await apply([
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { namespace, name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
      addressType: 'IPv4',
      ports: [{ port: 8080 }],
      endpoints: endpoints.map((endpoint, at) => ({
        addresses: [`10.244.0.${String(at + 1)}`],
        ...endpoint,
      })),
    },
  ]);
}

const answering = async (): Promise<string> => [...(await answeringNodes(url, 9))].sort().join();

it('goes where the Pods go, without a gap', async () => {
  await until('the node with the Pod alone', async () => (await answering()) === 'e2e-local-1');
  const traffic = startTraffic(url, 30);

  await endpointsOn('e2e-local-2', 'e2e-local-3');
  await levelset.resync({ all: true });
  await until('the other nodes', async () => (await answering()) === 'e2e-local-2,e2e-local-3');

  const answers = await traffic.stop();
  console.log(
    `Pods move: ${String(answers.length)} requests, longest outage ${String(longestOutage(answers))} ms`,
  );
  expect(longestOutage(answers)).toBeLessThan(1_000);
});

it('leaves a Pod that is terminating when another one is ready, and keeps to it while none is', async () => {
  await until('the node with the Pod alone', async () => (await answering()) === 'e2e-local-1');
  const traffic = startTraffic(url, 30);

  await slice([
    { nodeName: 'e2e-local-1', conditions: LEAVING },
    { nodeName: 'e2e-local-2', conditions: READY },
  ]);
  await levelset.resync({ all: true });
  await until('the second node alone', async () => (await answering()) === 'e2e-local-2');
  await slice([{ nodeName: 'e2e-local-3', conditions: LEAVING }]);
  await levelset.resync({ all: true });
  await until('the third node alone', async () => (await answering()) === 'e2e-local-3');

  const answers = await traffic.stop();
  expect(longestOutage(answers)).toBeLessThan(1_000);
});

it('is sent where kube-proxy says an endpoint is while nobody has told us', async () => {
  await until('the node with the Pod alone', async () => (await answering()) === 'e2e-local-1');
  const port = (await getService(namespace, 'web'))?.spec.healthCheckNodePort ?? 0;
  expect(port).toBeGreaterThan(0);

  // the Pod is on the second node now: kube-proxy of the others answers 503 on the health check node port
  await nodeHttp('e2e-local-1', 503, port);
  await nodeHttp('e2e-local-3', 503, port);

  await until('the second node alone', async () => (await answering()) === 'e2e-local-2');
});
