import { countedLots } from '../../infra/sandbox/lots.ts';
import { VirtualClock } from '../../infra/sandbox/sandbox-clock.ts';
import { createSandbox, type SandboxInside, type SandboxOptions } from '../../infra/sandbox/sandbox.ts';
import type { Report } from '../../shared/model/outcome.ts';
import type { ReconcileRequest } from '../../shared/model/request.ts';
import type { World } from '../../shared/ports.ts';
import { reconcile } from '../../shared/reconcile.ts';
import { aConfig } from './config.ts';
import { AUTH_URL, inProcessWorld } from './in-process.ts';
import { SILENT } from './sandbox-world.ts';

/** A sandbox without sockets, whose time passes when a test says so. */
export function inVirtualTime(options: SandboxOptions = {}) {
  const clock = new VirtualClock();
  return { ...createSandbox({ pendingMs: 1, ...options }, clock, countedLots()), clock };
}

/** A process that knows nothing yet. */
export const aProcess = (inside: SandboxInside) => inProcessWorld(inside, aConfig(AUTH_URL), SILENT);

/** Runs a key as the queue does, until it is not requeued. */
export async function runsOf(request: ReconcileRequest, world: World, { clock }: SandboxInside) {
  const reports: Report[] = [];
  for (let runs = 0; runs < 30; runs += 1) {
    const report = await reconcile({ inGroup: true, ...request }, world, { remainingMs: () => 60_000 });
    reports.push(report);
    if (report.outcome.status !== 'progressing') return reports;
    clock.advance(1_000);
  }
  throw new Error(`${request.key} never comes to rest`);
}
