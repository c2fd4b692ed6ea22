/** Attacks by what tenants can write: each test makes one, and checks everything that levelset did. */
import { describe, expect, test } from 'vitest';
import { sweep } from '../../../shared/sweep.ts';
import { inEachTest, pause, startSandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { addressOf } from '../../support/told.ts';

const it = inEachTest(() => startSandboxWorld());

describe('tags and names that somebody else in the project wrote', () => {
  async function aLoadBalancer(attributes: Readonly<Record<string, unknown>>): Promise<string> {
    const subnet = it.cloud.subnets.find(({ cidr }) => cidr.startsWith('10.'));
    const made = await it.world.cloud.create('loadbalancer', { vip_subnet_id: subnet?.id, ...attributes });
    await pause(30);
    const listener = { name: 'theirs', protocol: 'TCP', protocol_port: 9999, loadbalancer_id: made.id };
    await it.world.cloud.create('listener', listener);
    await pause(30);
    return made.id;
  }
  const idsOf = (): readonly string[] => it.cloud.loadbalancers.map(({ id }) => id);
  const theirs = (): boolean => it.cloud.listeners.some(({ name }) => name === 'theirs');

  async function ours() {
    await it.make();
    const isOurs = (tag: string): boolean => tag.startsWith('levelset-name=');
    const lb = it.cloud.loadbalancers.find(({ tags }) => tags.some(isOurs));
    return { id: lb?.id ?? '', tags: [...(lb?.tags ?? [])], name: lb?.name ?? '' };
  }

  test('all tags and the name of ours, on one that is older, take neither the address nor anything of theirs, and wake no sweep', async () => {
    const stranger = await aLoadBalancer({ name: 'theirs' });
    await pause(1_100);
    const mine = await ours();
    const address = addressOf(it);
    await it.world.cloud.update('loadbalancer', stranger, { tags: mine.tags, name: mine.name });
    await pause(30);

    await it.sweepUntilSettled();
    await it.settle('web', { trigger: 'command' });

    expect(idsOf().toSorted()).toEqual([stranger, mine.id].toSorted());
    expect(theirs()).toBe(true);
    expect(addressOf(it)).toBe(address);
    const { vip_port_id: vip } = it.cloud.loadbalancers.find(({ id }) => id === mine.id) ?? {};
    expect(it.cloud.floatingips[0]?.port_id).toBe(vip);
    await pause(2_100);
    await it.sweepUntilSettled();
    expect((await sweep(it.world)).requests).toEqual([]);
  });

  test.each([
    ['a listener of another Service', ['kube_service_kubernetes_default_api'], undefined],
    ['a pool that nothing uses', ['kube_service_kubernetes_default_web'], 'their pool'],
  ] as const)('one that looks as if we had made it twice stays with %s', async (_, own, pool) => {
    const mine = await ours();
    const [cluster = ''] = mine.tags.filter((tag) => tag.startsWith('levelset-cluster='));
    const stranger = await aLoadBalancer({ name: mine.name, tags: mine.tags });
    const listener = it.cloud.listeners.find(({ name }) => name === 'theirs')?.id ?? '';
    await it.world.cloud.update('listener', listener, { tags: [cluster, ...own] });
    await pause(30);
    const attributes = { name: pool, protocol: 'TCP', lb_algorithm: 'ROUND_ROBIN' };
    if (pool) await it.world.cloud.create('pool', { ...attributes, loadbalancer_id: stranger });
    await pause(30);

    await it.settle('web', { trigger: 'command' });

    expect(idsOf().toSorted()).toEqual([stranger, mine.id].toSorted());
  });

  test('a tag that claims to replace ours moves no address', async () => {
    const mine = await ours();
    const tags = [...mine.tags, `levelset-replaces=${mine.id}`];
    const stranger = await aLoadBalancer({ name: 'theirs', tags });
    const port = it.cloud.floatingips[0]?.port_id;

    await it.sweepUntilSettled();
    await it.settle('web', { trigger: 'command' });

    expect(idsOf().toSorted()).toEqual([stranger, mine.id].toSorted());
    expect(theirs()).toBe(true);
    expect(it.cloud.floatingips[0]?.port_id).toBe(port);
  });

  test('another one’s floating IP, marked as the Service’s, stays where it is attached', async () => {
    const mine = await ours();
    const stranger = await aLoadBalancer({ name: 'theirs' });
    const [own] = it.cloud.floatingips;
    const ip = it.cloud.addFloatingIp(undefined, own?.description);
    ip.tags = [...(own?.tags ?? [])];
    ip.port_id = it.cloud.loadbalancers.find(({ id }) => id === stranger)?.vip_port_id ?? null;
    const port = ip.port_id;

    await it.sweepUntilSettled();
    await it.remove('web');
    await it.sweepUntilSettled();

    expect(mine.id).not.toBe(stranger);
    expect(it.cloud.floatingips).toEqual([ip]);
    expect(ip.port_id).toBe(port);
  });
});

test('a floating IP out of reach is not taken, and the Service says who can allow it', async () => {
  const confined = await it.another({ reach: 'allowed' });
  const mine = it.cloud.addFloatingIp();
  it.kube.apply(aService({ spec: { loadBalancerIP: mine.floating_ip_address } }));

  await it.sweepUntilSettled(confined);

  expect(mine.port_id).toBeNull();
  expect(it.told()).toContain(`--allowed-references=default/floatingip/${mine.floating_ip_address}`);
  const allowed = { namespace: 'default', kind: 'floatingip', id: mine.floating_ip_address } as const;
  await it.sweepUntilSettled(await it.another({ reach: 'allowed', allowedReferences: [allowed] }));
  expect(addressOf(it)).toBe(mine.floating_ip_address);
});
