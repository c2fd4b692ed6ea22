/** Octavia answers one list of load balancers with none. levelset creates another one and a second floating IP, which stays. */
import { sweep } from '../../../shared/sweep.ts';
import { pause, run, startSandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { show, stepsOf } from '../show.ts';

const it = await startSandboxWorld();
const { sandbox } = it;
sandbox.kube.apply(aService());
await it.settle('web');
await pause(2_200);
await it.sweepUntilSettled();
const restore = sandbox.fault({
  match: { side: 'openstack', method: 'GET', path: /\/lbaas\/loadbalancers\?/ },
  kind: 'fail-before',
  status: 200,
  body: { loadbalancers: [] },
  times: 100,
});
for (const request of (await sweep(it.world)).requests)
  show('steps after the empty list', stepsOf(await run(request, it.world)));
restore();
for (let runs = 0; runs < 3; runs += 1) await it.settle('web');
await pause(2_300);
await it.sweepUntilSettled();
show('load balancers in the end', sandbox.cloud.loadbalancers.length);
show(
  'floating IPs in the end',
  sandbox.cloud.floatingips.map((ip) => [ip.floating_ip_address, ip.port_id ? 'attached' : 'free']),
);
await it.close();
