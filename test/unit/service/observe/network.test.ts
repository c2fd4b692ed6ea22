import { expect, test } from 'vitest';
import { NETWORKS, PUBLIC, PUBLIC_SUBNET, type Wire } from '../../../support/cloud-contents.ts';
import { aStoredService } from '../../../support/service.ts';
import { SimulatedCloud } from '../../../support/simulated-cloud.ts';
import { aDualNode } from '../../../laws/arbitrary.ts';
import { comparison, settle } from '../../../laws/drive.ts';

const MORE = 'aaaaaaaa-0000-4000-8000-0000000000ee';
const four = { id: 'aaaaaaaa-0000-4000-8000-0000000000e4', cidr: '192.0.2.0/24', network_id: MORE };
const six = { ...four, id: 'aaaaaaaa-0000-4000-8000-0000000000e6', cidr: '2001:db8::/64', ip_version: 6 };
const nodes = [aDualNode(1)];
const NAMED = { 'loadbalancer.openstack.org/floating-subnet-id': PUBLIC_SUBNET };
const HIDDEN = ['subnet-of-the-operator'];

test.each<
  [string, external: string[], more: Wire[], network?: string, annotations?: object, hidden?: string[]]
>([
  ['none of two', [MORE, PUBLIC], [four]],
  ['the one with IPv4 of two', [MORE, PUBLIC], [six], PUBLIC],
  ['the one of two whose subnet is named', [MORE, PUBLIC], [four], PUBLIC, NAMED],
  ['none where the only one has IPv6 alone', [MORE], [six]],
  ['none where the only one has no subnet', [MORE], []],
  ['one whose subnets the project cannot see', [MORE], [], MORE, {}, HIDDEN],
])('a Service gets a floating IP of %s', async (_, external, more, network, annotations = {}, hidden) => {
  const subnet = [...(NETWORKS.subnet ?? []), ...more];
  const cloud = new SimulatedCloud({ subnet, network: external.map((id) => ({ id })) });
  if (hidden) for (const wire of cloud.all('network')) wire['subnets'] = hidden;
  const { plan } = await comparison(aStoredService({ annotations: { ...annotations } }), nodes, cloud);
  const networks = plan.steps.flatMap((step) =>
    step.verb === 'create' && step.kind === 'floatingip' ? [step.attributes['floating_network_id']] : [],
  );
  expect(networks).toEqual(network === undefined ? [] : [network]);
});

test('a floating IP that is in use stays when a second external network appears and none is configured', async () => {
  const [service, cloud] = [aStoredService(), new SimulatedCloud()];
  await settle(service, nodes, cloud);
  cloud.add('network', { id: MORE, 'router:external': true });

  // a cloud with the same contents, asked for the first time
  const kinds = ['loadbalancer', 'listener', 'pool', 'member', 'healthmonitor', 'floatingip', 'network'];
  const later = new SimulatedCloud(
    Object.fromEntries(kinds.map((kind) => [kind, cloud.all(kind as 'pool')])),
  );
  const { plan } = await comparison(service, nodes, later);
  expect(plan.steps).toEqual([]);
  expect(plan.problems).toMatchObject([{ field: 'loadbalancer.openstack.org/floating-network-id' }]);
});

test('a port that cannot be seen blocks the Service', async () => {
  const field = 'loadbalancer.openstack.org/port-id';
  const service = aStoredService({ annotations: { [field]: MORE } });
  const { plan } = await comparison(service, nodes, new SimulatedCloud());
  expect(plan.problems).toMatchObject([{ field, blocking: true }]);
});
