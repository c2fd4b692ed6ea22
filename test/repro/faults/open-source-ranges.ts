/** An annotation of source ranges that holds nothing but a comma opens the load balancer to everybody. Other nonsense blocks. */
import { startSandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { HTTP_PORT, show } from '../show.ts';

const RANGES = 'service.beta.kubernetes.io/load-balancer-source-ranges';
const it = await startSandboxWorld();
for (const value of ['10.0.0.0/8', ',', '10.0.0.0/8', ';', '[]']) {
  it.sandbox.kube.apply(aService({ annotations: { [RANGES]: value }, spec: { ports: [HTTP_PORT] } }));
  const { outcome } = await it.settle('web');
  show(JSON.stringify(value), [outcome.status, it.sandbox.cloud.listeners[0]?.['allowed_cidrs']]);
}
await it.close();
