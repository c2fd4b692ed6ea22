import { beforeEach, expect, test } from 'vitest';
import { sweep } from '../../../shared/sweep.ts';
import { failing } from '../../support/failing.ts';
import { LOAD_BALANCER_ID } from '../../support/shared-world.ts';
import { inEachTest, pause, startSandboxWorld } from '../../support/sandbox-world.ts';
import { addressOf, cloudWrites, readyOf, serviceOf } from '../../support/told.ts';

const APPROVE = 'levelset.openstack.org/approve';
const LARGE = { id: '5b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d', name: 'large', description: '', enabled: true };
const HUGE = { ...LARGE, id: '6c4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d', name: 'huge' };
const OTHER_FLAVOR = { 'loadbalancer.openstack.org/flavor-id': HUGE.id };
const FLAVOR = { 'loadbalancer.openstack.org/flavor-id': LARGE.id };

const it = inEachTest(() => startSandboxWorld());
beforeEach(async () => {
  it.cloud.flavors.push(LARGE, HUGE);
  await it.make();
});

async function approve(annotations: Readonly<Record<string, string>>): Promise<void> {
  await it.make({ annotations });
  it.approve();
}

/** Approved, the new load balancer is made, and nothing turns to it yet. Returns its id. */
async function beginReplacement(): Promise<string> {
  await approve(FLAVOR);
  await it.once();
  await pause(30);
  return it.cloud.loadbalancers[1]?.id ?? '';
}

test.each([
  ['flavor_id null -> "5b4f', FLAVOR],
  ['availability_zone null -> "az1"', { 'loadbalancer.openstack.org/availability-zone': 'az1' }],
])('a change that needs another load balancer is refused, with cost and hash: %s', async (change, asked) => {
  it.cloud.availabilityZones.push({ name: 'az1', description: '', enabled: true });
  const before = structuredClone(it.cloud.loadbalancers);
  await it.make({ annotations: asked });

  // the members follow the node port that is given anew
  const same = before.map((lb) => ({ ...lb, updated_at: expect.any(String) as string }));
  expect(it.cloud.loadbalancers).toEqual(same);
  expect(readyOf(it)).toMatchObject({ status: 'True' });
  expect(it.told()).toContain(`keeps lb as it is until ${it.approval()} is approved (${change}`);
  expect(it.told()).toContain('the floating IP 203.0.113');
});

test('while OpenStack refuses the approved load balancer, the one that serves is kept whole', async () => {
  const { cloud } = it;
  const clear = failing(it, 'POST', /loadbalancers$/, 400);
  await approve(FLAVOR);
  expect((await it.settle('web')).outcome.status).toBe('blocked');
  const [first] = cloud.members.splice(0, 1);
  await it.settle('web');
  clear();
  expect(cloud.members.map(({ address }) => address)).toContain(first?.address);
  expect(cloud.loadbalancers).toHaveLength(1);
});

test('approved, the new load balancer is complete before the floating IP moves to it, and the address stays', async () => {
  const address = addressOf(it);
  const [old] = it.cloud.loadbalancers;
  const [ip] = it.cloud.floatingips;
  await approve(FLAVOR);
  const seen = it.requests.length;

  await it.settle('web');

  const [now, ...others] = it.cloud.loadbalancers;
  expect(others).toEqual([]);
  expect(now?.id).not.toBe(old?.id);
  expect(now).toMatchObject({ flavor_id: LARGE.id, provisioning_status: 'ACTIVE' });
  expect(it.cloud.floatingips).toEqual([ip]);
  expect(ip).toMatchObject({ floating_ip_address: address, port_id: now?.vip_port_id });
  expect(addressOf(it)).toBe(address);
  expect(serviceOf(it)?.metadata.annotations).toMatchObject({ [LOAD_BALANCER_ID]: now?.id });
  expect(it.told()).toBe(`load balancer ${now?.id ?? ''} serves at ${address ?? ''}`);
  const inOrder = ['POST loadbalancers', 'PUT floatingips/ID', 'DELETE loadbalancers/ID'];
  expect(cloudWrites(it).slice(-3)).toEqual(inOrder);
  expect(it.requests.slice(seen).some(({ status }) => status >= 400)).toBe(false);
});

test('a hash is good for one load balancer: the same change later waits for its own', async () => {
  await approve(FLAVOR);
  await it.settle('web');
  const used = serviceOf(it)?.metadata.annotations?.[APPROVE] ?? '';
  await it.make({ annotations: { ...OTHER_FLAVOR, [APPROVE]: used } });
  await it.make({ annotations: { ...OTHER_FLAVOR, [APPROVE]: `${used},${it.approval()}` } });
  const [lb] = it.cloud.loadbalancers;

  await it.make({ annotations: { ...FLAVOR, [APPROVE]: used } });

  expect(it.cloud.loadbalancers).toEqual([lb]);
  expect(lb).toMatchObject({ flavor_id: HUGE.id });
  expect(used).not.toContain(it.approval());
});

test('the floating IP does not move to a new one in ERROR, and the condition says what to do', async () => {
  const [old] = it.cloud.loadbalancers;
  it.cloud.setStatus(await beginReplacement(), 'ERROR');

  await it.settle('web');

  expect(it.cloud.floatingips).toMatchObject([{ port_id: old?.vip_port_id }]);
  expect(it.cloud.loadbalancers).toHaveLength(2);
  const advice = 'to try again, delete that one: openstack loadbalancer delete --cascade';
  expect(it.told()).toContain(`is in ERROR; ${advice}`);
});

test('the floating IP does not move to a new one that Octavia still makes', async () => {
  const [old] = it.cloud.loadbalancers;
  it.cloud.setStatus(await beginReplacement(), 'PENDING_CREATE');

  await it.once();

  expect(it.cloud.floatingips).toMatchObject([{ port_id: old?.vip_port_id }]);
  expect(it.cloud.loadbalancers).toHaveLength(2);
});

test('a new one that was made for another wish goes, and does not get the floating IP', async () => {
  const address = addressOf(it);
  await it.make({ annotations: OTHER_FLAVOR });
  const approval = it.approval();
  await beginReplacement();
  expect(it.cloud.loadbalancers.map(({ flavor_id }) => flavor_id)).toEqual([null, LARGE.id]);

  await it.make({ annotations: { ...OTHER_FLAVOR, [APPROVE]: approval } });

  expect(it.cloud.loadbalancers.map(({ flavor_id }) => flavor_id)).toEqual([HUGE.id]);
  expect(addressOf(it)).toBe(address);
  expect(cloudWrites(it).filter((write) => write === 'PUT floatingips/ID')).toHaveLength(1);
});

test('without room for one more it is not begun, and the old one serves', async () => {
  it.cloud.quotas.load_balancer = 1;
  const other = await it.another();
  await approve(FLAVOR);

  expect((await it.once({}, other)).outcome).toMatchObject({ status: 'failed', code: 'QUOTA_EXCEEDED' });
  expect(it.cloud.loadbalancers).toHaveLength(1);
  expect(readyOf(it)).toMatchObject({ status: 'True' });
});

const INTERNAL = { 'service.beta.kubernetes.io/openstack-internal-load-balancer': 'true' };

test('an internal one has another address afterwards, as the plan said before', async () => {
  await it.make({ name: 'inside', annotations: INTERNAL });
  const before = addressOf(it, 'inside');
  await it.make({ name: 'inside', annotations: { ...INTERNAL, ...FLAVOR } });
  expect(it.told('inside')).toContain(`with another address than ${before ?? ''}`);

  it.approve('inside');
  await it.settle('inside');

  const [lb] = it.cloud.loadbalancers.filter(({ name }) => name.endsWith('inside'));
  expect(lb).toMatchObject({ flavor_id: LARGE.id, vip_address: addressOf(it, 'inside') });
  expect(addressOf(it, 'inside')).not.toBe(before);
});

test('with an address of its own that is asked for, the old one goes first, and the address is the same', async () => {
  const spec = { loadBalancerIP: '10.0.0.222' };
  await it.make({ name: 'fixed', annotations: INTERNAL, spec });
  await it.make({ name: 'fixed', annotations: { ...INTERNAL, ...FLAVOR }, spec });
  expect(it.told('fixed')).toContain('does not answer for a minute or two');

  it.approve('fixed');
  await it.settle('fixed');

  const lbs = it.cloud.loadbalancers.filter(({ name }) => name.endsWith('fixed'));
  expect(lbs).toMatchObject([{ flavor_id: LARGE.id, vip_address: '10.0.0.222' }]);
  expect(addressOf(it, 'fixed')).toBe('10.0.0.222');
});

test('a create that Octavia refuses is reported and not tried again by sweeps', async () => {
  const body = { faultcode: 'Client', faultstring: 'Not on a Saturday.', debuginfo: null };
  failing(it, 'POST', /\/loadbalancers$/, 400, { body });
  await approve(FLAVOR);
  expect((await it.settle('web')).outcome).toMatchObject({ status: 'blocked' });
  await pause(30);
  // the members that this run wrote keep Octavia at work into the next second
  for (const lb of it.cloud.loadbalancers)
    lb.updated_at = new Date(Date.parse(`${lb.updated_at ?? ''}Z`) + 1_000).toISOString().slice(0, 19);
  const before = cloudWrites(it).length;

  const { requests, warnings } = await sweep(it.world);

  expect(requests).toEqual([]);
  expect(warnings.join()).toContain('Not on a Saturday.');
  expect(cloudWrites(it)).toHaveLength(before);
});

test('approved, what could not be made is not begun, and the Service says why', async () => {
  await approve({ 'loadbalancer.openstack.org/flavor-id': '9b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d' });
  const before = cloudWrites(it).length;

  await it.settle('web');

  expect(it.told()).toContain('the approval is given, but levelset cannot create the new load balancer:');
  expect(readyOf(it)).toMatchObject({ status: 'True' });
  const written = cloudWrites(it).slice(before);
  expect(written.filter((write) => write.includes('loadbalancers'))).toEqual([]);
});

test('approved, the floating IP does not move to one that is complete only later: a port whose pool speaks TLS', async () => {
  const tls = { 'levelset.openstack.org/pool-tls': 'true', 'levelset.openstack.org/protocol': 'http' };
  await it.make({ annotations: tls });
  const [old] = it.cloud.loadbalancers;

  await approve({ ...tls, ...FLAVOR });
  await it.settle('web');

  expect(it.cloud.pools).toMatchObject([{ tls_enabled: true }]);
  expect(it.told()).toContain('cannot have these listeners from the start: listener/tcp/80');
  expect(it.cloud.loadbalancers.map(({ id }) => id)).toEqual([old?.id]);
});

test('internal-lb in cloud.conf takes the address of a Service away when that is approved, and not before', async () => {
  const loadBalancer = { ...it.world.config.loadBalancer, internalLb: true };
  const reconfigured = await it.another({ loadBalancer });
  const [ip] = structuredClone(it.cloud.floatingips);
  const address = addressOf(it);

  await it.sweepUntilSettled(reconfigured);

  expect(it.cloud.floatingips).toMatchObject([{ id: ip?.id, port_id: ip?.port_id }]);
  expect(addressOf(it)).toBe(address);
  expect(it.told()).toContain('internal-lb in cloud.conf takes the address away');

  it.approve();
  await it.sweepUntilSettled(reconfigured);
  expect(it.cloud.floatingips).toEqual([]);
  expect(addressOf(it)).toBe(it.cloud.loadbalancers[0]?.vip_address);
});
