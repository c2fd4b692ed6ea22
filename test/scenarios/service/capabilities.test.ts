import { afterEach, describe, expect, test } from 'vitest';
import { aService } from '../../support/service.ts';
import { startSandboxWorld, type SandboxWorld } from '../../support/sandbox-world.ts';
import { readyOf } from '../../support/told.ts';

const OWN = 'levelset.openstack.org/';
const OCCM = 'loadbalancer.openstack.org/';

let it: SandboxWorld;
afterEach(() => it.close());

/** What Octavia refused, in its own words. */
const refused = (): readonly string[] =>
  it.sandbox.requests
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
    it = await startSandboxWorld({ octavia: { version: `v2.${minor}` } });
    it.sandbox.cloud.availabilityZones.push({ name: 'az1', description: '', enabled: true });
    it.sandbox.kube.apply(DEMANDING);

    const report = await it.settle('web');

    expect(report.outcome).toEqual({ status: 'settled' });
    expect(refused()).toEqual([]);
    const ports = it.sandbox.cloud.listeners.map(({ protocol }) => protocol).sort();
    const sctp = minor >= 23 ? ['SCTP'] : [];
    const prometheus = minor >= 25 ? ['PROMETHEUS'] : [];
    expect(ports).toEqual(['HTTP', ...prometheus, ...sctp, 'UDP']);
    const said = readyOf(it.sandbox)?.message ?? '';
    expect(said.includes('needs Octavia API 2.25')).toBe(minor < 25);
    expect(said.includes('needs Octavia API 2.14')).toBe(minor < 14);
  },
);

test('without tags nothing is made, since nothing could be found again', async () => {
  it = await startSandboxWorld({ octavia: { version: 'v2.4' } });
  it.sandbox.kube.apply(aService());

  const report = await it.settle('web');

  expect(report.outcome.status).toBe('failed');
  expect(it.sandbox.cloud.loadbalancers).toEqual([]);
  expect(readyOf(it.sandbox)?.message).toContain('it needs 2.5');
});

test('the provider ovn passes through what it cannot read, has one algorithm and checks of its own, and is asked for no cookie, at which it leaves a VIP port', async () => {
  it = await startSandboxWorld({ octavia: { provider: 'ovn' } }, { lbProvider: 'ovn' });
  const cookie = { [`${OWN}session-persistence.80`]: 'APP_COOKIE BASKET' };
  const annotations = { ...DEMANDING.metadata.annotations, ...cookie };
  it.sandbox.kube.apply(aService({ annotations, spec: DEMANDING.spec }));

  const report = await it.settle('web');

  const { listeners, pools, l7policies, healthmonitors, members, ports } = it.sandbox.cloud;
  expect(report.outcome).toEqual({ status: 'settled' });
  expect(refused()).toEqual([]);
  expect(listeners.map(({ protocol }) => protocol).sort()).toEqual(['SCTP', 'TCP', 'UDP']);
  expect(l7policies).toEqual([]);
  const kept = pools.map((pool) => [pool['lb_algorithm'], pool['session_persistence']]);
  expect(kept).toEqual(pools.map(() => ['SOURCE_IP_PORT', null]));
  expect(healthmonitors.map(({ type }) => type).sort()).toEqual(['TCP', 'TCP', 'UDP-CONNECT']);
  expect(members.some((member) => member['backup'] === true)).toBe(false);
  expect(ports.filter(({ device_owner: owner }) => owner.startsWith('ovn-lb'))).toHaveLength(1);
  const said = readyOf(it.sandbox)?.message ?? '';
  expect(said).not.toContain('SCTP');
  for (const what of ['HTTP', '"v2"', 'LEAST_CONNECTIONS', 'az1', '60000', 'BASKET'])
    expect(said).toContain(what);
});

describe.each([
  [404, undefined],
  [300, { choices: [] }],
])('an Octavia whose root answers %i', (status, body) => {
  const hideVersions = (): void => {
    const match = { side: 'openstack', path: /^\/load-balancer\/$/ } as const;
    it.sandbox.fault({ match, times: 1_000, kind: 'fail-before', status, body });
  };

  test('takes back nothing that stands on a load balancer, and follows its Service', async () => {
    it = await startSandboxWorld();
    it.sandbox.cloud.availabilityZones.push({ name: 'az1', description: '', enabled: true });
    const ranged = { ...DEMANDING.spec, loadBalancerSourceRanges: ['192.0.2.0/24'] };
    it.sandbox.kube.apply({ ...DEMANDING, spec: ranged });
    await it.settle('web');
    const stands = (): string => JSON.stringify([it.sandbox.cloud.listeners, it.sandbox.cloud.pools]);
    const before = stands();
    hideVersions();
    const restarted = await it.another();
    expect(await it.settle('web', {}, restarted)).toMatchObject({ outcome: { status: 'settled' } });
    expect(stands()).toBe(before);
    it.sandbox.kube.apply({
      ...DEMANDING,
      spec: { ...ranged, loadBalancerSourceRanges: ['198.51.100.0/24'] },
    });
    await it.settle('web', {}, restarted);
    expect(it.sandbox.cloud.listeners.map(({ allowed_cidrs }) => allowed_cidrs)).toContainEqual([
      '198.51.100.0/24',
    ]);
  });

  test('makes what every Octavia can, and nothing that would be less safe; the condition says why', async () => {
    it = await startSandboxWorld();
    hideVersions();
    it.sandbox.kube.apply(aService());
    it.sandbox.kube.apply(
      aService({ name: 'guarded', spec: { loadBalancerSourceRanges: ['192.0.2.0/24'] } }),
    );
    expect(await it.settle('web')).toMatchObject({ outcome: { status: 'settled' } });
    expect(await it.settle('guarded')).toMatchObject({ outcome: { status: 'blocked' } });
    expect(it.sandbox.cloud.loadbalancers).toHaveLength(1);
    expect(readyOf(it.sandbox, 'guarded')?.message).toContain('does not tell its versions');
  });
});

test('an Octavia whose root is in trouble is not taken for an old one', async () => {
  it = await startSandboxWorld();
  const match = { side: 'openstack', path: /^\/load-balancer\/$/ } as const;
  it.sandbox.fault({ match, times: 1_000, kind: 'fail-before', status: 503 });
  it.sandbox.kube.apply(aService());
  expect(await it.settle('web')).toMatchObject({ outcome: { status: 'failed' } });
  expect(it.sandbox.cloud.loadbalancers).toEqual([]);
});

test('a monitor of a UDP port takes a new timeout, although Octavia wants its delay named with it', async () => {
  it = await startSandboxWorld();
  const spec = { ports: [{ name: 'dns', port: 53, protocol: 'UDP' }] };
  it.sandbox.kube.apply(aService({ spec }));
  await it.settle('web');

  it.sandbox.kube.apply(aService({ annotations: { [`${OCCM}health-monitor-timeout`]: '2' }, spec }));
  await it.settle('web');

  expect(it.sandbox.cloud.healthmonitors[0]).toMatchObject({ type: 'UDP-CONNECT', timeout: 2, delay: 5 });
});
