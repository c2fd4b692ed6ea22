/**
 * etcd is restored from a backup, and eleven of twelve Services are missing. The next sweep deletes the load balancers of all
 * eleven at once: deletions of load balancers have no budget, as those of Nodes have.
 */
import { sweep } from '../../../shared/sweep.ts';
import { startSandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { forceDelete } from '../../support/told.ts';
import { show } from '../show.ts';

const it = await startSandboxWorld();
const { sandbox } = it;
const names = Array.from({ length: 12 }, (_, at) => `s${at}`);
for (const name of names) {
  sandbox.kube.apply(aService({ name }));
  await it.settle(name);
}
for (const name of names.slice(1)) forceDelete(sandbox, name);
const { requests, warnings } = await sweep(it.world);
show('queued by the sweep', requests.length);
show('warnings', warnings);
await it.sweepUntilSettled();
show('load balancers left of 12', sandbox.cloud.loadbalancers.length);
show('floating IPs left of 12', sandbox.cloud.floatingips.length);
await it.close();
