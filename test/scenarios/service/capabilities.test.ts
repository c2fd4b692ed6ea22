import { expect, test } from 'vitest';
import { failing } from '../../support/failing.ts';
import { aWorld } from '../../support/for-one-test.ts';
import { aService } from '../../support/service.ts';
import type { SandboxWorld } from '../../support/sandbox-world.ts';

const OWN = 'levelset.openstack.org/';
const OCCM = 'loadbalancer.openstack.org/';

const AZ1 = { name: 'az1', description: '', enabled: true };

/** What Octavia refused, in its own words. */
const refused = ({ requests }: SandboxWorld): readonly string[] =>
  requests
    .filter(({ side, status }) => side === 'openstack' && status >= 400 && status !== 404)
    .map(({ method, path, status }) => `${method} ${path} ${status}`);

const DEMANDING = aService({
  annotations: {
    [`${OCCM}availability-zone`]: 'az1',
    [`${OCCM}timeout-client-data`]: '60000',
    [`${OCCM}lb-method`]: 'LEAST_CONNECTIONS',
    [`${OCCM}proxy-protocol`]: 'v2',
    [`${OWN}protocol.80`]: 'http',
    [`${OWN}redirect-http`]: 'true',
    [`${OWN}redirect-host`]: 'app.example.org',
    [`${OWN}redirect-http-code`]: '308',
    [`${OWN}monitor-type.80`]: 'HTTP',
    [`${OWN}monitor-http-version.80`]: '1.1',
    [`${OWN}monitor-domain-name.80`]: 'app.example.org',
    [`${OWN}protocol.9100`]: 'prometheus',
    [`${OWN}backup-members`]: 'node-3',
  },
  spec: {
    ports: [
      { name: 'http', port: 80 },
      { name: 'figures', port: 9100 },
      { name: 'dns', port: 53, protocol: 'UDP' },
      { name: 'calls', port: 3868, protocol: 'SCTP' },
    ],
  },
});

test.each([5, 6, 8, 9, 10, 12, 13, 14, 17, 20, 22, 23, 25, 26, 27, 29, 30])(
  'Octavia API 2.%i gives a demanding Service what it has, and refuses nothing that it is asked for',
  async (minor) => {
    const it = await aWorld({ octavia: { version: `v2.${minor}` } });
    it.cloud.availabilityZones.push(AZ1);
    it.kube.apply(DEMANDING);

    expect((await it.settle('web')).outcome).toEqual({ status: 'settled' });

    expect(refused(it)).toEqual([]);
    const ports = it.cloud.listeners.map(({ protocol }) => protocol).sort();
    const sctp = minor >= 23 ? ['SCTP'] : [];
    const prometheus = minor >= 25 ? ['PROMETHEUS'] : [];
    expect(ports).toEqual(['HTTP', ...prometheus, ...sctp, 'UDP']);
    for (const since of [25, 14])
      expect(it.told().includes(`needs Octavia API 2.${since}`), `2.${since}`).toBe(minor < since);
  },
);

test('without tags nothing is made, since nothing could be found again', async () => {
  const it = await aWorld({ octavia: { version: 'v2.4' } });
  expect((await it.make()).outcome.status).toBe('failed');
  expect(it.cloud.loadbalancers).toEqual([]);
  expect(it.told()).toContain('it needs 2.5');
});

test('the provider ovn passes through what it cannot read, has one algorithm and checks of its own, and is asked for no cookie, at which it leaves a VIP port', async () => {
  const it = await aWorld({ octavia: { provider: 'ovn' } }, { lbProvider: 'ovn' });
  const cookie = { [`${OWN}session-persistence.80`]: 'APP_COOKIE BASKET' };
  const annotations = { ...DEMANDING.metadata.annotations, ...cookie };
  const report = await it.make({ annotations, spec: DEMANDING.spec });

  const { listeners, pools, l7policies, healthmonitors, members, ports } = it.cloud;
  expect(report.outcome).toEqual({ status: 'settled' });
  expect(refused(it)).toEqual([]);
  expect(listeners.map(({ protocol }) => protocol).sort()).toEqual(['SCTP', 'TCP', 'UDP']);
  expect(l7policies).toEqual([]);
  const kept = pools.map((pool) => [pool['lb_algorithm'], pool['session_persistence']]);
  expect(kept).toEqual(pools.map(() => ['SOURCE_IP_PORT', null]));
  expect(healthmonitors.map(({ type }) => type).sort()).toEqual(['TCP', 'TCP', 'UDP-CONNECT']);
  expect(members.some((member) => member['backup'] === true)).toBe(false);
  expect(ports.filter(({ device_owner: owner }) => owner.startsWith('ovn-lb'))).toHaveLength(1);
  const said = it.told();
  expect(said).not.toContain('SCTP');
  for (const what of ['HTTP', '"v2"', 'LEAST_CONNECTIONS', 'az1', '60000', 'BASKET'])
    expect(said).toContain(what);
});

/** Its root, where its versions stand, answers 404. */
const hideVersions = (it: SandboxWorld) => failing(it, 'GET', /^\/load-balancer\/$/, 404);

test('an Octavia that does not tell its versions takes back nothing that stands on a load balancer, and follows its Service', async () => {
  const it = await aWorld();
  it.cloud.availabilityZones.push(AZ1);
  const open = (range: string) =>
    it.kube.apply({ ...DEMANDING, spec: { ...DEMANDING.spec, loadBalancerSourceRanges: [range] } });
  open('192.0.2.0/24');
  await it.settle('web');
  const stands = (): string => JSON.stringify([it.cloud.listeners, it.cloud.pools]);
  const before = stands();
  hideVersions(it);
  const restarted = await it.another();
  expect(await it.settle('web', {}, restarted)).toMatchObject({ outcome: { status: 'settled' } });
  expect(stands()).toBe(before);
  open('198.51.100.0/24');
  await it.settle('web', {}, restarted);
  expect(it.cloud.listeners.map(({ allowed_cidrs }) => allowed_cidrs)).toContainEqual(['198.51.100.0/24']);
});

test('an Octavia that does not tell its versions makes what every Octavia can, and nothing that would be less safe', async () => {
  const it = await aWorld();
  hideVersions(it);
  const guarded = { name: 'guarded', spec: { loadBalancerSourceRanges: ['192.0.2.0/24'] } };
  expect(await it.make()).toMatchObject({ outcome: { status: 'settled' } });
  expect(await it.make(guarded)).toMatchObject({ outcome: { status: 'blocked' } });
  expect(it.cloud.loadbalancers).toHaveLength(1);
  expect(it.told('guarded')).toContain('does not tell its versions');
});

test('a monitor of a UDP port takes a new timeout, although Octavia wants its delay named with it', async () => {
  const it = await aWorld();
  const spec = { ports: [{ name: 'dns', port: 53, protocol: 'UDP' }] };
  await it.make({ spec });

  await it.make({ annotations: { [`${OCCM}health-monitor-timeout`]: '2' }, spec });

  expect(it.cloud.healthmonitors[0]).toMatchObject({ type: 'UDP-CONNECT', timeout: 2, delay: 5 });
});
