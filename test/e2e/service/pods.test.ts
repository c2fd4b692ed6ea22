/** allocateLoadBalancerNodePorts false: requests go to the Pods themselves, as they come and go. */
import { beforeEach, expect, it } from 'vitest';
import type { Pod } from '../../../shared/model/kubernetes.ts';
import { LEAVING, READY, writeSlice, type Conditions } from '../fixtures/endpoint-slice.ts';
import {
  addressOf,
  answeringNodes,
  apply,
  aService,
  askHttp,
  kube,
  longestOutage,
  startTraffic,
  until,
  type LabNode,
} from '../lab/lab.ts';
import { labWorld } from '../lab/lab-world.ts';

/** `servers` stand for Pods: each has an address on a port of Neutron, and answers on every port. */
const world = labWorld({ servers: ['e2e-pod-1', 'e2e-pod-2', 'e2e-pod-3'] });
let url = '';
beforeEach(async () => {
  // no controller makes it here, and without it no Pod is taken
  const account = { namespace: world.namespace, name: 'default' };
  await apply([{ apiVersion: 'v1', kind: 'ServiceAccount', metadata: account }]);
  for (const server of world.servers) await runPod(server);
  await endpointsOn('e2e-pod-1');
  const spec = { allocateLoadBalancerNodePorts: false };
  await apply([aService(world.namespace, 'web', [{ port: 80 }], { spec })]);
  url = `http://${await addressOf(world.namespace, 'web')}/`;
});

const podPath = (name = ''): string => `/api/v1/namespaces/${world.namespace}/pods/${name}`;

/** As scheduler and kubelet leave it. */
async function runPod({ name, address }: LabNode): Promise<void> {
  const container = { name: 'web', image: 'web' };
  await kube.create(podPath(), {
    metadata: { name, labels: { app: 'web' } },
    spec: { automountServiceAccountToken: false, containers: [container] },
  });
  const status = { podIP: address, podIPs: [{ ip: address }], phase: 'Running' };
  await kube.patch(`${podPath(name)}/status`, { status });
}

/** These Pods are the endpoints; `address` takes the place of the Pod's own. */
async function slice(
  endpoints: readonly { name: string; conditions?: Conditions; address?: string }[],
): Promise<void> {
  const all = endpoints.map(async ({ name, conditions = READY, address }) => {
    const pod = await kube.get<Pod>(podPath(name));
    return {
      addresses: [address ?? pod?.status?.podIPs?.[0]?.ip],
      conditions,
      targetRef: { kind: 'Pod', namespace: world.namespace, name, uid: pod?.metadata.uid },
    };
  });
  const port = { name: 'tcp-80', port: 8080, protocol: 'TCP' };
  await writeSlice(world.namespace, port, await Promise.all(all));
}

const endpointsOn = (...names: readonly string[]): Promise<void> => slice(names.map((name) => ({ name })));
const answering = async (): Promise<string> => [...(await answeringNodes(url, 9))].sort().join();

it('goes to the Pods, where they listen, and follows them without a gap', async () => {
  await until('the first Pod alone', async () => (await answering()) === 'e2e-pod-1');
  expect(await askHttp(url)).toMatchObject({ ok: true, port: 8080 });
  const traffic = startTraffic(url, 30);

  await endpointsOn('e2e-pod-1', 'e2e-pod-2');
  await world.levelset.resync({ all: true });
  await until('two Pods', async () => (await answering()) === 'e2e-pod-1,e2e-pod-2');
  await slice([{ name: 'e2e-pod-1', conditions: LEAVING }, { name: 'e2e-pod-2' }, { name: 'e2e-pod-3' }]);
  await world.levelset.resync({ all: true });
  await until('the other two', async () => (await answering()) === 'e2e-pod-2,e2e-pod-3');

  const answers = await traffic.stop();
  expect(longestOutage('Pods as members', answers)).toBeLessThan(1_000);
});
