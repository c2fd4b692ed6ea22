import { requestOf, type SweepScope } from '../../shared/model/request.ts';
import { CLOSING_MS, inTime, withDeadline } from '../../shared/deadline.ts';
import { looksAfterServices } from '../../shared/config/controllers.ts';
import { sweep, type Sweep } from '../../shared/sweep.ts';
import { sweptLine } from '../log.ts';
import { requeueDelayMs } from '../../shared/queue/scheduling.ts';
import { invocationTime, type InvocationTime } from '../budget.ts';
import { functionWorld, type FunctionWorld } from './connected.ts';
import { metrics } from './function-metrics.ts';
import { asFunction } from './invocation.ts';

const AGAIN = { status: 'progressing', reason: '', retryAfterMs: 1_000 } as const;
/** About four minutes of sweeps for the address of a Node. After that the schedule finds it. */
const MOST_LOOKS = 10;

export interface SweepWork {
  readonly scope: SweepScope;
  /** How many sweeps for the address of a Node there were before. */
  readonly attempt: number;
}

/**
 * Sweeps, and sends what needs work to the background queue. Requeues the node set while a Node has no address. Throws if a
 * controller found out nothing, so that Lambda counts an error.
 */
export async function runSweep(work: SweepWork, to: FunctionWorld, time: InvocationTime): Promise<Sweep> {
  const sweeping = withDeadline(time.runs, () => sweep(to.world, work.scope));
  const found = await inTime(sweeping, 'sweep', time.runs.remainingMs() + CLOSING_MS).catch(
    (error: unknown) => {
      metrics.observeSweep('failed');
      throw error;
    },
  );
  metrics.observeSweep(reasonOf(found, to) === undefined ? 'found' : 'failed');
  if (found.loadBalancersByState) metrics.setLoadBalancers(found.loadBalancersByState);
  await withDeadline(time.sending, () => queueFound(work, found, to));
  return found;
}

/** Why a sweep of everything is not one that ended well. Undefined: it is. */
function reasonOf(found: Sweep, { world }: FunctionWorld): string | undefined {
  if (found.failed !== undefined) return found.failed;
  const unread = [
    ...(looksAfterServices(world.config) && !found.loadBalancersByState ? ['load balancers'] : []),
    ...(found.nodes > 0 && found.nodesCompared === 0 ? ['servers'] : []),
  ];
  if (unread.length === 0) return undefined;
  return `the ${unread.join(' and ')} cannot be read: ${found.warnings.join('; ')}`;
}

async function queueFound(work: SweepWork, found: Sweep, to: FunctionWorld): Promise<void> {
  const { log, background, world } = to;
  for (const warning of found.warnings) log.warn(warning);
  const { requests, nodesWithoutAddress } = found;
  log.info('swept', { ...sweptLine(found), nodes_without_address: nodesWithoutAddress });
  await background.sendDelayed(requests.map((request) => ({ request, attempt: 0, delayMs: 0 })));
  if (found.failed !== undefined) throw new Error(`the sweep failed: ${found.failed}`);
  if (nodesWithoutAddress.length === 0 || work.attempt >= MOST_LOOKS) return;
  await background.sendDelayed([
    {
      request: requestOf(world, { key: 'nodeset', trigger: 'requeue' }),
      attempt: work.attempt + 1,
      delayMs: requeueDelayMs(AGAIN, work.attempt, Math.random) ?? 0,
    },
  ]);
}

/**
 * The schedule: sweeps everything, or has the worker sweep each cluster of a registry. It does not look again for the address of a Node, since the schedule does. Throws when
 * OpenStack or Kubernetes could not be read, so that the alarm about sweeps that stopped tells of it.
 */
export const handler = asFunction(async (_event: unknown, context) => {
  const time = invocationTime(context);
  if (process.env['LEVELSET_CLUSTERS']) {
    const { scheduleSweeps } = await import('./clusters/schedule-sweeps.ts');
    await scheduleSweeps(process.env, time);
    return;
  }
  const world = await withDeadline(time.runs, functionWorld);
  const found = await runSweep({ scope: {}, attempt: MOST_LOOKS }, world, time);
  const reason = reasonOf(found, world);
  if (reason !== undefined) throw new Error(`the sweep failed: ${reason}`);
});
