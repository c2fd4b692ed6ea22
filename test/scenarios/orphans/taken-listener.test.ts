/** What levelset made on a listener that a person has taken over, when its Service is gone (decision 292). */
import { expect, test } from 'vitest';
import { startCluster } from '../../support/clusters/cluster.ts';
import { aService } from '../../support/service.ts';

test('an L7 policy of ours stays on a listener that a person has taken over, and nothing else of ours does', async () => {
  const it = startCluster({ deletionPercent: 100 });
  const { cloud, kube } = it.inside;
  const annotations = {
    'levelset.openstack.org/redirect-http.80': 'true',
    'levelset.openstack.org/redirect-host': 'app.example.org',
  };
  const http = { name: 'http', port: 80, nodePort: 30_080, appProtocol: 'http' };
  kube.apply(
    aService({ annotations, spec: { ports: [http, { name: 'tcp', port: 443, nodePort: 30_443 }] } }),
  );
  await it.run({ key: 'service/default/web', trigger: 'audit' });
  for (let sweeps = 0; sweeps < 2; sweeps += 1) {
    it.inside.advanceClock(3_000);
    await it.sweep();
  }
  const taken = cloud.listeners.find(({ protocol_port: port }) => port === 80);
  expect(cloud.l7policies.map(({ listener_id: on }) => on)).toEqual([taken?.id]);
  Object.assign(taken ?? {}, { name: 'of a person', tags: [] });
  const policies = structuredClone([...cloud.l7policies]);

  it.lose('web');
  for (let sweeps = 0; sweeps < 4; sweeps += 1) {
    it.inside.advanceClock(3_000);
    await it.sweep();
  }

  expect(cloud.listeners.map(({ name }) => name)).toEqual(['of a person']);
  expect(cloud.l7policies).toEqual(policies);
  expect(cloud.floatingips.filter(({ tags }) => tags.length > 0)).toEqual([]);
  expect(cloud.loadbalancers.map(({ tags }) => tags)).toEqual([[]]);
  expect((await it.sweep()).requests).toEqual([]);
});
