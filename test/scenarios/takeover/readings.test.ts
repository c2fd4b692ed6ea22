/** What OCCM made: annotations that it read otherwise than levelset, and the other pool that it made by itself for the PROXY protocol. */
import { beforeEach, expect, test } from 'vitest';
import { makeAsGoProvider } from '../../support/old-controllers.ts';
import type { Attributes } from '../../../shared/model/resources.ts';
import type { AwaitingApproval } from '../../../shared/model/plan.ts';
import { inEachTest, pause, startSandboxWorld } from '../../support/sandbox-world.ts';

const OCCM = 'loadbalancer.openstack.org/';
const APPROVE = 'levelset.openstack.org/approve';
const PROXY = `${OCCM}proxy-protocol`;
const INTERNAL = { 'service.beta.kubernetes.io/openstack-internal-load-balancer': 'true' };
const OTHER = '7d7d7d7d-0000-4000-8000-000000000002';

const it = inEachTest(() => startSandboxWorld());
beforeEach(async () => {
  const { subnets } = it.cloud;
  const [first] = subnets.filter(({ cidr }) => cidr.startsWith('10.'));
  if (first) subnets.push({ ...first, id: OTHER, cidr: '10.8.0.0/16' });
  await makeAsGoProvider(it);
});

const RANGES = 'service.beta.kubernetes.io/load-balancer-source-ranges';

const PASSING = ['tags', 'updated_at', 'revision_number'];

/** Everything but tags and times. */
function settings(): unknown {
  const { listeners, pools, members, healthmonitors, floatingips } = it.cloud;
  return [listeners, pools, members, healthmonitors, floatingips].map((rows) =>
    rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !PASSING.includes(name)))),
  );
}

test('proxy-protocol True, which was off, waits, and who approves it hears what backends must speak', async () => {
  const before = structuredClone(settings());
  it.edit({ annotations: { [PROXY]: 'True' } });
  await it.settle('web');

  expect(settings()).toEqual(before);
  expect(it.told()).toContain('the backends must speak the PROXY protocol then');
  expect(it.told()).toContain(`waits for approval ${it.approval()} (`);

  it.approve();
  await it.settle('web');
  expect(it.cloud.pools).toMatchObject([{ protocol: 'PROXY' }]);
});

test.each([
  ['a block of YAML', '192.0.2.0/24\n', [], ['192.0.2.0/24']],
  ['a line for each', '192.0.2.0/24,\n198.51.100.0/24\n', [], ['192.0.2.0/24', '198.51.100.0/24']],
  ['with a space, which the field of the spec outdoes', ' 10.0.0.0/8', ['192.0.2.0/24'], ['192.0.2.0/24']],
  ['empty, beside the field of the spec', '', ['192.0.2.0/24'], ['192.0.2.0/24']],
])('source ranges count at once as OCCM reads them: %s', async (_, text, ofSpec, ranges) => {
  it.edit({ annotations: { [RANGES]: text }, spec: { loadBalancerSourceRanges: ofSpec } });
  await it.settle('web');

  expect(it.cloud.listeners).toMatchObject([{ allowed_cidrs: ranges }]);
  expect(it.told()).not.toContain('waits for approval');
});

test('a floating IP waits also while Octavia is at work, and nobody knows what is on the load balancer', async () => {
  const [ip] = structuredClone(it.cloud.floatingips);
  it.edit({ annotations: INTERNAL });
  Object.assign(it.cloud, { pendingMs: 3_600_000 });

  for (let runs = 0; runs < 3; runs += 1) await it.once();

  expect(it.cloud.loadbalancers).toMatchObject([{ provisioning_status: 'PENDING_UPDATE' }]);
  expect(it.cloud.floatingips).toMatchObject([{ id: ip?.id, port_id: ip?.port_id }]);
});

type Change = Parameters<typeof it.edit>[0];

/** What waits after the Service has come to rest with this as well. */
async function ask(change: Change): Promise<readonly AwaitingApproval[]> {
  it.edit(change);
  expect((await it.settle('web')).outcome.status).toBe('settled');
  return (await it.settle('web', { dryRun: true })).plan?.awaitingApproval ?? [];
}

const poolInUse = (): string => it.cloud.listeners[0]?.default_pool_id ?? '';

/** How clients are served, but for the protocol of the pool. */
function served(): unknown {
  const { pools, members, healthmonitors, floatingips } = it.cloud;
  const shown = ['address', 'protocol_port', 'subnet_id', 'weight', 'backup', 'monitor_port'];
  return {
    pools: pools.map((pool) => [pool['session_persistence'], pool['lb_algorithm']]),
    members: members.map((member) => shown.map((name) => (member as Attributes)[name])).sort(),
    monitors: healthmonitors.map((one) => ['delay', 'timeout', 'max_retries', 'type'].map((of) => one[of])),
    floatingips: floatingips.map(({ port_id }) => port_id),
  };
}

const ASKED: readonly { readonly waits: string; readonly asks: Change }[] = [
  { waits: 'session persistence', asks: { spec: { sessionAffinity: 'ClientIP' } } },
  { waits: 'another subnet of the members', asks: { annotations: { [`${OCCM}member-subnet-id`]: OTHER } } },
  { waits: 'a monitor that goes', asks: { annotations: { [`${OCCM}enable-health-monitor`]: 'false' } } },
  { waits: 'a floating IP that goes', asks: { annotations: INTERNAL } },
];

test.each(ASKED)('$waits still waits in the other pool, and is done when approved', async ({ asks }) => {
  Object.assign(it.cloud.members[0] ?? {}, { weight: 7 });
  await it.settle('web');
  const waits = await ask(asks);
  const [before, pool] = [served(), poolInUse()];

  const after = await ask({ annotations: { [PROXY]: 'true' } });

  expect(waits).toHaveLength(1);
  expect(poolInUse()).not.toBe(pool);
  expect(it.cloud.pools).toMatchObject([{ protocol: 'PROXY' }]);
  expect(served()).toEqual(before);
  expect(after).toEqual(waits);

  expect(await ask({ annotations: { [APPROVE]: waits[0]?.approval ?? '' } })).toEqual([]);
  expect(served()).not.toEqual(before);
});

test('members that a person added serve on in the other pool', async () => {
  await it.settle('web');
  const theirs = { address: '10.0.0.99', protocol_port: 9000, weight: 5 };
  const pool = poolInUse();
  await it.world.cloud.create('member', theirs, pool);
  await pause(30);

  await ask({ annotations: { [PROXY]: 'true' } });
  await it.sweepUntilSettled();

  const found = it.cloud.members.filter(({ address }) => address === theirs.address);
  expect(found).toMatchObject([{ ...theirs, name: '', pool_id: poolInUse() }]);
  expect(poolInUse()).not.toBe(pool);
  expect(it.cloud.members).toHaveLength(4);
});
