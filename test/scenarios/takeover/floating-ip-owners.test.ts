/** Floating IPs that have another owner's mark: whoever names one in spec.loadBalancerIP needs consent. */
import { beforeEach, describe, expect, test } from 'vitest';
import { aConfig } from '../../support/config.ts';
import { inEachTest, startSandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { addressOf, readyOf, serviceOf } from '../../support/told.ts';

const it = inEachTest(() => startSandboxWorld());
beforeEach(() => {
  it.sandbox.kube.apply({ kind: 'Namespace', metadata: { name: 'shop' } });
});

const asking = (loadBalancerIP: string) => aService({ namespace: 'shop', spec: { loadBalancerIP } });
const ready = () =>
  (serviceOf(it.sandbox, 'web', 'shop')?.status?.conditions ?? []).find(({ type }) =>
    type.endsWith('/Ready'),
  );
const served = (): string | undefined =>
  serviceOf(it.sandbox, 'web', 'shop')?.status?.loadBalancer?.ingress?.[0]?.ip;

/** A Service of `default` that has an address, and loses its load balancer by hand. */
async function loseLoadBalancer(of = it): Promise<string> {
  of.sandbox.kube.apply(aService());
  await of.settle('web');
  const address = addressOf(of.sandbox) ?? '';
  it.sandbox.cloud.removeLoadBalancer(it.sandbox.cloud.loadbalancers[0]?.id ?? '');
  return address;
}

test('that of a Service whose load balancer has gone stays its own', async () => {
  const address = await loseLoadBalancer();
  it.sandbox.kube.apply(asking(address));

  await it.settle('shop/web');
  expect([served(), ready()?.status]).toEqual([undefined, 'False']);
  expect(ready()?.message).toContain('is a floating IP of Service default/web');

  await it.settle('web');
  expect(addressOf(it.sandbox)).toBe(address);
  await it.remove('shop/web');
  expect(it.sandbox.cloud.floatingips.map((ip) => ip.floating_ip_address)).toEqual([address]);
});

test('that of another cluster is nobody else’s, with the operator’s consent or without, and is never deleted', async () => {
  const other = await startSandboxWorld({}, {}, it.sandbox);
  const address = await loseLoadBalancer();
  const allowedReferences = [{ namespace: '*', kind: '*', id: '*' }] as const;
  const world = await other.another({ ...aConfig(it.sandbox.authUrl), allowedReferences });
  other.sandbox.kube.apply(aService({ spec: { loadBalancerIP: address } }));
  try {
    await other.sweepUntilSettled(world).catch(() => undefined);
    expect(readyOf(other.sandbox)?.message).toContain('of another cluster');
    expect(addressOf(other.sandbox)).toBeUndefined();

    await other.remove('web');
    expect(it.sandbox.cloud.floatingips.map((ip) => ip.floating_ip_address)).toContain(address);
    await it.settle('web');
    expect(addressOf(it.sandbox)).toBe(address);
  } finally {
    await other.close();
  }
});

test('one with this cluster’s tag serves on whatever its description says, and is not deleted then', async () => {
  it.sandbox.kube.apply(aService());
  await it.sweepUntilSettled();
  const [ip] = it.sandbox.cloud.floatingips;
  if (!ip) throw new Error('no floating IP');
  const theirs = `${ip.description.replace(/[0-9a-f]{12}\)$/, '')}0123456789ab)`;
  Object.assign(ip, { description: theirs });

  const { outcome } = await it.settle('web', { trigger: 'command' });

  expect(outcome).toMatchObject({ status: 'settled' });
  expect(readyOf(it.sandbox)).toMatchObject({ status: 'True' });
  expect(readyOf(it.sandbox)?.message).toContain(`serves at ${ip.floating_ip_address}`);
  expect(it.sandbox.cloud.floatingips).toMatchObject([{ description: theirs }]);

  it.sandbox.kube.delete('Service', 'default', 'web');
  await it.sweepUntilSettled();
  expect(it.sandbox.cloud.floatingips).toMatchObject([{ description: theirs, port_id: null }]);
});

describe('that of a Service of OCCM', () => {
  const GO = 'Floating IP for Kubernetes external service old/web from cluster kubernetes';

  test.each(['a tag', 'the operator'])('moves by the consent of %s, and is given back', async (whose) => {
    const ip = it.sandbox.cloud.addFloatingIp(undefined, GO);
    if (whose === 'a tag') ip.tags = ['levelset-allow=shop'];
    const id = ip.floating_ip_address;
    const allowedReferences = [{ namespace: 'shop', kind: 'floatingip', id }] as const;
    const config = { ...aConfig(it.sandbox.authUrl), ...(whose === 'a tag' ? {} : { allowedReferences }) };
    const world = await it.another(config);
    it.sandbox.kube.apply(asking(id));

    await it.sweepUntilSettled(world);
    expect(served()).toBe(id);

    it.sandbox.kube.delete('Service', 'shop', 'web');
    await it.sweepUntilSettled(world);
    expect(it.sandbox.cloud.floatingips).toEqual([ip]);
    expect([ip.port_id, ip.tags]).toEqual([null, whose === 'a tag' ? ['levelset-allow=shop'] : []]);
  });
});

test('one that was given away by a tag is not taken back, and not deleted, by the Service that it was made for', async () => {
  it.sandbox.kube.apply(aService());
  await it.settle('web');
  const [ip] = it.sandbox.cloud.floatingips;
  if (!ip) throw new Error('nothing was made');
  Object.assign(ip, { port_id: null, tags: ['levelset-allow=shop', 'levelset-service=another'] });

  await it.sweepUntilSettled();

  expect(it.sandbox.cloud.floatingips).toHaveLength(2);
  expect(ip.port_id).toBeNull();
  expect(addressOf(it.sandbox)).not.toBe(ip.floating_ip_address);
});
