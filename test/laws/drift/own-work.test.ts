/** What levelset itself did, and a run that goes on meanwhile, is no drift. */
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

/** A run that expects nothing after its process's own writes. */
function run(it: DriftWorld): Promise<Report> {
  return reconcile({ ...WEB, inGroup: true }, it.world, { remainingMs: () => 60_000 });
}

const WEB: ReconcileRequest = { key: serviceKey('default', 'web'), trigger: 'sweep' };

const limits = (it: DriftWorld): readonly unknown[] =>
  it.inside.cloud.listeners.map((one) => (one as object as Record<string, unknown>)['connection_limit']);

describe.each(['report', 'repair'])('%s', (mode) => {
  test('a Service that wants no load balancer for a moment gets another one, and tells of no drift', async () => {
    const it = await startDriftWorld([], { [DRIFT]: mode });
    it.apply({}, 'ClusterIP');
    expect((await run(it)).plan?.steps.map(({ verb, kind }) => `${verb} ${kind}`)).toContain(
      'delete loadbalancer',
    );
    it.apply();
    it.inside.clock.advance(5_000);
    const reports = await runsOf(WEB, it.world, it.inside);
    expect(reports.at(-1)?.outcome.status).toBe('settled');
    expect(reports.flatMap(({ plan }) => plan?.drift ?? [])).toEqual([]);
    expect(it.inside.cloud.loadbalancers.length).toBe(1);
  });

  test('a sweep that began before a run began to write keeps no watermark of the Service', async () => {
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
    const reports = await runsOf(WEB, it.world, it.inside);
    expect(reports.flatMap(({ plan }) => plan?.drift ?? [])).toEqual([]);
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
    for (let sweeps = 0; sweeps < 3; sweeps += 1) {
      await it.sweepOnce();
      it.inside.clock.advance(60_000);
    }
    put('web', [443, 5432]);
    const drift: unknown[] = [];
    for (let sweeps = 0; sweeps < 3; sweeps += 1) {
      drift.push(...(await it.sweepOnce()).drift);
      it.inside.clock.advance(60_000);
    }
    expect(drift).toEqual([]);
    expect(it.inside.cloud.listeners.map(({ protocol_port: port }) => port).sort()).toEqual([
      443, 5432, 80, 90,
    ]);
  });
});

test('a run that may only report drift writes nothing while the state cannot be removed', async () => {
  const it = await startDriftWorld([], { [DRIFT]: 'report', [LIMIT]: '9' });
  const clear = it.inside.fault({
    kind: 'fail-before',
    match: { side: 'kube', write: true, path: /configmaps/ },
    status: 503,
    times: Infinity,
  });
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
