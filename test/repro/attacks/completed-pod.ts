/**
 * A Pod that has completed keeps its address in its status, and the network gives the address to a Pod of another namespace.
 * An EndpointSlice that names the completed Pod makes that address a member: traffic reaches the other namespace's Pod.
 */
import { startSandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { show } from '../show.ts';

const ADDRESS = '10.0.0.77';
const it = await startSandboxWorld();
const { kube, cloud } = it.sandbox;
const aPod = (namespace: string, name: string, phase: string) =>
  kube.apply({
    kind: 'Pod',
    metadata: { name, namespace, labels: { app: 'web' } },
    spec: {},
    status: { phase, podIP: ADDRESS, podIPs: [{ ip: ADDRESS }] },
  });
for (const name of ['evil', 'bank']) kube.apply({ kind: 'Namespace', metadata: { name } });
aPod('bank', 'db-0', 'Running');
const completed = aPod('evil', 'job-1', 'Succeeded');
kube.apply({
  kind: 'EndpointSlice',
  metadata: { name: 'web-1', namespace: 'evil', labels: { 'kubernetes.io/service-name': 'web' } },
  addressType: 'IPv4',
  ports: [{ name: 'http', port: 5432, protocol: 'TCP' }],
  endpoints: [
    {
      addresses: [ADDRESS],
      conditions: { ready: true },
      targetRef: { kind: 'Pod', namespace: 'evil', name: 'job-1', uid: completed.metadata.uid },
    },
  ],
});
kube.apply(aService({ namespace: 'evil', spec: { allocateLoadBalancerNodePorts: false } }));
const { outcome } = await it.settle('evil/web');
show('outcome', outcome.status);
show(
  'members',
  cloud.members.map(({ name, address, protocol_port }) => `${name} ${address}:${protocol_port}`),
);
await it.close();
