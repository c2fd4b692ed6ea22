import type { OctaviaOptions } from '../../../infra/sandbox/openstack/octavia/traits.ts';
import { VirtualClock } from '../../../infra/sandbox/sandbox-clock.ts';
import { createSandbox, type SandboxInside } from '../../../infra/sandbox/sandbox.ts';
import type { Config } from '../../../shared/config/config.ts';
import { observeBelongings } from '../../../shared/gc/belongings.ts';
import { planGc, type GcPlan } from '../../../shared/gc/plan-gc.ts';
import type { Report } from '../../../shared/model/outcome.ts';
import { requestOf, type ReconcileRequest } from '../../../shared/model/request.ts';
import type { World } from '../../../shared/ports.ts';
import { sweep } from '../../../shared/sweep.ts';
import { aConfig } from '../config.ts';
import { AUTH_URL, inProcessWorld } from '../in-process.ts';
import { addNodeIn, SILENT } from '../sandbox-world.ts';
import { aService } from '../service.ts';
import { forceDelete } from '../told.ts';
import { runsOf } from '../virtual-time.ts';

export const DAY_MS = 86_400_000;

/** What gc plans of what a cluster has left where another one is, when nothing was written for a day. */
export async function gcPlanOf(gone: Cluster, { world, inside }: Cluster): Promise<GcPlan> {
  return planGc(await observeBelongings(world.cloud), {
    ...{ id: await gone.world.kube.clusterId(), thisOne: await world.kube.clusterId() },
    ...{ answering: undefined, unwrittenForMs: DAY_MS, now: inside.clock.millis() },
  });
}

/** A cluster before the simulated OpenStack, which other clusters may use as well. */
export type Cluster = ReturnType<typeof startCluster>;

/** A cluster in virtual time; with `neighbour` in the same project as that one. `named` is its name in its deployment. */
export function startCluster(
  config: Partial<Config> = {},
  neighbour?: { readonly inside: SandboxInside },
  octavia: OctaviaOptions = {},
  named?: string,
) {
  const clock = neighbour?.inside.clock ?? new VirtualClock();
  const own = createSandbox({ nodes: neighbour ? 0 : 2, pendingMs: 500, octavia }, clock);
  const { cloud, fronts } = neighbour?.inside ?? own;
  const fault = (neighbour?.inside ?? own).fault;
  const inside = { ...own, cloud, fault, fronts: { ...own.fronts, openstack: fronts.openstack } };
  if (neighbour) addNodeIn(inside, 'other-1', inside);
  const world: World = {
    ...inProcessWorld(inside, { ...aConfig(AUTH_URL), ...config }, SILENT),
    ...(named !== undefined && { cluster: named }),
  };
  const run = async (request: ReconcileRequest): Promise<Report> => {
    const [last] = (await runsOf(request, world, inside)).slice(-1);
    if (!last) throw new Error('no run');
    return last;
  };
  const { kube, requests, advanceClock } = inside;
  const sweepOnce = async () => {
    const swept = await sweep(world);
    const reports: Report[] = [];
    for (const request of swept.requests) reports.push(await run(request));
    return { ...swept, reports };
  };
  return {
    ...{ cloud, kube, fault, requests, advanceClock },
    ...{ inside, world, run },
    create: async (...names: readonly string[]) => {
      for (const name of names) kube.apply(aService({ name }));
      for (const name of names) {
        const { outcome } = await run(requestOf(world, { key: `service/default/${name}`, trigger: 'audit' }));
        if (outcome.status !== 'settled') throw new Error(`${name}: ${JSON.stringify(outcome)}`);
      }
    },
    /** Takes Services away as a restore of an older etcd does: nobody sees a deletionTimestamp. */
    lose: (...names: readonly string[]) => {
      for (const name of names) forceDelete(inside, name);
    },
    /** A sweep and its runs, each until it is settled, blocked or failed. */
    sweep: sweepOnce,
    /** Sweeps until what was done is put right and settled: a settled record is sure after two seconds. */
    sweepToRest: async () => {
      for (let sweeps = 0; sweeps < 3; sweeps += 1) {
        advanceClock(3_000);
        await sweepOnce();
      }
    },
  };
}
