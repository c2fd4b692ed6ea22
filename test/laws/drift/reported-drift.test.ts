/** What levelset itself did is no drift. Drift that is only reported stays, but for what is missing, and is told of while it lasts. */
import { describe, expect, test } from 'vitest';
import type { Report } from '../../../shared/model/outcome.ts';
import { serviceKey, type ReconcileRequest } from '../../../shared/model/request.ts';
import { reconcile } from '../../../shared/reconcile.ts';
import { sweep } from '../../../shared/sweep.ts';
import { aService } from '../../support/service.ts';
import { runsOf } from '../../support/virtual-time.ts';
import { startDriftWorld, type DriftWorld } from './drift-world.ts';

const DRIFT = 'levelset.openstack.org/drift';
const LIMIT = 'loadbalancer.openstack.org/connection-limit';

const WEB: ReconcileRequest = { key: serviceKey('default', 'web'), trigger: 'sweep' };

/** A run that expects nothing after its process's own writes. */
const run = (it: DriftWorld) => reconcile({ ...WEB, inGroup: true }, it.world, { remainingMs: () => 60_000 });

const driftIn = (reports: readonly Report[]) => reports.flatMap(({ plan }) => plan?.drift ?? []);
const limits = (it: DriftWorld): readonly unknown[] =>
  it.inside.cloud.listeners.map((one) => (one as object as Record<string, unknown>)['connection_limit']);

describe.each(['report', 'repair'])('%s', (mode) => {
  test('a Service that wants no load balancer for a moment gets another one, and tells of no drift', async () => {
    const it = await startDriftWorld([], { [DRIFT]: mode });
    it.apply({}, 'ClusterIP');
    const { plan } = await run(it);
    expect(plan?.steps.map(({ verb, kind }) => `${verb} ${kind}`)).toContain('delete loadbalancer');
    it.apply();
    it.inside.clock.advance(5_000);
    const reports = await runsOf(WEB, it.world, it.inside);
    expect(reports.at(-1)?.outcome.status).toBe('settled');
    expect(driftIn(reports)).toEqual([]);
    expect(it.inside.cloud.loadbalancers.length).toBe(1);
  });

  test('a sweep that began before a run began to write keeps no settled record of the Service', async () => {
    const it = await startDriftWorld([], { [DRIFT]: mode, [LIMIT]: '9' });
    it.inside.clock.advance(23 * 3_600_000);
    let edited: Promise<Report> | undefined;
    it.inside.fault({
      kind: 'call',
      match: { method: 'GET', path: /\/members/ },
      after: async () => {
        it.apply({ [LIMIT]: '7' });
        edited = run(it);
        await edited;
      },
    });
    expect((await sweep(it.world)).requests).toEqual([]);
    expect((await edited)?.applied.length).toBeGreaterThan(0);
    it.apply();
    it.inside.clock.advance(3_000);
    expect(driftIn(await runsOf(WEB, it.world, it.inside))).toEqual([]);
    expect(new Set(limits(it))).toEqual(new Set([9]));
  });

  test('a port that another Service on the load balancer gives up is served, and no drift', async () => {
    const it = await startDriftWorld([]);
    const [lb] = it.inside.cloud.loadbalancers;
    const put = (name: string, ports: readonly number[], annotations = {}): void => {
      const asked = ports.map((port) => ({ name: `p-${port}`, port, nodePort: 30_000 + port + name.length }));
      it.inside.kube.apply(aService({ name, annotations, spec: { ports: asked } }));
    };
    put('second', [80, 90], { [DRIFT]: mode, 'loadbalancer.openstack.org/load-balancer-id': lb?.id });
    await it.sweeps(3);
    put('web', [443, 5432]);
    expect(await it.sweeps(3)).toEqual([]);
    const ports = it.inside.cloud.listeners.map(({ protocol_port: port }) => port);
    expect(ports.sort()).toEqual([443, 5432, 80, 90]);
  });
});

test('a run that may only report drift writes nothing while the state cannot be removed', async () => {
  const it = await startDriftWorld([], { [DRIFT]: 'report', [LIMIT]: '9' });
  const match = { side: 'kube', write: true, path: /configmaps/ } as const;
  const clear = it.inside.fault({ kind: 'fail-before', match, status: 503, times: Infinity });
  it.apply({ [LIMIT]: '7' });
  const before = it.writes().length;
  const [failed] = await runsOf(WEB, it.world, it.inside);
  expect(failed?.outcome).toMatchObject({ status: 'failed', code: 'KUBE_UNAVAILABLE' });
  expect(it.writes().slice(before)).toEqual([]);
  clear();
  await runsOf(WEB, it.world, it.inside);
  expect(new Set(limits(it))).toEqual(new Set([7]));
});

test('drift is named in the minute after a Service without a state ran, too', async () => {
  const it = await startDriftWorld([]);
  it.byHand(() => {
    for (const pool of it.inside.cloud.pools) pool['lb_algorithm'] = 'SOURCE_IP';
  });
  it.inside.kube.apply(aService({ name: 'new' }));
  await runsOf({ key: serviceKey('default', 'new'), trigger: 'audit' }, it.world, it.inside);
  const drift = (await run(it)).plan?.drift ?? [];
  expect(JSON.stringify(drift)).toContain('lb_algorithm');
});

const REPORT = { [DRIFT]: 'report' };

test('reported drift stays when the same run mends a listener in ERROR', async () => {
  const it = await startDriftWorld(['http'], REPORT);
  const [[pool], [listener]] = [[...it.inside.cloud.pools], [...it.inside.cloud.listeners]];
  if (!pool || !listener) throw new Error('nothing was made');
  it.byHand(() => {
    pool['lb_algorithm'] = 'SOURCE_IP';
    listener.provisioning_status = 'ERROR';
  });
  await it.sweeps(3);
  expect([pool['lb_algorithm'], listener.provisioning_status]).toEqual(['SOURCE_IP', 'ACTIVE']);
});

describe('what only a new pool mends', () => {
  const OTHER = 'dddddddd-0000-4000-8000-000000000001';
  const twoSubnets = async (mode: string): Promise<DriftWorld> => {
    const it = await startDriftWorld([], { [DRIFT]: mode }, 2, false);
    const [own] = it.inside.cloud.members;
    const subnet = [...it.inside.cloud.subnets].find(({ id }) => id === own?.['subnet_id']);
    if (!subnet) throw new Error('the members have no subnet');
    it.inside.cloud.subnets.push({ ...subnet, id: OTHER, name: 'second' });
    it.inside.clock.advance(60_000);
    return it;
  };
  const followsNodes = async (it: DriftWorld): Promise<void> => {
    it.inside.kube.addNode('node-more');
    it.inside.clock.advance(60_000);
    await it.sweeps(4);
    const { members, pools } = it.inside.cloud;
    const more = [...members].filter(({ name }) => name.includes('node-more'));
    expect(more.map(({ pool_id }) => pool_id).sort()).toEqual(pools.map(({ id }) => id).sort());
    expect(it.isReady()).toBe(true);
  };

  test.each(['report', 'repair'])('is made where the Service asks, and is no drift: %s', async (mode) => {
    const it = await twoSubnets(mode);
    it.apply({ 'loadbalancer.openstack.org/member-subnet-id': OTHER });
    expect((await it.sweepOnce()).drift).toEqual([]);
    await it.sweeps(4);
    expect(new Set([...it.inside.cloud.members].map((one) => one['subnet_id']))).toEqual(new Set([OTHER]));
    await followsNodes(it);
  });

  test('stays where a person made it, until a Node comes', async () => {
    const it = await twoSubnets('report');
    it.apply({ 'loadbalancer.openstack.org/member-subnet-id': OTHER });
    await it.sweeps(4);
    const [member] = it.inside.cloud.members;
    it.byHand(() => Object.assign(member ?? {}, { subnet_id: null }));
    const { drift, reports } = await it.sweepOnce();
    expect(drift).not.toEqual([]);
    expect(reports.map(({ outcome }) => outcome.status)).toEqual(['settled']);
    expect(reports.flatMap(({ applied }) => applied)).toEqual([]);
    await followsNodes(it);
  });
});

test('of members that a person took away or changed, only the missing one is made, and their pool stays', async () => {
  const it = await startDriftWorld(['members'], REPORT, 3);
  const { members, pools } = it.inside.cloud;
  const [pool] = pools;
  const own = [...members].filter((one) => one.pool_id === pool?.id);
  it.byHand(() => {
    Object.assign(own[0] ?? {}, { weight: 0 });
    if (own[1]) members.remove(own[1]);
    for (const one of pools) one['lb_algorithm'] = 'SOURCE_IP';
  });
  await it.sweeps(4);
  expect([...members].filter((one) => one.pool_id === pool?.id)).toHaveLength(3);
  expect(own[0]?.['weight']).toBe(0);
  expect(pools.map((one) => one['lb_algorithm'])).toEqual(pools.map(() => 'SOURCE_IP'));
});

test('drift of a port in Neutron is told, and a sweep tells of its end', async () => {
  const it = await startDriftWorld([], REPORT);
  const [port] = it.inside.cloud.ports.filter(({ device_owner: owner }) =>
    owner.startsWith('compute:'),
  ) as object[] as { security_groups: string[] }[];
  if (!port) throw new Error('there is no port');
  const before = port.security_groups;
  port.security_groups = [];
  expect(JSON.stringify((await it.sweepOnce()).drift)).toContain('"attribute":"security_groups"');
  const condition = (): string => JSON.stringify(it.inside.kube.list('Service').map((one) => one.status));
  expect(condition()).toContain('drift: ~ port/');
  port.security_groups = before;
  it.inside.clock.advance(300_000);
  await it.sweepOnce();
  expect(condition()).not.toContain('drift: ~ port/');
});
