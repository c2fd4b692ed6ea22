/** allocateLoadBalancerNodePorts false: requests go to the Pods themselves, as they come and go. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Pod } from '../../shared/model/kubernetes.ts';
import {
  addressOf,
  aNamespace,
  answeringNodes,
  apply,
  askHttp,
  aService,
  getService,
  kube,
  lab,
  longestOutage,
  needsControl,
  nothingLeft,
  removeNamespace,
  removeServers,
  someServers,
  startLevelset,
  startTraffic,
  stopAllLevelsets,
  until,
  type LabNode,
  type Levelset,
} from './lab.ts';

/** Machines of the lab that stand for Pods: each has an address on a port of Neutron, and answers on every port. */
let machines: readonly LabNode[] = [];
let levelset: Levelset;
let namespace = '';
let url = '';

beforeAll(async () => {
  if (!lab().controllable) return;
  machines = await someServers(['e2e-pod-1', 'e2e-pod-2', 'e2e-pod-3']);
  levelset = await startLevelset();
});
afterAll(async () => {
  await stopAllLevelsets();
  await removeServers(machines.map(({ server }) => server));
});
beforeEach(async (context) => {
  needsControl(context);
  namespace = await aNamespace();
  // no controller makes it here, and without it no Pod is taken
  await apply([{ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { namespace, name: 'default' } }]);
  for (const machine of machines) await runPod(machine);
  await endpointsOn('e2e-pod-1');
  const spec = { allocateLoadBalancerNodePorts: false };
  await apply([aService(namespace, 'web', [{ port: 80 }], { spec })]);
  url = `http://${await addressOf(namespace, 'web')}/`;
});
afterEach(async () => {
  if (namespace === '') return;
  await removeNamespace(namespace);
  await nothingLeft({ timeoutMs: 60_000 });
});

const podPath = (name = ''): string => `/api/v1/namespaces/${namespace}/pods/${name}`;

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

type Conditions = Readonly<Record<'ready' | 'serving' | 'terminating', boolean>>;
const READY: Conditions = { ready: true, serving: true, terminating: false };
const LEAVING: Conditions = { ready: false, serving: true, terminating: true };

/** As the endpoint slice controller writes it; `address` takes the place of the Pod's own. */
async function slice(
  endpoints: readonly { name: string; conditions?: Conditions; address?: string }[],
): Promise<void> {
  const all = endpoints.map(async ({ name, conditions = READY, address }) => {
    const pod = await kube.get<Pod>(podPath(name));
    return {
      addresses: [address ?? pod?.status?.podIPs?.[0]?.ip],
      conditions,
      targetRef: { kind: 'Pod', namespace, name, uid: pod?.metadata.uid },
    };
  });
  await apply([
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { namespace, name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
      addressType: 'IPv4',
      ports: [{ name: 'tcp-80', port: 8080, protocol: 'TCP' }],
      endpoints: await Promise.all(all),
    },
  ]);
}

const endpointsOn = (...names: readonly string[]): Promise<void> => slice(names.map((name) => ({ name })));
const answering = async (): Promise<string> => [...(await answeringNodes(url, 9))].sort().join();
const told = async (): Promise<string> =>
  JSON.stringify((await getService(namespace, 'web'))?.status?.conditions ?? []);

it('goes to the Pods, where they listen, and follows them without a gap', async () => {
  await until('the first Pod alone', async () => (await answering()) === 'e2e-pod-1');
  expect(await askHttp(url)).toMatchObject({ ok: true, port: 8080 });
  const traffic = startTraffic(url, 30);

  await endpointsOn('e2e-pod-1', 'e2e-pod-2');
  await levelset.resync({ all: true });
  await until('two Pods', async () => (await answering()) === 'e2e-pod-1,e2e-pod-2');
  await slice([{ name: 'e2e-pod-1', conditions: LEAVING }, { name: 'e2e-pod-2' }, { name: 'e2e-pod-3' }]);
  await levelset.resync({ all: true });
  await until('the other two', async () => (await answering()) === 'e2e-pod-2,e2e-pod-3');

  const answers = await traffic.stop();
  console.log(
    `Pods as members: ${String(answers.length)} requests, longest outage ${String(longestOutage(answers))} ms`,
  );
  expect(longestOutage(answers)).toBeLessThan(1_000);
});

it('keeps to a Pod that is leaving while there is no other, and to none when all are gone', async () => {
  await slice([{ name: 'e2e-pod-1', conditions: LEAVING }]);
  await levelset.resync({ all: true });
  await until('the first Pod alone', async () => (await answering()) === 'e2e-pod-1');

  await endpointsOn();
  await levelset.resync({ all: true });
  await until('nobody', async () => !(await askHttp(url)).ok);
  await until('the Service to say so', async () => (await told()).includes('nothing answers on this port'));
});

it('does not go where no Pod of the namespace is, whatever a slice says', async () => {
  const [, second] = machines;
  await slice([{ name: 'e2e-pod-1' }, { name: 'e2e-pod-3', address: second?.address ?? '' }]);
  await levelset.resync({ all: true });
  await until('the Service to say so', async () =>
    (await told()).includes('is not an address of Pod e2e-pod-3'),
  );
  expect(await answering()).toBe('e2e-pod-1');
});
