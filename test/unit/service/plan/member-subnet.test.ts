import { expect, test } from 'vitest';
import { executeWhole, evaluation, settle } from '../../../laws/drive.ts';
import { SimulatedCloud } from '../../../support/simulated-cloud.ts';
import { NETWORK, OTHER_SUBNET, SUBNET, SUBNET_IPV6 } from '../../../support/cloud-contents.ts';
import { aConfig } from '../../../support/config.ts';
import { aStoredService } from '../../../support/service.ts';

const MEMBER_SUBNET = 'loadbalancer.openstack.org/member-subnet-id';
const THIRD_SUBNET = 'aaaaaaaa-0000-4000-8000-000000000003';

const nodeAt = (number: number) => ({
  metadata: { name: `node-${number}`, uid: `n${number}`, resourceVersion: '1' },
  status: { addresses: [{ type: 'InternalIP', address: `10.0.0.${number}` }] },
});
const nodes = [nodeAt(1), nodeAt(2)];
const service = (annotations: Record<string, string> = {}) => aStoredService({ annotations });
const inSubnet = (subnet: string) => service({ [MEMBER_SUBNET]: subnet });

/** A Service that was made with these wishes. */
async function served(...[from, config]: [ReturnType<typeof service>, ReturnType<typeof aConfig>?]) {
  const cloud = new SimulatedCloud();
  cloud.add('subnet', { id: THIRD_SUBNET, cidr: '10.8.0.0/24', network_id: NETWORK });
  await settle(from, nodes, cloud, config);
  return cloud;
}
const subnetsOf = (cloud: SimulatedCloud): readonly unknown[] =>
  cloud.all('member').map((member) => member['subnet_id']);
const stepsOf = async (...given: Parameters<typeof evaluation>): Promise<readonly string[]> =>
  (await evaluation(...given)).plan.steps.map(({ verb, address }) => `${verb} ${address}`);

/** Somebody changes their mind when so many steps were made. */
async function interrupted(first: ReturnType<typeof service>, cloud: SimulatedCloud, steps: number) {
  const seen = await evaluation(first, nodes, cloud);
  await executeWhole({ ...seen, plan: { ...seen.plan, steps: seen.plan.steps.slice(0, steps) } }, cloud);
}

test('a member subnet of the other family changes nothing, and another one waits while no node can be used', async () => {
  const cloud = await served(inSubnet(OTHER_SUBNET));
  expect(await stepsOf(inSubnet(SUBNET_IPV6), nodes, cloud)).toEqual([]);
  expect(await stepsOf(inSubnet(SUBNET), [], cloud)).toEqual([]);
});

test('an empty pool waits for a member subnet that the project cannot see, and one in use has its new Node', async () => {
  const vip = { 'loadbalancer.openstack.org/subnet-id': SUBNET };
  const unseen = service({ ...vip, [MEMBER_SUBNET]: 'aaaaaaaa-0000-4000-8000-00000000dead' });
  const empty = new SimulatedCloud();
  await settle(service(vip), [], empty);
  expect(empty.all('pool')).toHaveLength(1);
  const cloud = await served(inSubnet(OTHER_SUBNET));
  expect(await stepsOf(unseen, nodes, empty)).toEqual([]);
  await settle(unseen, [...nodes, nodeAt(3)], cloud);
  expect(subnetsOf(cloud)).toEqual([OTHER_SUBNET, OTHER_SUBNET, OTHER_SUBNET]);
});

test.each([OTHER_SUBNET, null])(
  'a batch leaves a member in its subnet (%s), which it could overwrite',
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

test.each([1, 2, 3])(
  'an intent that changes half-way never uses the pool of the intent before (%i steps)',
  async (steps) => {
    const cloud = await served(service());
    await interrupted(inSubnet(OTHER_SUBNET), cloud, steps);
    const [inUse, begun] = cloud.all('pool').map(({ id }) => id);
    const seen = await evaluation(inSubnet(THIRD_SUBNET), nodes, cloud);
    expect(cloud.all('listener').map((listener) => listener['default_pool_id'])).toEqual([inUse]);
    await executeWhole(seen, cloud);
    expect(subnetsOf(cloud)).toEqual([THIRD_SUBNET, THIRD_SUBNET]);
    expect(cloud.all('pool').map(({ id }) => id === begun)).toEqual([steps === 1]);
    expect(await stepsOf(inSubnet(THIRD_SUBNET), nodes, cloud)).toEqual([]);
  },
);

test('an intent that wants half-way what was gets the begun pool taken away, and nothing else', async () => {
  const cloud = await served(service());
  await interrupted(inSubnet(OTHER_SUBNET), cloud, 2);
  expect(await stepsOf(service(), nodes, cloud)).toEqual(['delete pool/tcp/80/next']);
});

test('an intent does not wait for ever for a pool whose protocol its listener cannot have', async () => {
  const cloud = await served(service());
  await interrupted(service({ 'levelset.openstack.org/protocol': 'http' }), cloud, 1);
  await settle(service({ 'loadbalancer.openstack.org/proxy-protocol': 'true' }), nodes, cloud);
  expect(cloud.all('pool').map((pool) => pool['protocol'])).toEqual(['PROXY']);
});

test('a managed security group stays open to the old subnet until the listener has turned', async () => {
  const managed = aConfig(undefined, { manageSecurityGroups: true });
  const cloud = await served(service(), managed);
  const openTo = () => cloud.all('securitygrouprule').map((rule) => rule['remote_ip_prefix']);
  expect(openTo()).toEqual(['10.0.0.0/24']);
  await executeWhole(await evaluation(inSubnet(OTHER_SUBNET), nodes, cloud, managed), cloud);
  expect(openTo()).toEqual(['10.0.0.0/24', '10.9.0.0/24']);
  await settle(inSubnet(OTHER_SUBNET), nodes, cloud, managed);
  expect(openTo()).toEqual(['10.9.0.0/24']);
});
