import { describe, expect, test } from 'vitest';
import { aConfig } from '../../support/config.ts';
import { aService } from '../../support/service.ts';
import { inEachTest, pause, run } from '../../support/sandbox-world.ts';
import { LOAD_BALANCER_ID, startSharedWorld } from '../../support/shared-world.ts';
import { leftovers, readyOf, serviceOf } from '../../support/told.ts';

const it = inEachTest(() => startSharedWorld());

/** A load balancer that a person made, with a listener on it. */
async function usersOwn(tags: readonly string[] = []): Promise<string> {
  const subnet = it.sandbox.cloud.subnets.find(({ cidr }) => cidr.startsWith('10.'))?.id;
  const pool = { name: 'mine', protocol: 'TCP', lb_algorithm: 'ROUND_ROBIN', members: [] };
  const made = await it.world.cloud.create('loadbalancer', {
    name: 'mine',
    vip_subnet_id: subnet,
    tags,
    listeners: [{ name: 'mine', protocol: 'TCP', protocol_port: 9100, default_pool: pool }],
  });
  while (it.lb().provisioning_status !== 'ACTIVE') {
    await it.world.cloud.get('loadbalancer', made.id);
    await pause(5);
  }
  return made.id;
}

const picture = (): string =>
  JSON.stringify([it.lb(), it.sandbox.cloud.listeners, it.sandbox.cloud.pools, it.sandbox.cloud.floatingips]);

describe('a load balancer that was not made for the namespace', () => {
  test('is not touched without consent, and nothing is published', async () => {
    await it.owner();
    const before = picture();
    it.apply('api', 81, { [LOAD_BALANCER_ID]: it.lb().id }, 'other');

    const { outcome } = await it.settle('other/api');

    expect(outcome).toMatchObject({ status: 'blocked' });
    expect('reason' in outcome && outcome.reason).toContain('levelset-allow=other');
    expect(picture()).toBe(before);
    expect(serviceOf(it.sandbox, 'api', 'other')?.status?.loadBalancer?.ingress ?? []).toEqual([]);

    await it.remove('other/api');
    await it.sweepUntilSettled();
    expect(picture()).toBe(before);
    expect(serviceOf(it.sandbox, 'api', 'other')).toBeUndefined();
  });

  test.each(['levelset-allow=other', 'levelset-allow=*'])('is shared by the tag %s', async (tag) => {
    await it.owner();
    it.lb().tags = [...it.lb().tags, tag];
    it.apply('api', 81, { [LOAD_BALANCER_ID]: it.lb().id }, 'other');

    expect(await it.statusOf('other/api')).toBe('settled');
    expect(it.ports()).toEqual([80, 81]);
  });

  test('is shared by the word of the operator', async () => {
    await it.owner();
    const allowedReferences = [{ namespace: 'other', kind: 'loadbalancer' as const, id: it.lb().id }];
    const config = { ...aConfig(it.sandbox.authUrl), allowedReferences };
    const world = await it.another(config);
    it.apply('api', 81, { [LOAD_BALANCER_ID]: it.lb().id }, 'other');

    for (let tries = 0; tries < 50 && it.ports().length < 2; tries += 1) {
      await run({ key: 'service/other/api', trigger: 'audit' }, world);
      await pause(15);
    }
    expect(it.ports()).toEqual([80, 81]);
  });

  test('of another cluster is not shared, whatever its tags say', async () => {
    const id = await usersOwn(['levelset-allow=*', 'levelset-cluster=other']);
    const before = picture();
    it.apply('api', 81, { [LOAD_BALANCER_ID]: id });

    expect(await it.statusOf('api')).toBe('blocked');
    expect(picture()).toBe(before);
  });
});

describe('an id under which there is no load balancer', () => {
  const GONE = '0b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d';

  test('is a mistake when a user wrote it', async () => {
    it.apply('web', 80, { [LOAD_BALANCER_ID]: GONE });

    expect(await it.statusOf('web')).toBe('blocked');
    expect(readyOf(it.sandbox)?.message).toContain('is not a load balancer that the project');
    expect(it.sandbox.cloud.loadbalancers).toEqual([]);
  });

  test('does not count when a controller noted it', async () => {
    it.apply('web', 80, {
      [LOAD_BALANCER_ID]: GONE,
      'loadbalancer.openstack.org/load-balancer-address': '192.0.2.1',
    });

    expect(await it.statusOf('web')).toBe('settled');
    expect(serviceOf(it.sandbox)?.metadata.annotations).toMatchObject({ [LOAD_BALANCER_ID]: it.lb().id });
  });

  test('is no hindrance to a Service that goes to ClusterIP and back, and one that joins joins again', async () => {
    const id = await it.owner();
    await it.join('api', 81);

    for (const name of ['web', 'api']) {
      it.sandbox.kube.apply(aService({ name, spec: { type: 'ClusterIP' } }));
      await it.settle(name);
    }
    expect(leftovers(it.sandbox)).toEqual({});
    expect(serviceOf(it.sandbox)?.metadata.annotations ?? {}).toEqual({});
    expect(serviceOf(it.sandbox, 'api')?.metadata.annotations).toEqual({ [LOAD_BALANCER_ID]: id });

    it.apply('web', 80);
    expect(await it.statusOf('web')).toBe('settled');
    expect(it.sandbox.cloud.loadbalancers).toHaveLength(1);
  });
});

describe('a Service applied again under another name, with all that levelset wrote on the first', () => {
  const copy = async (name: string, drop: readonly string[] = []): Promise<void> => {
    await it.owner();
    const annotations = { ...serviceOf(it.sandbox)?.metadata.annotations };
    for (const key of drop) Reflect.deleteProperty(annotations, key);
    it.apply(name, 80, annotations);
    await it.settle(name);
  };

  test('has a load balancer of its own, and says which from then on', async () => {
    await copy('again');

    const [first, second] = it.sandbox.cloud.loadbalancers;
    expect(second?.name).toMatch(/_again$/);
    expect(first?.tags.join()).not.toContain('again');
    expect(readyOf(it.sandbox, 'again')).toMatchObject({ status: 'True' });
    expect(serviceOf(it.sandbox, 'again')?.metadata.annotations).toMatchObject({
      [LOAD_BALANCER_ID]: second?.id,
    });
  });

  test('joins the first by the id alone, and the condition names the way out', async () => {
    await copy('joined', ['loadbalancer.openstack.org/load-balancer-address']);

    expect(it.sandbox.cloud.loadbalancers).toHaveLength(1);
    expect(readyOf(it.sandbox, 'joined')?.message).toContain('is taken on this load balancer by default/web');
    expect(readyOf(it.sandbox, 'joined')?.message).toContain('by spec.type ClusterIP and back');
  });
});
