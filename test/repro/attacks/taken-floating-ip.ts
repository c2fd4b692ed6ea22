/**
 * A load balancer goes, and its floating IP is free for a moment. A Service of another namespace, or of another cluster in the
 * same project, names the address as loadBalancerIP and gets it, though its tags name its owner. The owner gets another one.
 */
import { pause, startSandboxWorld } from '../../support/sandbox-world.ts';
import type { SandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { addressOf } from '../../support/told.ts';
import { show } from '../show.ts';

/** A Service with an address, whose load balancer is removed by hand. */
async function losesItsLoadBalancer(victim: SandboxWorld): Promise<string> {
  victim.sandbox.kube.apply(aService());
  await victim.settle('web');
  const address = addressOf(victim.sandbox) ?? '';
  const id = victim.sandbox.cloud.loadbalancers[0]?.id ?? '';
  await victim.world.cloud.remove('loadbalancer', id, { cascade: true });
  await pause(50);
  return address;
}

const one = await startSandboxWorld();
const loadBalancerIP = await losesItsLoadBalancer(one);
one.sandbox.kube.apply({ kind: 'Namespace', metadata: { name: 'evil' } });
one.sandbox.kube.apply(aService({ namespace: 'evil', name: 'x', spec: { loadBalancerIP } }));
show('other namespace', (await one.settle('evil/x')).address ?? 'no address');
await one.settle('web');
show('owner had, has', [loadBalancerIP, addressOf(one.sandbox)]);
await one.close();

const first = await startSandboxWorld();
const second = await startSandboxWorld({}, {}, first.sandbox);
const itsAddress = await losesItsLoadBalancer(first);
second.sandbox.kube.apply(aService({ spec: { loadBalancerIP: itsAddress } }));
show('other cluster', (await second.settle('web')).address ?? 'no address');
await second.remove('web');
show('floating IPs after the other cluster removed its Service', first.sandbox.cloud.floatingips.length);
await second.close();
await first.close();
