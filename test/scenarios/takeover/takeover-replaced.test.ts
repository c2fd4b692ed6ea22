/** OCCM made another pool for the PROXY protocol by itself, so levelset does, and what waits there still waits. */
import { beforeEach, expect, test } from 'vitest';
import type { Attributes } from '../../../shared/model/resources.ts';
import type { AwaitingApproval } from '../../../shared/model/plan.ts';
import { makeAsGoProvider } from '../../support/old-controllers.ts';
import { inEachTest, pause, startSandboxWorld } from '../../support/sandbox-world.ts';

const OWN = 'levelset.openstack.org/';
const OCCM = 'loadbalancer.openstack.org/';
const OTHER = '7d7d7d7d-0000-4000-8000-000000000002';
const PROXY = { [`${OCCM}proxy-protocol`]: 'true' };

const it = inEachTest(() => startSandboxWorld());
beforeEach(() => {
  const { subnets } = it.sandbox.cloud;
  const [first] = subnets.filter(({ cidr }) => cidr.startsWith('10.'));
  if (first) subnets.push({ ...first, id: OTHER, cidr: '10.8.0.0/16' });
});

type Annotations = Readonly<Record<string, string>>;
interface Change {
  readonly annotations?: Annotations;
  readonly spec?: Readonly<Record<string, unknown>>;
}

/** What waits after the Service has come to rest with this as well. */
async function ask({ annotations = {}, spec = {} }: Change): Promise<readonly AwaitingApproval[]> {
  const metadata = { name: 'web', namespace: 'default', annotations };
  it.sandbox.kube.apply({ kind: 'Service', metadata, spec });
  expect((await it.settle('web')).outcome.status).toBe('settled');
  return (await it.settle('web', { dryRun: true })).plan?.awaitingApproval ?? [];
}

function approve(awaitingApproval: readonly AwaitingApproval[]): Promise<readonly AwaitingApproval[]> {
  return ask({ annotations: { [`${OWN}approve`]: awaitingApproval[0]?.approval ?? '' } });
}

const poolInUse = (): string => it.sandbox.cloud.listeners[0]?.default_pool_id ?? '';

/** How clients are served, but for the protocol of the pool. */
function served(): unknown {
  const { pools, members, healthmonitors, floatingips } = it.sandbox.cloud;
  const shown = ['address', 'protocol_port', 'subnet_id', 'weight', 'backup', 'monitor_port'];
  return {
    pools: pools.map((pool) => [pool['session_persistence'], pool['lb_algorithm']]),
    members: members.map((member) => shown.map((name) => (member as Attributes)[name])).sort(),
    monitors: healthmonitors.map(({ delay, timeout, max_retries, type }) => [
      delay,
      timeout,
      max_retries,
      type,
    ]),
    floatingips: floatingips.map(({ port_id }) => port_id),
  };
}

const ASKED: readonly { readonly waits: string; readonly asks: Change }[] = [
  { waits: 'session persistence', asks: { spec: { sessionAffinity: 'ClientIP' } } },
  { waits: 'another subnet of the members', asks: { annotations: { [`${OCCM}member-subnet-id`]: OTHER } } },
  { waits: 'a monitor that goes', asks: { annotations: { [`${OCCM}enable-health-monitor`]: 'false' } } },
  {
    waits: 'a floating IP that goes',
    asks: { annotations: { 'service.beta.kubernetes.io/openstack-internal-load-balancer': 'true' } },
  },
];

test.each(ASKED)(
  '$waits still waits in the other pool, and is done when it is approved',
  async ({ asks }) => {
    await makeAsGoProvider(it);
    Object.assign(it.sandbox.cloud.members[0] ?? {}, { weight: 7 });
    await it.settle('web');
    const waits = await ask(asks);
    const [before, pool] = [served(), poolInUse()];

    const after = await ask({ annotations: PROXY });

    expect(waits).toHaveLength(1);
    expect(poolInUse()).not.toBe(pool);
    expect(it.sandbox.cloud.pools).toMatchObject([{ protocol: 'PROXY' }]);
    expect(served()).toEqual(before);
    expect(after).toEqual(waits);

    expect(await approve(waits)).toEqual([]);
    expect(served()).not.toEqual(before);
  },
);

test('members that a person added serve on in the other pool', async () => {
  await makeAsGoProvider(it);
  await it.settle('web');
  const theirs = { address: '10.0.0.99', protocol_port: 9000, weight: 5 };
  const pool = poolInUse();
  await it.world.cloud.create('member', theirs, pool);
  await pause(30);

  await ask({ annotations: PROXY });
  await it.sweepUntilSettled();

  const found = it.sandbox.cloud.members.filter(({ address }) => address === theirs.address);
  expect(found).toMatchObject([{ ...theirs, name: '', pool_id: poolInUse() }]);
  expect(poolInUse()).not.toBe(pool);
  expect(it.sandbox.cloud.members).toHaveLength(4);
});
