/** A load balancer in ERROR whose address was published: failed over, rebuilt, or left to a person (decision 310). */
import { afterEach, describe, expect, test } from 'vitest';
import type { OctaviaOptions } from '../../../infra/sandbox/openstack/octavia/traits.ts';
import { breaks, failing } from '../../support/failing.ts';
import { pause, startSandboxWorld, type SandboxWorld } from '../../support/sandbox-world.ts';
import { LOAD_BALANCER_ID, startSharedWorld, type SharedWorld } from '../../support/shared-world.ts';
import { addressOf, cloudWrites, eventsOf, leftovers, readyOf } from '../../support/told.ts';

const INTERNAL = { 'service.beta.kubernetes.io/openstack-internal-load-balancer': 'true' };
const FAILOVER = 'PUT loadbalancers/ID/failover';

let it: SandboxWorld;
afterEach(() => it.close());

/** A world in which Service `web` is served. */
async function served(failover: OctaviaOptions['failover'], annotations = {}): Promise<void> {
  it = await startSandboxWorld({ octavia: { failover } });
  await it.make({ annotations });
}

const sharedWorld = async (): Promise<SharedWorld> => (it = await startSharedWorld());

const ids = (): readonly string[] => it.cloud.loadbalancers.map(({ id }) => id);
const failovers = (): number => cloudWrites(it).filter((write) => write === FAILOVER).length;

describe('a load balancer in ERROR', () => {
  test('is failed over where the cloud allows it, and is what it was', async () => {
    await served('mends');
    const failed = breaks(it);

    await it.sweepUntilSettled();

    expect(ids()).toEqual([failed]);
    expect(failovers()).toBe(1);
    expect(readyOf(it)).toMatchObject({ status: 'True' });
  });

  test.each(['forbidden', 'fails'] as const)(
    'is rebuilt beside when the failover %s: the floating IP moves, and nothing of the old one is left',
    async (failover) => {
      await served(failover);
      const address = addressOf(it);
      const failed = breaks(it);

      await it.sweepUntilSettled();

      const [lb, ...others] = it.cloud.loadbalancers;
      expect(others).toEqual([]);
      expect(lb?.id).not.toBe(failed);
      expect(failovers()).toBe(1);
      expect(addressOf(it)).toBe(address);
      expect(it.cloud.floatingips.map(({ port_id }) => port_id)).toEqual([lb?.vip_port_id]);
      expect(leftovers(it)).toMatchObject({ loadbalancers: 1, listeners: 1, pools: 1, vipPorts: 1 });
      expect(readyOf(it)).toMatchObject({ status: 'True' });
      await it.remove('web');
      expect(leftovers(it)).toEqual({});
    },
  );

  test('that may still serve waits for a person, and is rebuilt when that is approved', async () => {
    await served('forbidden');
    const address = addressOf(it);
    const failed = breaks(it, 'web', 'DEGRADED');

    const { outcome } = await it.settle('web');

    expect(addressOf(it)).toBe(address);
    expect(outcome).toMatchObject({ status: 'failed', code: 'LOAD_BALANCER_ERROR' });
    expect(ids()).toEqual([failed]);
    expect(it.told()).toContain('may still serve, since its operating status is DEGRADED');
    it.approve();
    await it.sweepUntilSettled();
    expect(ids()).not.toContain(failed);
    expect(readyOf(it)).toMatchObject({ status: 'True' });
  });

  const unchecked = (): void => {
    for (const member of it.cloud.members) member.operating_status = 'NO_MONITOR';
  };
  const addForeign = (): void => {
    const [ours] = it.cloud.listeners;
    const foreign = { id: it.cloud.newId(), name: 'foreign', tags: [], protocol_port: 9999 };
    if (ours) it.cloud.listeners.push({ ...ours, ...foreign, default_pool_id: null });
  };
  const NAMED = { ...INTERNAL, 'loadbalancer.openstack.org/hostname': 'a.example.org' };
  test.each<readonly [string, Record<string, string>, change: () => void, why: string]>([
    ['where it is internal', INTERNAL, () => undefined, 'the Service would get another address'],
    ['where a hostname hides the address', NAMED, () => undefined, 'the Service would get another address'],
    ['with a member that nobody checks', {}, unchecked, 'is NO_MONITOR'],
    ['with a listener of somebody else', {}, addForeign, "a resource on it is not levelset's"],
  ])('%s is not rebuilt, and waits for a person', async (_, annotations, change, why) => {
    await served('fails', annotations);
    const failed = breaks(it);
    change();

    await it.settle('web');

    expect(ids()).toEqual([failed]);
    expect(failovers()).toBe(1);
    expect(it.told()).toContain(why);
  });

  test('that a person made is neither failed over nor offered to be rebuilt', async () => {
    const shared = await sharedWorld();
    const subnet = it.cloud.subnets.find(({ cidr }) => cidr.startsWith('10.'))?.id;
    const edge = { name: 'edge', vip_subnet_id: subnet, tags: ['levelset-allow=*'] };
    const { id } = await it.world.cloud.create('loadbalancer', edge);
    await pause(30);
    const floating = it.cloud.addFloatingIp();
    Object.assign(floating, { port_id: shared.lb().vip_port_id, fixed_ip_address: shared.lb().vip_address });
    await shared.put('web', 80, { [LOAD_BALANCER_ID]: id });
    breaks(it, 'edge');

    await it.settle('web');

    expect(ids()).toEqual([id]);
    expect(failovers()).toBe(0);
    expect(floating.port_id).toBe(shared.lb().vip_port_id);
    expect(it.told()).toContain('a person did');
    expect(it.told()).not.toContain('approve with');
  });

  test.each([
    ['that Services share', false, 'share it'],
    ['that was made for another Service, which left it,', true, 'which left it to this one'],
  ])('%s is failed over, and never rebuilt', async (_, hasLeft, why) => {
    const shared = await sharedWorld();
    const id = await shared.owner();
    await shared.join('api', 81);
    if (hasLeft) await it.remove('web');
    await it.sweepUntilSettled();
    breaks(it);

    for (const name of hasLeft ? ['api', 'api'] : ['web', 'api', 'web']) await it.settle(name);

    expect([ids(), failovers()]).toEqual([[id], 1]);
    expect(it.told(hasLeft ? 'api' : 'web')).toContain(why);
  });

  test('is neither failed over nor rebuilt with --deletion-share=0%', async () => {
    await served('mends');
    const failed = breaks(it);

    await it.settle('web', {}, { ...it.world, config: { ...it.world.config, deletionPercent: 0 } });

    expect(ids()).toEqual([failed]);
    expect(failovers()).toBe(0);
    expect(it.told()).toContain('--deletion-share=0% allows no');
  });

  test('is failed over after all when Octavia was away at the first try', async () => {
    await served('mends');
    const failed = breaks(it);
    failing(it, 'PUT', /\/failover$/, 503, { times: 1 });

    await it.settle('web');
    await it.sweepUntilSettled();

    expect(ids()).toEqual([failed]);
    expect(readyOf(it)).toMatchObject({ status: 'True' });
  });
});

test('a load balancer that stays in PENDING is reported once, with the commands for whoever runs the cloud', async () => {
  await served('mends');
  const [id = ''] = ids();
  it.cloud.setStatus(id, 'PENDING_UPDATE');
  const later = it.later(61 * 60_000);

  const report = await it.settle('web', {}, later);
  await it.settle('web', {}, later);

  expect(report.outcome).toMatchObject({ status: 'failed', code: 'LOAD_BALANCER_STUCK' });
  expect(readyOf(it)).toMatchObject({ status: 'True' }); // it serves
  expect(it.told()).toContain(`WHERE id = '${id}'`);
  expect(eventsOf(it).filter((event) => event.startsWith('Sync'))).toEqual(['SyncLoadBalancerFailed x1']);
  it.cloud.setStatus(id, 'ACTIVE');
  expect(await it.settle('web', {}, later)).toMatchObject({ outcome: { status: 'settled' } });
});
