import { beforeEach, expect, test } from 'vitest';
import { serviceKey } from '../../../shared/model/request.ts';
import { sweep } from '../../../shared/sweep.ts';
import { inEachTest, pause, run, startSandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { addressOf, cloudWrites, readyOf, serviceOf } from '../../support/told.ts';

const APPROVE = 'levelset.openstack.org/approve';
const LARGE = { id: '5b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d', name: 'large', description: '', enabled: true };
const HUGE = { ...LARGE, id: '6c4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d', name: 'huge' };
const OTHER_FLAVOR = { 'loadbalancer.openstack.org/flavor-id': HUGE.id };
const FLAVOR = { 'loadbalancer.openstack.org/flavor-id': LARGE.id };

const it = inEachTest(() => startSandboxWorld());
beforeEach(async () => {
  it.sandbox.cloud.flavors.push(LARGE, HUGE);
  it.sandbox.kube.apply(aService());
  await it.settle('web');
});

function approvalToldTo(name = 'web'): string {
  return /until ([0-9a-f]{12}) is approved/.exec(readyOf(it.sandbox, name)?.message ?? '')?.[1] ?? '';
}

async function approve(annotations: Readonly<Record<string, string>>): Promise<void> {
  it.sandbox.kube.apply(aService({ annotations }));
  await it.settle('web');
  it.sandbox.kube.apply(aService({ annotations: { ...annotations, [APPROVE]: approvalToldTo() } }));
}

/** Octavia's next second. */
function secondAfter(time: string | null): string {
  return new Date(Date.parse(`${time ?? ''}Z`) + 1_000).toISOString().slice(0, 19);
}

test('a change that needs another load balancer is refused, with its cost and its hash', async () => {
  const before = structuredClone(it.sandbox.cloud.loadbalancers);
  it.sandbox.kube.apply(aService({ annotations: FLAVOR }));

  await it.settle('web');

  // the members follow the node port that is given anew
  const same = before.map((lb) => ({ ...lb, updated_at: expect.any(String) as string }));
  expect(it.sandbox.cloud.loadbalancers).toEqual(same);
  expect(readyOf(it.sandbox)).toMatchObject({ status: 'True' });
  expect(readyOf(it.sandbox)?.message).toMatch(
    /levelset keeps lb as it is until [0-9a-f]{12} is approved \(flavor_id null -> "5b4f/,
  );
  expect(readyOf(it.sandbox)?.message).toContain('the floating IP 203.0.113');
});

test('while OpenStack refuses the approved load balancer, the one that serves is kept whole', async () => {
  const { cloud, fault } = it.sandbox;
  const refused = {
    match: { method: 'POST', path: /loadbalancers$/ },
    kind: 'fail-before',
    status: 400,
  } as const;
  const clear = fault({ ...refused, times: 99 });
  await approve(FLAVOR);
  expect((await it.settle('web')).outcome.status).toBe('blocked');
  const [first] = cloud.members.splice(0, 1);
  await it.settle('web');
  clear();
  expect(cloud.members.map(({ address }) => address)).toContain(first?.address);
  expect(cloud.loadbalancers).toHaveLength(1);
});

test('approved, the new load balancer is complete before the floating IP moves to it, and the address stays', async () => {
  const address = addressOf(it.sandbox);
  const [old] = it.sandbox.cloud.loadbalancers;
  const [ip] = it.sandbox.cloud.floatingips;
  await approve(FLAVOR);
  const seen = it.sandbox.requests.length;

  await it.settle('web');

  const [now, ...others] = it.sandbox.cloud.loadbalancers;
  expect(others).toEqual([]);
  expect(now?.id).not.toBe(old?.id);
  expect(now).toMatchObject({ flavor_id: LARGE.id, provisioning_status: 'ACTIVE' });
  expect(it.sandbox.cloud.floatingips).toEqual([ip]);
  expect(ip).toMatchObject({ floating_ip_address: address, port_id: now?.vip_port_id });
  expect(addressOf(it.sandbox)).toBe(address);
  expect(serviceOf(it.sandbox)?.metadata.annotations).toMatchObject({
    'loadbalancer.openstack.org/load-balancer-id': now?.id,
  });
  expect(readyOf(it.sandbox)?.message).toBe(`load balancer ${now?.id ?? ''} serves at ${address ?? ''}`);
  expect(cloudWrites(it.sandbox).slice(-3)).toEqual([
    'POST loadbalancers',
    'PUT floatingips/ID',
    'DELETE loadbalancers/ID',
  ]);
  expect(it.sandbox.requests.slice(seen).some(({ status }) => status >= 400)).toBe(false);
});

test('a hash is good for one load balancer: the same change later waits for its own', async () => {
  await approve(FLAVOR);
  await it.settle('web');
  const used = serviceOf(it.sandbox)?.metadata.annotations?.[APPROVE] ?? '';
  it.sandbox.kube.apply(aService({ annotations: { ...OTHER_FLAVOR, [APPROVE]: used } }));
  await it.settle('web');
  it.sandbox.kube.apply(
    aService({ annotations: { ...OTHER_FLAVOR, [APPROVE]: `${used},${approvalToldTo()}` } }),
  );
  await it.settle('web');
  const [lb] = it.sandbox.cloud.loadbalancers;

  it.sandbox.kube.apply(aService({ annotations: { ...FLAVOR, [APPROVE]: used } }));
  await it.settle('web');

  expect(it.sandbox.cloud.loadbalancers).toEqual([lb]);
  expect(lb).toMatchObject({ flavor_id: HUGE.id });
  expect(approvalToldTo()).not.toBe('');
  expect(used).not.toContain(approvalToldTo());
});

test('the floating IP does not move to a new one in ERROR, and the condition says what to do', async () => {
  const [old] = it.sandbox.cloud.loadbalancers;
  await approve(FLAVOR);
  // makes the new load balancer, and turns nothing to it
  await run({ key: serviceKey('default', 'web'), trigger: 'audit' }, it.world);
  await pause(30);
  it.sandbox.cloud.setStatus(it.sandbox.cloud.loadbalancers[1]?.id ?? '', 'ERROR');

  await it.settle('web');

  expect(it.sandbox.cloud.floatingips).toMatchObject([{ port_id: old?.vip_port_id }]);
  expect(it.sandbox.cloud.loadbalancers).toHaveLength(2);
  expect(readyOf(it.sandbox)?.message).toContain(
    'is in ERROR; to try again, delete that one: openstack loadbalancer delete --cascade',
  );
});

test('without room for one more it is not begun, and the old one serves', async () => {
  it.sandbox.cloud.quotas.load_balancer = 1;
  const other = await it.another();
  await approve(FLAVOR);

  const { outcome } = await run({ key: serviceKey('default', 'web'), trigger: 'audit' }, other);

  expect(outcome).toMatchObject({ status: 'failed', code: 'QUOTA_EXCEEDED' });
  expect(it.sandbox.cloud.loadbalancers).toHaveLength(1);
  expect(readyOf(it.sandbox)).toMatchObject({ status: 'True' });
});

test('what is not ours on the load balancer would go with it: that cannot be approved', async () => {
  const [lb] = it.sandbox.cloud.loadbalancers;
  const listener = await it.world.cloud.create('listener', {
    name: 'mine',
    protocol: 'TCP',
    protocol_port: 9999,
    loadbalancer_id: lb?.id,
  });
  await pause(30);
  it.sandbox.kube.apply(aService({ annotations: FLAVOR }));

  await it.settle('web');

  expect(readyOf(it.sandbox)?.message).toContain("a resource on it is not levelset's");
  expect(approvalToldTo()).toBe('');
  expect(it.sandbox.cloud.listeners.some(({ id }) => id === listener.id)).toBe(true);
});

test('an internal one has another address afterwards, as the plan said before', async () => {
  const internal = { 'service.beta.kubernetes.io/openstack-internal-load-balancer': 'true' };
  it.sandbox.kube.apply(aService({ name: 'inside', annotations: internal }));
  await it.settle('inside');
  const before = addressOf(it.sandbox, 'inside');
  it.sandbox.kube.apply(aService({ name: 'inside', annotations: { ...internal, ...FLAVOR } }));
  await it.settle('inside');
  expect(readyOf(it.sandbox, 'inside')?.message).toContain(`with another address than ${before ?? ''}`);

  const approved = { ...internal, ...FLAVOR, [APPROVE]: approvalToldTo('inside') };
  it.sandbox.kube.apply(aService({ name: 'inside', annotations: approved }));
  await it.settle('inside');

  const [lb] = it.sandbox.cloud.loadbalancers.filter(({ name }) => name.endsWith('inside'));
  expect(lb).toMatchObject({ flavor_id: LARGE.id, vip_address: addressOf(it.sandbox, 'inside') });
  expect(addressOf(it.sandbox, 'inside')).not.toBe(before);
});

test('with an address of its own that is asked for, the old one goes first, and the address is the same', async () => {
  const internal = { 'service.beta.kubernetes.io/openstack-internal-load-balancer': 'true' };
  const spec = { loadBalancerIP: '10.0.0.222' };
  it.sandbox.kube.apply(aService({ name: 'fixed', annotations: internal, spec }));
  await it.settle('fixed');
  it.sandbox.kube.apply(aService({ name: 'fixed', annotations: { ...internal, ...FLAVOR }, spec }));
  await it.settle('fixed');
  expect(readyOf(it.sandbox, 'fixed')?.message).toContain('does not answer for a minute or two');

  const approved = { ...internal, ...FLAVOR, [APPROVE]: approvalToldTo('fixed') };
  it.sandbox.kube.apply(aService({ name: 'fixed', annotations: approved, spec }));
  await it.settle('fixed');

  const lbs = it.sandbox.cloud.loadbalancers.filter(({ name }) => name.endsWith('fixed'));
  expect(lbs).toMatchObject([{ flavor_id: LARGE.id, vip_address: '10.0.0.222' }]);
  expect(addressOf(it.sandbox, 'fixed')).toBe('10.0.0.222');
});

test('a create that Octavia refuses is reported and not tried again by sweeps', async () => {
  const body = { faultcode: 'Client', faultstring: 'Not on a Saturday.', debuginfo: null };
  const refuse = { kind: 'fail-before', status: 400, times: 100, body } as const;
  it.sandbox.fault({ match: { method: 'POST', path: /\/loadbalancers$/ }, ...refuse });
  await approve(FLAVOR);
  const { outcome } = await it.settle('web');
  expect(outcome).toMatchObject({ status: 'blocked' });
  await pause(30);
  // the members that this run wrote keep Octavia at work into the next second
  for (const lb of it.sandbox.cloud.loadbalancers) lb.updated_at = secondAfter(lb.updated_at);
  const before = cloudWrites(it.sandbox).length;

  const { requests, warnings } = await sweep(it.world);

  expect(requests).toEqual([]);
  expect(warnings.join()).toContain('Not on a Saturday.');
  expect(cloudWrites(it.sandbox)).toHaveLength(before);
});

test('approved, what could not be made is not begun, and the Service says why', async () => {
  await approve({ 'loadbalancer.openstack.org/flavor-id': '9b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d' });
  const before = cloudWrites(it.sandbox).length;

  await it.settle('web');

  expect(readyOf(it.sandbox)?.message).toContain(
    'the approval is given, but levelset cannot create the new load balancer:',
  );
  expect(readyOf(it.sandbox)).toMatchObject({ status: 'True' });
  const written = cloudWrites(it.sandbox).slice(before);
  expect(written.filter((write) => write.includes('loadbalancers'))).toEqual([]);
});

test('approved, the floating IP does not move to one that is complete only later: a port whose pool speaks TLS', async () => {
  const tls = { 'levelset.openstack.org/pool-tls': 'true', 'levelset.openstack.org/protocol': 'http' };
  it.sandbox.kube.apply(aService({ annotations: tls }));
  await it.settle('web');
  const [old] = it.sandbox.cloud.loadbalancers;

  await approve({ ...tls, ...FLAVOR });
  await it.settle('web');

  expect(it.sandbox.cloud.pools).toMatchObject([{ tls_enabled: true }]);
  expect(readyOf(it.sandbox)?.message).toContain(
    'cannot have these listeners from the start: listener/tcp/80',
  );
  expect(it.sandbox.cloud.loadbalancers.map(({ id }) => id)).toEqual([old?.id]);
});

test('internal-lb in cloud.conf takes the address of a Service away when that is approved, and not before', async () => {
  const { config } = it.world;
  const reconfigured = await it.another({
    ...config,
    loadBalancer: { ...config.loadBalancer, internalLb: true },
  });
  const [ip] = structuredClone(it.sandbox.cloud.floatingips);
  const address = addressOf(it.sandbox);

  await it.sweepUntilSettled(reconfigured);

  expect(it.sandbox.cloud.floatingips).toMatchObject([{ id: ip?.id, port_id: ip?.port_id }]);
  expect(addressOf(it.sandbox)).toBe(address);
  const message = readyOf(it.sandbox)?.message ?? '';
  expect(message).toContain('internal-lb in cloud.conf takes the address away');

  const [, hash = ''] = /waits for approval ([0-9a-f]{12})/.exec(message) ?? [];
  it.sandbox.kube.apply(aService({ annotations: { [APPROVE]: hash } }));
  await it.sweepUntilSettled(reconfigured);
  expect(it.sandbox.cloud.floatingips).toEqual([]);
  expect(addressOf(it.sandbox)).toBe(it.sandbox.cloud.loadbalancers[0]?.vip_address);
});
