import { expect } from 'vitest';
import { countedLots } from '../../../infra/sandbox/lots.ts';
import type { LoadBalancer } from '../../../infra/sandbox/openstack/octavia/objects.ts';
import type { OctaviaOptions } from '../../../infra/sandbox/openstack/octavia/traits.ts';
import { VirtualClock } from '../../../infra/sandbox/sandbox-clock.ts';
import { createSandbox, type SandboxInside } from '../../../infra/sandbox/sandbox.ts';
import type { Report } from '../../../shared/model/outcome.ts';
import type { ReconcileRequest } from '../../../shared/model/request.ts';
import { reconcile } from '../../../shared/reconcile.ts';
import { sweep, type Sweep } from '../../../shared/sweep.ts';
import { aConfig } from '../../support/config.ts';
import { AUTH_URL, inProcessWorld } from '../../support/in-process.ts';
import { aService } from '../../support/service.ts';
import { SILENT } from '../../support/sandbox-world.ts';

export const INTERNAL = { 'service.beta.kubernetes.io/openstack-internal-load-balancer': 'true' };
export const DRIFT = 'levelset.openstack.org/drift';

/** Service default/web, which is served, in a world where nothing listens: only sweeps find what changes. */
export interface SweptService {
  readonly inside: SandboxInside;
  lb(): LoadBalancer;
  apply(annotations?: Record<string, string>): void;
  /** A sweep, and the runs that it asks for until they rest. */
  sweepOnce(): Promise<Sweep & { readonly reports: readonly Report[] }>;
  /** A run of another process, which knows nothing; with so much time. */
  runElsewhere(request?: Partial<ReconcileRequest>, remainingMs?: number): Promise<Report>;
  /** Writes to OpenStack. */
  writes(): readonly string[];
  failovers(): number;
}

/** Returns when sweeps find nothing to do. */
export async function served(
  failover: OctaviaOptions['failover'],
  annotations: (inside: SandboxInside) => Record<string, string> = () => ({}),
  flags: Parameters<typeof aConfig>[1] = {},
): Promise<SweptService> {
  const inside = createSandbox(
    { nodes: 2, pendingMs: 1, octavia: { failover } },
    new VirtualClock(),
    countedLots(),
  );
  const { cloud, kube, clock, requests } = inside;
  const world = inProcessWorld(inside, aConfig(AUTH_URL, flags), SILENT);
  const asked = annotations(inside);
  const it: SweptService = {
    inside,
    lb: () => {
      const [lb] = cloud.loadbalancers;
      if (!lb) throw new Error('there is no load balancer');
      return lb;
    },
    apply: (more = {}) => {
      kube.apply(aService({ annotations: { ...asked, ...more } }));
    },
    sweepOnce: async () => {
      const found = await sweep(world);
      const reports: Report[] = [];
      for (const request of found.requests)
        for (let runs = 0; runs < 20; runs += 1) {
          const report = await reconcile(request, world, { remainingMs: () => 60_000 });
          reports.push(report);
          if (report.outcome.status !== 'progressing') break;
          clock.advance(1_500);
        }
      clock.advance(300_000);
      return { ...found, reports };
    },
    runElsewhere: (request = {}, remainingMs = 60_000) =>
      reconcile(
        { key: 'service/default/web', trigger: 'sweep', ...request },
        inProcessWorld(inside, aConfig(AUTH_URL, flags), SILENT),
        { remainingMs: () => remainingMs },
      ),
    writes: () =>
      requests
        .filter(({ side, write, path }) => side === 'openstack' && write && !path.includes('/auth/tokens'))
        .map(({ method, path }) => `${method} ${path}`),
    failovers: () => it.writes().filter((write) => write.endsWith('/failover')).length,
  };
  it.apply();
  for (let sweeps = 0; sweeps < 3; sweeps += 1) await it.sweepOnce();
  expect((await it.sweepOnce()).requests).toEqual([]);
  return it;
}
