/**
 * A load balancer of the Go provider is stuck in PENDING_UPDATE before levelset could tag it. The poll does not find it by
 * tag, so levelset runs its key every 0.7 s for as long as Octavia is stuck, and the delay never grows.
 */
import { Work } from '../../../functions/serve/work.ts';
import type { Report } from '../../../shared/model/outcome.ts';
import { pause, startSandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { connectedTo, show } from '../show.ts';

const it = await startSandboxWorld();
const { cloud, requests } = it.sandbox;
it.sandbox.kube.apply(aService());
await it.settle('web');
const foreign = (tags: readonly string[]): string[] => tags.filter((tag) => !tag.startsWith('levelset-'));
for (const one of [...cloud.loadbalancers, ...cloud.listeners])
  Object.assign(one, { tags: foreign(one.tags) });
Object.defineProperty(cloud.loadbalancers[0], 'provisioning_status', {
  get: () => 'PENDING_UPDATE',
  set: () => undefined,
});
const reports: Report[] = [];
const work = new Work({
  connected: connectedTo(await it.another()),
  reported: (report) => {
    reports.push(report);
  },
  swept: () => undefined,
});
const before = requests.length;
work.enqueue([{ key: 'service/default/web', trigger: 'audit' }]);
for (const seconds of [5, 10, 15]) {
  await pause(5_000);
  show(`after ${seconds} s`, `${reports.length} runs, ${requests.length - before} requests`);
}
show('outcome', reports.at(-1)?.outcome);
await work.stop();
await it.close();
