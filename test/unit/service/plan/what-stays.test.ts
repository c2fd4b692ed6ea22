import { expect, test } from 'vitest';
import { SimulatedCloud } from '../../../support/simulated-cloud.ts';
import { aStoredService } from '../../../support/service.ts';
import { aDualNode } from '../../../laws/arbitrary.ts';
import { CLUSTER, comparison, settle } from '../../../laws/drive.ts';

const service = aStoredService();
const nodes = [aDualNode(1)];

async function served(): Promise<SimulatedCloud> {
  const cloud = new SimulatedCloud();
  await settle(service, nodes, cloud);
  return cloud;
}

test('a floating IP that is in use stays when a second external network appears and none is configured', async () => {
  const cloud = await served();
  cloud.add('network', { id: 'aaaaaaaa-0000-4000-8000-0000000000aa', 'router:external': true });

  // a cloud with the same contents, asked for the first time
  const kinds = ['loadbalancer', 'listener', 'pool', 'member', 'healthmonitor', 'floatingip', 'network'];
  const later = new SimulatedCloud(
    Object.fromEntries(kinds.map((kind) => [kind, cloud.all(kind as 'pool')])),
  );
  const { plan } = await comparison(service, nodes, later);
  expect(plan.steps).toEqual([]);
  expect(plan.problems).toMatchObject([{ field: 'loadbalancer.openstack.org/floating-network-id' }]);
});

test('a load balancer that only might be ours is never removed as made twice', async () => {
  const goName = `kube_service_${CLUSTER.name}_default_web`;
  const cloud = await served();
  const [lb] = cloud.all('loadbalancer');
  if (lb)
    Object.assign(lb, { tags: [goName], description: 'Kubernetes external service default/web from x' });
  const id = '1b1b1b1b-0000-4000-8000-000000000002';
  const vip_port_id = 'dddddddd-0000-4000-8000-00000000ffff';
  cloud.add('loadbalancer', { ...lb, id, vip_port_id, created_at: '2025-01-01T00:00:00' });
  const ip = cloud.all('floatingip')[0]?.['floating_ip_address'];
  const { plan } = await comparison(
    {
      ...service,
      metadata: { ...service.metadata, annotations: { 'loadbalancer.openstack.org/load-balancer-id': id } },
      status: { loadBalancer: { ingress: [{ ip: String(ip) }] } },
    },
    nodes,
    cloud,
  );
  expect(plan.steps.filter(({ verb }) => verb === 'delete')).toEqual([]);
});
