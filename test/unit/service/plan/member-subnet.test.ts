import { describe, expect, test } from 'vitest';
import type { Config } from '../../../../shared/config/config.ts';
import type { Service } from '../../../../shared/model/kubernetes.ts';
import type { Step } from '../../../../shared/model/plan.ts';
import { executeWhole, evaluation, settle } from '../../../laws/drive.ts';
import { SimulatedCloud } from '../../../support/simulated-cloud.ts';
import { NETWORK, OTHER_SUBNET, SUBNET, SUBNET_IPV6 } from '../../../support/cloud-contents.ts';
import { aConfig } from '../../../support/config.ts';
import { aStoredService } from '../../../support/service.ts';

const MEMBER_SUBNET = 'loadbalancer.openstack.org/member-subnet-id';
const THIRD_SUBNET = 'aaaaaaaa-0000-4000-8000-000000000003';

const nodeAt = (number: number, ...more: readonly string[]) => ({
  metadata: { name: `node-${number}`, uid: `n${number}`, resourceVersion: '1' },
  status: { addresses: [`10.0.0.${number}`, ...more].map((address) => ({ type: 'InternalIP', address })) },
});
const nodes = [nodeAt(1), nodeAt(2)];

const service = (annotations: Record<string, string> = {}): Service => aStoredService({ annotations });
const inSubnet = (subnet: string): Service => service({ [MEMBER_SUBNET]: subnet });
const configured = (more: Partial<Config['loadBalancer']>): Config => aConfig(undefined, more);

/** A Service that was made with these wishes. */
async function served(from: Service, config?: Config): Promise<SimulatedCloud> {
  const cloud = new SimulatedCloud();
  cloud.add('subnet', { id: THIRD_SUBNET, cidr: '10.8.0.0/24', network_id: NETWORK });
  await settle(from, nodes, cloud, config);
  return cloud;
}

const inShort = (steps: readonly Step[]): readonly string[] =>
  steps.map(({ verb, address }) => `${verb} ${address}`);
const subnetsOf = (cloud: SimulatedCloud): readonly unknown[] =>
  cloud.all('member').map((member) => member['subnet_id']);

/** Somebody changes their mind when so many steps were made. */
async function interrupted(first: Service, cloud: SimulatedCloud, steps: number): Promise<void> {
  const seen = await evaluation(first, nodes, cloud);
  await executeWhole({ ...seen, plan: { ...seen.plan, steps: seen.plan.steps.slice(0, steps) } }, cloud);
}

describe('another member subnet', () => {
  test('is a new pool, said once however many members there are', async () => {
    const cloud = await served(service());
    const { plan } = await evaluation(inSubnet(OTHER_SUBNET), nodes, cloud);
    expect(inShort(plan.steps)).toEqual([
      'create pool/tcp/80/next',
      'members pool/tcp/80/next',
      'create monitor/tcp/80/next',
      'update listener/tcp/80',
      'delete pool/tcp/80',
    ]);
    expect(plan.steps[0]?.because).toBe(
      `member subnet_id ${SUBNET} -> ${OTHER_SUBNET}: the new pool is built beside the old one`,
    );
    await settle(inSubnet(OTHER_SUBNET), nodes, cloud);
    expect(subnetsOf(cloud)).toEqual([OTHER_SUBNET, OTHER_SUBNET]);
  });

  const asking: readonly (readonly [string, Service, Config])[] = [
    ['a class', service({ 'loadbalancer.openstack.org/class': 'other' }), classed()],
    ['cloud.conf', service(), configured({ memberSubnetId: OTHER_SUBNET })],
  ];
  test.each(asking)('may be asked for by %s', async (_by, asked, config) => {
    const cloud = await served(service());
    await settle(asked, nodes, cloud, config);
    expect(subnetsOf(cloud)).toEqual([OTHER_SUBNET, OTHER_SUBNET]);
  });

  test('that nobody asks for is none', async () => {
    const cloud = await served(inSubnet(OTHER_SUBNET));
    const ofFamily6 = await evaluation(inSubnet(SUBNET_IPV6), nodes, cloud);
    expect((await evaluation(service(), nodes, cloud)).plan.steps).toEqual([]);
    expect(ofFamily6.plan.steps).toEqual([]);
  });

  test('where each node has an address in it is an ordinary change of members', async () => {
    const cloud = await served(service());
    const both = [nodeAt(1, '10.9.0.1'), nodeAt(2, '10.9.0.2')];
    expect(inShort((await evaluation(inSubnet(OTHER_SUBNET), both, cloud)).plan.steps)).toEqual([
      'members pool/tcp/80',
    ]);
  });

  test('waits while no node can be used', async () => {
    const cloud = await served(service());
    expect((await evaluation(inSubnet(OTHER_SUBNET), [], cloud)).plan.steps).toEqual([]);
  });
});

test('an empty pool waits for a member subnet that the project cannot see, and one in use has its new Node', async () => {
  const vip = { 'loadbalancer.openstack.org/subnet-id': SUBNET };
  const unseen = service({ ...vip, [MEMBER_SUBNET]: 'aaaaaaaa-0000-4000-8000-00000000dead' });
  const empty = new SimulatedCloud();
  await settle(service(vip), [], empty);
  expect(empty.all('pool')).toHaveLength(1);
  const cloud = await served(inSubnet(OTHER_SUBNET));
  expect((await evaluation(unseen, nodes, empty)).plan.steps).toEqual([]);
  await settle(unseen, [...nodes, nodeAt(3)], cloud);
  expect(subnetsOf(cloud)).toEqual([OTHER_SUBNET, OTHER_SUBNET, OTHER_SUBNET]);
});

describe('a batch', () => {
  test.each([OTHER_SUBNET, null])(
    'leaves a member in its subnet (%s), which it could overwrite',
    async (has) => {
      const cloud = await served(service());
      const [first] = cloud.all('member');
      if (first) first['subnet_id'] = has;
      const { plan } = await evaluation(service(), [nodeAt(1), nodeAt(3), nodeAt(4)], cloud);
      const listed = plan.steps.flatMap((step) => (step.verb === 'members' ? step.members : []));
      expect(listed.map(({ address, subnet_id = null }) => [address, subnet_id])).toEqual([
        ['10.0.0.1', has],
        ['10.0.0.3', SUBNET],
        ['10.0.0.4', SUBNET],
      ]);
    },
  );
});

describe('an intent that changes half-way', () => {
  test.each([1, 2, 3])('never uses the pool of the intent before (%i steps)', async (steps) => {
    const cloud = await served(service());
    await interrupted(inSubnet(OTHER_SUBNET), cloud, steps);
    const [inUse, begun] = cloud.all('pool').map(({ id }) => id);
    const seen = await evaluation(inSubnet(THIRD_SUBNET), nodes, cloud);
    const turned = cloud.all('listener').map((listener) => listener['default_pool_id']);
    await executeWhole(seen, cloud);
    expect(turned).toEqual([inUse]);
    expect(subnetsOf(cloud)).toEqual([THIRD_SUBNET, THIRD_SUBNET]);
    const expected = steps === 1 ? [begun] : [];
    expect(cloud.all('pool').flatMap(({ id }) => (id === begun ? [id] : []))).toEqual(expected);
    expect(cloud.all('pool')).toHaveLength(1);
    expect((await evaluation(inSubnet(THIRD_SUBNET), nodes, cloud)).plan.steps).toEqual([]);
  });

  test('and wants it was gets the begun pool taken away, and nothing else', async () => {
    const cloud = await served(service());
    await interrupted(inSubnet(OTHER_SUBNET), cloud, 2);
    expect(inShort((await evaluation(service(), nodes, cloud)).plan.steps)).toEqual([
      'delete pool/tcp/80/next',
    ]);
  });

  test('does not wait for ever for a pool whose protocol its listener cannot have', async () => {
    const cloud = await served(service());
    await interrupted(service({ 'levelset.openstack.org/protocol': 'http' }), cloud, 1);
    await settle(service({ 'loadbalancer.openstack.org/proxy-protocol': 'true' }), nodes, cloud);
    expect(cloud.all('pool').map((pool) => pool['protocol'])).toEqual(['PROXY']);
  });
});

describe('a managed security group', () => {
  const managed = configured({ manageSecurityGroups: true });
  const openTo = (cloud: SimulatedCloud): readonly unknown[] =>
    cloud.all('securitygrouprule').map((rule) => rule['remote_ip_prefix']);

  test('stays open to the old subnet until the listener has turned', async () => {
    const cloud = await served(service(), managed);
    expect(openTo(cloud)).toEqual(['10.0.0.0/24']);
    await executeWhole(await evaluation(inSubnet(OTHER_SUBNET), nodes, cloud, managed), cloud);
    expect(openTo(cloud)).toEqual(['10.0.0.0/24', '10.9.0.0/24']);
    await settle(inSubnet(OTHER_SUBNET), nodes, cloud, managed);
    expect(openTo(cloud)).toEqual(['10.9.0.0/24']);
  });
});

function classed(): Config {
  const config = aConfig();
  return { ...config, loadBalancerClasses: { other: { memberSubnetId: OTHER_SUBNET } } };
}
