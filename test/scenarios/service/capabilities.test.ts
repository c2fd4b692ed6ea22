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

describe.each([5, 6, 8, 9, 10, 12, 13, 14, 17, 20, 22, 23, 25, 26, 27, 29, 30])(
  'Octavia API 2.%i',
  (minor) => {
    test('gives a demanding Service what it has, and refuses nothing that it is asked for', async () => {
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
    });
  },
);

test.each([15, 16])(
  'UDP with externalTrafficPolicy Local is checked as Octavia API 2.%i can, and stays at rest',
  async (minor) => {
    it = await startSandboxWorld({ octavia: { version: `v2.${minor}` } });
    const ports = [{ port: 514, protocol: 'UDP' }];
    it.sandbox.kube.apply(aService({ spec: { externalTrafficPolicy: 'Local', ports } }));
    await it.settle('web');
    const [pool] = it.sandbox.cloud.pools;

    await it.sweepUntilSettled();

    expect(refused()).toEqual([]);
    expect(it.sandbox.cloud.healthmonitors).toMatchObject([{ type: minor < 16 ? 'UDP-CONNECT' : 'HTTP' }]);
    expect(it.sandbox.cloud.pools.map(({ id }) => id)).toEqual([pool?.id]);
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

describe('the provider ovn', () => {
  const start = async (): Promise<void> => {
    it = await startSandboxWorld({ octavia: { provider: 'ovn' } }, { lbProvider: 'ovn' });
  };

  test('passes through what it cannot read, and has one algorithm and checks of its own', async () => {
    await start();
    it.sandbox.kube.apply(DEMANDING);

    const report = await it.settle('web');

    expect(report.outcome).toEqual({ status: 'settled' });
    expect(refused()).toEqual([]);
    expect(it.sandbox.cloud.listeners.map(({ protocol }) => protocol).sort()).toEqual(['SCTP', 'TCP', 'UDP']);
    expect(it.sandbox.cloud.l7policies).toEqual([]);
    expect(new Set(it.sandbox.cloud.pools.map((pool) => pool['lb_algorithm']))).toEqual(
      new Set(['SOURCE_IP_PORT']),
    );
    const types = it.sandbox.cloud.healthmonitors.map((monitor) => monitor.type);
    expect(types.sort()).toEqual(['TCP', 'TCP', 'UDP-CONNECT']);
    expect(it.sandbox.cloud.members.some((member) => member['backup'] === true)).toBe(false);
    const said = readyOf(it.sandbox)?.message ?? '';
    expect(said).not.toContain('SCTP');
    for (const what of ['HTTP', '"v2"', 'LEAST_CONNECTIONS', 'az1', '60000', 'prometheus'])
      expect(said).toContain(what);
  });

  test.each(['HTTP_COOKIE', 'APP_COOKIE BASKET'])(
    'is never asked for a cookie, at which it stumbles and leaves a VIP port: %s',
    async (cookie) => {
      await start();
      const http = { [`${OWN}protocol`]: 'http', [`${OWN}session-persistence`]: cookie };
      it.sandbox.kube.apply(aService({ annotations: http }));

      const report = await it.settle('web');

      expect(report.outcome).toEqual({ status: 'settled' });
      expect(refused()).toEqual([]);
      expect(it.sandbox.cloud.pools.map((pool) => pool['session_persistence'])).toEqual([null]);
      expect(readyOf(it.sandbox)?.message).toContain(
        `${OWN}session-persistence "${cookie}" cannot be done by the provider ovn; levelset ignores it`,
      );
      const vips = it.sandbox.cloud.ports.filter(({ device_owner: owner }) => owner.startsWith('ovn-lb'));
      expect(vips).toHaveLength(1);
    },
  );

  test('keeps clients on their members by their addresses', async () => {
    await start();
    it.sandbox.kube.apply(aService({ spec: { sessionAffinity: 'ClientIP' } }));

    await it.settle('web');

    expect(it.sandbox.cloud.pools[0]?.['session_persistence']).toMatchObject({ type: 'SOURCE_IP' });
  });

  test('checks members where they are, although kube-proxy answers elsewhere', async () => {
    await start();
    const local = { externalTrafficPolicy: 'Local', healthCheckNodePort: 31_000 };
    it.sandbox.kube.apply(aService({ spec: local }));

    const report = await it.settle('web');

    expect(report.outcome).toEqual({ status: 'settled' });
    expect(refused()).toEqual([]);
    expect(it.sandbox.cloud.healthmonitors).toMatchObject([{ type: 'TCP' }]);
    expect(it.sandbox.cloud.members.every((member) => member['monitor_port'] === null)).toBe(true);
  });

  test('cannot hold source ranges or end TLS: then nothing is opened', async () => {
    await start();
    it.sandbox.kube.apply(aService({ spec: { loadBalancerSourceRanges: ['192.0.2.0/24'] } }));
    expect((await it.settle('web')).outcome.status).toBe('blocked');
    expect(it.sandbox.cloud.loadbalancers).toEqual([]);
  });
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
