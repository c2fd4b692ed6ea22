/** Floating IPs that have another owner's mark: whoever names one in spec.loadBalancerIP needs consent. */
import { beforeEach, expect, test } from 'vitest';
import { aWorld } from '../../support/for-one-test.ts';
import { inEachTest, startSandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { addressOf, readyOf, serviceOf } from '../../support/told.ts';

const it = inEachTest(() => startSandboxWorld());
beforeEach(() => {
  it.kube.apply({ kind: 'Namespace', metadata: { name: 'shop' } });
});

const ask = (loadBalancerIP: string) => it.make({ namespace: 'shop', spec: { loadBalancerIP } });
const ready = () =>
  (serviceOf(it, 'web', 'shop')?.status?.conditions ?? []).find(({ type }) => type.endsWith('/Ready'));
const served = (): string | undefined => serviceOf(it, 'web', 'shop')?.status?.loadBalancer?.ingress?.[0]?.ip;

/** A Service of `default` that has an address, and loses its load balancer by hand. */
async function loseLoadBalancer(of = it): Promise<string> {
  await of.make();
  const address = addressOf(of) ?? '';
  it.cloud.removeLoadBalancer(it.cloud.loadbalancers[0]?.id ?? '');
  return address;
}

test('that of a Service whose load balancer has gone stays its own', async () => {
  const address = await loseLoadBalancer();
  await ask(address);
  expect([served(), ready()?.status]).toEqual([undefined, 'False']);
  expect(ready()?.message).toContain('is a floating IP of Service default/web');

  await it.settle('web');
  expect(addressOf(it)).toBe(address);
  await it.remove('shop/web');
  expect(it.cloud.floatingips.map((ip) => ip.floating_ip_address)).toEqual([address]);
});

test('that of another cluster is nobody else’s, with the operator’s consent or without, and is never deleted', async () => {
  const other = await aWorld({}, {}, it.sandbox);
  const address = await loseLoadBalancer();
  const allowedReferences = [{ namespace: '*', kind: '*', id: '*' }] as const;
  const world = await other.another({ allowedReferences });
  other.kube.apply(aService({ spec: { loadBalancerIP: address } }));

  await other.sweepUntilSettled(world).catch(() => undefined);
  expect(other.told()).toContain('of another cluster');
  expect(addressOf(other)).toBeUndefined();

  await other.remove('web');
  expect(it.cloud.floatingips.map((ip) => ip.floating_ip_address)).toContain(address);
  await it.settle('web');
  expect(addressOf(it)).toBe(address);
});

test('one with this cluster’s tag serves on whatever its description says, and is not deleted then', async () => {
  await it.create('web');
  const [ip] = it.cloud.floatingips;
  if (!ip) throw new Error('no floating IP');
  const theirs = `${ip.description.replace(/[0-9a-f]{12}\)$/, '')}0123456789ab)`;
  Object.assign(ip, { description: theirs });

  expect((await it.settle('web', { trigger: 'command' })).outcome).toMatchObject({ status: 'settled' });
  expect(readyOf(it)).toMatchObject({ status: 'True' });
  expect(it.told()).toContain(`serves at ${ip.floating_ip_address}`);
  expect(it.cloud.floatingips).toMatchObject([{ description: theirs }]);

  it.kube.delete('Service', 'default', 'web');
  await it.sweepUntilSettled();
  expect(it.cloud.floatingips).toMatchObject([{ description: theirs, port_id: null }]);
});

test.each([
  ['a tag', ['levelset-allow=shop']],
  ['the operator', []],
])('that of a Service of OCCM moves by the consent of %s, and is given back', async (whose, tags) => {
  const description = 'Floating IP for Kubernetes external service old/web from cluster kubernetes';
  const ip = it.cloud.addFloatingIp(undefined, description);
  ip.tags = [...tags];
  const id = ip.floating_ip_address;
  const allowedReferences = whose === 'a tag' ? [] : [{ namespace: 'shop', kind: 'floatingip', id } as const];
  const world = await it.another({ allowedReferences });
  it.kube.apply(aService({ namespace: 'shop', spec: { loadBalancerIP: id } }));

  await it.sweepUntilSettled(world);
  expect(served()).toBe(id);

  it.kube.delete('Service', 'shop', 'web');
  await it.sweepUntilSettled(world);
  expect(it.cloud.floatingips).toEqual([ip]);
  expect([ip.port_id, ip.tags]).toEqual([null, tags]);
});

test('one that was given away by a tag is not taken back, and not deleted, by the Service that it was made for', async () => {
  await it.make();
  const [ip] = it.cloud.floatingips;
  if (!ip) throw new Error('nothing was made');
  Object.assign(ip, { port_id: null, tags: ['levelset-allow=shop', 'levelset-service=another'] });

  await it.sweepUntilSettled();

  expect(it.cloud.floatingips).toHaveLength(2);
  expect(ip.port_id).toBeNull();
  expect(addressOf(it)).not.toBe(ip.floating_ip_address);
});
