/**
 * cloud.conf has the credentials of another project. A Service that is deleted meanwhile loses its finalizer and goes, though
 * its load balancer stands in the right project. A sweep with the right credentials finds the load balancer.
 */
import { sweep } from '../../../shared/sweep.ts';
import { aConfig } from '../../support/config.ts';
import { pause, run, startSandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { readyOf, serviceOf } from '../../support/told.ts';
import { show } from '../show.ts';

const it = await startSandboxWorld();
const { sandbox } = it;
for (const name of ['web', 'two']) {
  sandbox.kube.apply(aService({ name }));
  await it.settle(name);
}
await pause(2_200);
await it.sweepUntilSettled();
const config = aConfig(sandbox.authUrl);
const domain = { name: 'Default' };
const credentials = {
  type: 'password',
  user: { name: 'other', domain },
  password: 'other',
  project: { name: 'other', domain },
} as const;
const wrong = await it.another({ ...config, openstack: { ...config.openstack, credentials } });
for (const request of (await sweep(wrong)).requests)
  show(request.key, (await run(request, wrong)).outcome.status);
show('condition of web, which serves', readyOf(sandbox)?.status);
sandbox.kube.delete('Service', 'default', 'two');
await run({ key: 'service/default/two', trigger: 'audit' }, wrong);
show('the deleted Service is gone', serviceOf(sandbox, 'two') === undefined);
show('load balancers', sandbox.cloud.loadbalancers.length);
await it.sweepUntilSettled();
show('load balancers after a sweep with the right credentials', sandbox.cloud.loadbalancers.length);
await it.close();
