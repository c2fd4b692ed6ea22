/**
 * A process has read a Service that is open to all, and waits for the apiserver. Meanwhile its owner narrows the source
 * ranges, and another process applies them. The first process then writes what it had read: the load balancer is open again
 * until its next run.
 */
import { run, startSandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { HTTP_PORT, settleBy, show } from '../show.ts';

const it = await startSandboxWorld();
const { sandbox } = it;
const allow = (...loadBalancerSourceRanges: readonly string[]): void => {
  sandbox.kube.apply(aService({ spec: { ports: [HTTP_PORT], loadBalancerSourceRanges } }));
};
const allowed = (): unknown => sandbox.cloud.listeners[0]?.['allowed_cidrs'];
allow('10.0.0.0/8');
await it.settle('web');
const other = await it.another();
allow('10.0.0.0/8', '0.0.0.0/0');
sandbox.fault({
  match: { side: 'kube', method: 'GET', path: /leases\/levelset-/ },
  kind: 'call',
  before: async () => {
    allow('192.0.2.0/24');
    const { outcome } = await settleBy(other);
    show('other process, after the owner corrected the ranges', [outcome.status, allowed()]);
  },
});
await run({ key: 'service/default/web', trigger: 'audit' }, it.world);
show('first process wrote', allowed());
await settleBy(it.world);
show('after its next run', allowed());
await it.close();
