import { expect, onTestFinished, test } from 'vitest';
import { Work } from '../../../functions/serve/work.ts';
import type { Report } from '../../../shared/model/outcome.ts';
import { pause, startSandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';

test('a load balancer that is stuck without our tag is asked for by its id, later each time', async () => {
  const it = await startSandboxWorld();
  const { cloud, requests } = it.sandbox;
  it.sandbox.kube.apply(aService());
  await it.settle('web');
  for (const one of [...cloud.loadbalancers, ...cloud.listeners])
    Object.assign(one, { tags: one.tags.filter((tag) => !tag.startsWith('levelset-')) });
  let status = 'PENDING_UPDATE';
  Object.defineProperty(cloud.loadbalancers[0], 'provisioning_status', {
    get: () => status,
    set: (next: string) => (status = next),
  });
  const world = await it.another();
  const reports: Report[] = [];
  const work = new Work({
    connected: {
      world,
      cluster: async () => ({ id: await world.kube.clusterId(), name: world.config.clusterName }),
    },
    reported: (report) => reports.push(report),
    swept: () => undefined,
  });
  onTestFinished(async () => {
    await work.stop();
    await it.close();
  });
  await work.enqueue([{ key: 'service/default/web', trigger: 'audit' }]);
  while (reports.length === 0) await pause(5);
  const before = requests.length;

  await pause(2_600);
  expect(reports.map(({ outcome }) => outcome)).toMatchObject([{ status: 'progressing' }]);
  const asked = requests.slice(before).map(({ path }) => path);
  expect(asked.length).toBeGreaterThan(1);
  // a list and a GET for each of at most five polls, and what the first one needs
  expect(asked.length).toBeLessThanOrEqual(12);

  status = 'ACTIVE';
  while (reports.at(-1)?.outcome.status !== 'settled') await pause(5);
});
