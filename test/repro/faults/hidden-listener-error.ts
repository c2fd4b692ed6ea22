/**
 * Octavia cannot configure a listener: the listener is in ERROR, the load balancer is ACTIVE. levelset reports the new
 * source ranges as served, run after run and sweep after sweep.
 */
import { sweep } from '../../../shared/sweep.ts';
import { pause, run, startSandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { cloudWrites, readyOf } from '../../support/told.ts';
import { HTTP_PORT, show } from '../show.ts';

const it = await startSandboxWorld();
const { sandbox } = it;
const allow = (cidr: string): void => {
  sandbox.kube.apply(aService({ spec: { ports: [HTTP_PORT], loadBalancerSourceRanges: [cidr] } }));
};
allow('10.0.0.0/8');
await it.settle('web');
allow('192.0.2.0/24');
await run({ key: 'service/default/web', trigger: 'audit' }, it.world);
await pause(50);
Object.assign(sandbox.cloud.listeners[0] ?? {}, { provisioning_status: 'ERROR' });
const before = cloudWrites(sandbox).length;
show('next run', (await it.settle('web', { trigger: 'requeue' })).outcome);
await pause(2_500);
await it.sweepUntilSettled();
show('queued by the next sweep', (await sweep(it.world)).requests.length);
show('writes to OpenStack since', cloudWrites(sandbox).slice(before));
show(
  'listener',
  sandbox.cloud.listeners.map((listener) => listener.provisioning_status),
);
show('condition', readyOf(sandbox)?.status);
await it.close();
