/** An annotation names a floating network that does not exist. The run fails as GONE and is retried for ever; it should block. */
import { run, startSandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { show } from '../show.ts';

const NETWORK = 'loadbalancer.openstack.org/floating-network-id';
const it = await startSandboxWorld();
it.sandbox.kube.apply(aService({ annotations: { [NETWORK]: '00000000-0000-4000-8000-000000000000' } }));
await it.settle('web');
for (const trigger of ['requeue', 'sweep'] as const)
  show(trigger, (await run({ key: 'service/default/web', trigger }, it.world)).outcome);
await it.close();
