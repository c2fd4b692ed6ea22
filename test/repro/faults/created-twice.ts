/**
 * The POST of a load balancer takes longer than the Lease lasts, and a second process creates another one. Octavia's created_at
 * makes the first one the older, which stays. The other one is deleted, and its floating IP is left over.
 */
import { pause, run, startSandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { addressOf } from '../../support/told.ts';
import { show, stepsOf } from '../show.ts';

const it = await startSandboxWorld({ pendingMs: 1_500 });
const { sandbox } = it;
const { config } = it.world;
const patient = { ...config, openstack: { ...config.openstack, requestTimeoutMs: 60_000 } };
const first = await it.another(patient);
const second = await it.another(patient);
const request = { key: 'service/default/web', trigger: 'audit' } as const;
sandbox.kube.apply(aService());
let started = '';
sandbox.fault({
  match: { side: 'openstack', method: 'POST', path: /\/lbaas\/loadbalancers$/ },
  kind: 'call',
  before: async () => {
    started = sandbox.cloud.octaviaTime();
    await pause(17_500);
    for (let runs = 0; runs < 5; runs += 1) {
      const report = await run({ ...request, trigger: 'sweep' }, second);
      show('second process', [report.outcome.status, ...stepsOf(report)]);
      if (report.applied.length > 0) break;
      await pause(700);
    }
  },
});
const report = await run(request, first);
show('first process, 17 s later', [report.outcome.status, ...stepsOf(report)]);
Object.assign(sandbox.cloud.loadbalancers.at(-1) ?? {}, { created_at: started });
for (let rounds = 0; rounds < 8; rounds += 1) {
  for (const world of [first, second]) await run(request, world);
  await pause(700);
}
await it.sweepUntilSettled();
show('load balancers', sandbox.cloud.loadbalancers.length);
show(
  'floating IPs',
  sandbox.cloud.floatingips.map((ip) => [ip.floating_ip_address, ip.port_id ? 'attached' : 'free']),
);
show('published address', addressOf(sandbox));
await it.close();
