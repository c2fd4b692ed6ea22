import { expect, test } from 'vitest';
import { OTHER_SUBNET, type Wire } from '../../../support/cloud-contents.ts';
import { aConfig } from '../../../support/config.ts';
import { aStoredService } from '../../../support/service.ts';
import { SimulatedCloud } from '../../../support/simulated-cloud.ts';
import { aDualNode } from '../../../laws/arbitrary.ts';
import { CLUSTER, comparison } from '../../../laws/drive.ts';

const managed = aConfig(undefined, { manageSecurityGroups: true });
const service = aStoredService();
const { uid } = service.metadata;
const nodes = [aDualNode(1)];
const OURS = [`levelset-cluster=${CLUSTER.id}`, `levelset-service=${uid}`, 'levelset-name=default/web'];

/** As OCCM makes it. */
const group: Wire = {
  id: '77777777-0000-4000-8000-000000000001',
  name: `lb-sg-${uid}-default-web`,
  description: 'Security Group for default/web Service LoadBalancer in cluster elsewhere',
  tags: [],
};

test.each([
  ['OCCM made, whatever the cluster was called then', {}, true],
  ['has its name and is about something else', { description: 'my firewall' }, false],
  ['another cluster has taken', { tags: ['levelset-cluster=other'] }, false],
  ['is ours under another name', { name: 'renamed', description: '', tags: OURS }, true],
])('whether a group that %s is the security group of a Service', async (_, differs, isIts) => {
  const cloud = new SimulatedCloud({ securitygroup: [{ ...group, ...differs }] });
  const { plan } = await comparison(service, nodes, cloud, managed);
  const made = plan.steps.filter(({ kind, verb }) => kind === 'securitygroup' && verb === 'create');
  expect(made).toHaveLength(isIts ? 0 : 1);
});

/** A Neutron before Train. */
class Old extends SimulatedCloud {
  override list(...[kind, query = {}]: Parameters<SimulatedCloud['list']>) {
    const { security_groups: _, ...known } = query;
    return super.list(kind, known);
  }
}

test('of all ports, which a Neutron lists that does not know the filter, only those with the group count', async () => {
  const cloud = new Old({ securitygroup: [{ ...group, tags: OURS }] });
  Object.assign(cloud.all('port')[2] ?? {}, { security_groups: [group.id] });
  const { observed } = await comparison(service, nodes, cloud, managed);
  const ports = observed.resources.filter(({ kind }) => kind === 'port');
  expect(ports.map(({ address }) => address)).toEqual(['port/10.0.0.1', 'port/10.0.0.3']);
});

test('a port that has the address of a Node in another subnet than that of the members does not count', async () => {
  const annotations = { 'loadbalancer.openstack.org/member-subnet-id': OTHER_SUBNET };
  const elsewhere = aStoredService({ annotations });
  const { observed } = await comparison(elsewhere, nodes, new SimulatedCloud(), managed);
  expect(observed.resources.filter(({ kind }) => kind === 'port')).toEqual([]);
});
