import { afterEach, beforeEach, expect, test } from 'vitest';
import { aService } from '../support/service.ts';
import { startSandboxWorld, type SandboxWorld } from '../support/sandbox-world.ts';

const INTERNAL = { 'service.beta.kubernetes.io/openstack-internal-load-balancer': 'true' };
const OPERATOR = 'f02c0e61f173495489118af8f1070c81';

let it: SandboxWorld;
beforeEach(async () => {
  it = await startSandboxWorld();
});
afterEach(() => it.close());

test('a network that another project shares is seen with its subnets, and serves for VIPs; one that it keeps is not', async () => {
  const { cloud } = it.sandbox;
  const inner = cloud.networks.find((network) => !network['router:external']);
  const subnets = () => it.world.cloud.list('subnet', { network_id: inner?.id ?? '' });
  Object.assign(inner ?? {}, { project_id: OPERATOR, tenant_id: OPERATOR });
  expect([await it.world.cloud.get('network', inner?.id ?? ''), await subnets()]).toEqual([undefined, []]);

  Object.assign(inner ?? {}, { shared: true });

  expect(await it.world.cloud.get('network', inner?.id ?? '')).toMatchObject({ shared: true });
  expect(await subnets()).not.toEqual([]);
  it.sandbox.kube.apply(aService({ annotations: INTERNAL }));
  expect((await it.settle('web')).outcome.status).toBe('settled');
  expect(cloud.loadbalancers.map(({ vip_network_id: id }) => id)).toEqual([inner?.id]);
});
