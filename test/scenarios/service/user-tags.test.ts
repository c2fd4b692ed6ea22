/** Tags that a Service asks for, on a load balancer that others use as well. */
import { expect, test } from 'vitest';
import { aService } from '../../support/service.ts';
import { inEachTest, startSandboxWorld } from '../../support/sandbox-world.ts';

const OWN = 'levelset.openstack.org/';
const SHARED = { [`${OWN}load-balancer-name`]: 'shop' };

const it = inEachTest(() => startSandboxWorld());

test('stay while others come, and go with the Service that asked', async () => {
  const { kube, cloud } = it.sandbox;
  const port = (number: number) => ({ ports: [{ name: 'web', port: number }] });
  kube.apply(aService({ annotations: { ...SHARED, [`${OWN}tags`]: 'paid' }, spec: port(80) }));
  await it.settle('web');
  Object.assign(cloud.loadbalancers[0] ?? {}, {
    tags: [...(cloud.loadbalancers[0]?.tags ?? []), 'by hand'],
  });
  kube.apply(aService({ name: 'api', annotations: SHARED, spec: port(8080) }));
  await it.settle('api');
  expect(cloud.loadbalancers).toHaveLength(1);
  expect(cloud.loadbalancers[0]?.tags).toEqual(expect.arrayContaining(['paid', 'by hand']));

  kube.delete('Service', 'default', 'web');
  await it.settle('web');
  expect(cloud.loadbalancers[0]?.tags).toContain('by hand');
  expect(cloud.loadbalancers[0]?.tags.filter((tag) => tag.includes('paid'))).toEqual([]);
});
