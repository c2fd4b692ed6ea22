/**
 * A sweep has listed the Services, and "web" is applied right after. The sweep takes the Lease of "web" for a leftover and
 * removes it while the load balancer is being created; a second process creates another one.
 */
import { sweep } from '../../../shared/sweep.ts';
import { pause, run, startSandboxWorld } from '../../support/sandbox-world.ts';
import type { Report } from '../../../shared/model/outcome.ts';
import { aService } from '../../support/service.ts';
import { show, stepsOf } from '../show.ts';

const it = await startSandboxWorld();
const { sandbox } = it;
const second = await it.another();
const request = { key: 'service/default/web', trigger: 'audit' } as const;
sandbox.kube.apply(aService({ name: 'old' }));
await it.settle('old');
let creating: Promise<Report> | undefined;
sandbox.fault({
  match: { side: 'openstack', method: 'POST', path: /\/lbaas\/loadbalancers$/ },
  kind: 'call',
  before: async () => {
    await pause(1_200);
    show('second process', stepsOf(await run({ ...request, trigger: 'sweep' }, second)));
  },
});
sandbox.fault({
  match: { side: 'openstack', method: 'GET', path: /\/lbaas\/loadbalancers\?.*limit=1000.*tags=/ },
  kind: 'call',
  before: async () => {
    await pause(300);
    sandbox.kube.apply(aService());
    creating = run(request, it.world);
    await pause(400);
  },
});
await sweep(it.world);
if (creating) show('first process', stepsOf(await creating));
show('load balancers of web', sandbox.cloud.loadbalancers.filter(({ name }) => name.endsWith('_web')).length);
for (let rounds = 0; rounds < 6; rounds += 1) {
  for (const world of [it.world, second]) await run(request, world);
  await pause(20);
}
show(
  'floating IPs in the end, for two Services',
  sandbox.cloud.floatingips.map(({ port_id }) => (port_id ? 'attached' : 'free')),
);
await it.close();
