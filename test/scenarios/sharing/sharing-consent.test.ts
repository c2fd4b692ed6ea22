import { describe, expect, test } from 'vitest';
import { aService } from '../../support/service.ts';
import { inEachTest } from '../../support/sandbox-world.ts';
import { LOAD_BALANCER_ID, startSharedWorld } from '../../support/shared-world.ts';
import { leftovers, readyOf, serviceOf } from '../../support/told.ts';

const it = inEachTest(() => startSharedWorld());

const picture = (): string =>
  JSON.stringify([it.lb(), it.sandbox.cloud.listeners, it.sandbox.cloud.pools, it.sandbox.cloud.floatingips]);

test('a load balancer that was not made for the namespace is not touched without consent, and nothing is published', async () => {
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

test('an id under which there is no load balancer does not count when a controller noted it', async () => {
  it.apply('web', 80, {
    [LOAD_BALANCER_ID]: '0b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d',
    'loadbalancer.openstack.org/load-balancer-address': '192.0.2.1',
  });

  expect(await it.statusOf('web')).toBe('settled');
  expect(serviceOf(it.sandbox)?.metadata.annotations).toMatchObject({ [LOAD_BALANCER_ID]: it.lb().id });
});

test('an id that levelset noted is no hindrance to a Service that goes to ClusterIP and back, and one that joins joins again', async () => {
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
