import type { SweepScope } from '../../shared/model/request.ts';
import { CLOSING_MS, inTime, withDeadline } from '../../shared/deadline.ts';
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
export async function runSweep(work: SweepWork, to: FunctionWorld, time: InvocationTime): Promise<void> {
  const sweeping = withDeadline(time.runs, () => sweep(to.world, work.scope));
  const found = await inTime(sweeping, 'sweep', time.runs.remainingMs() + CLOSING_MS).catch(
    (error: unknown) => {
      metrics.observeSweep('failed');
      throw error;
    },
  );
  metrics.observeSweep(found.failed === undefined ? 'found' : 'failed');
  if (found.loadBalancersByState) metrics.setLoadBalancers(found.loadBalancersByState);
  await withDeadline(time.sending, () => queueFound(work, found, to));
}

async function queueFound(work: SweepWork, found: Sweep, { log, background }: FunctionWorld): Promise<void> {
  for (const warning of found.warnings) log.warn(warning);
  const { requests, nodesWithoutAddress } = found;
  log.info('swept', { ...sweptLine(found), nodes_without_address: nodesWithoutAddress });
  await background.sendDelayed(requests.map((request) => ({ request, attempt: 0, delayMs: 0 })));
  if (found.failed !== undefined) throw new Error(`the sweep failed: ${found.failed}`);
  if (nodesWithoutAddress.length === 0 || work.attempt >= MOST_LOOKS) return;
  await background.sendDelayed([
    {
      request: { key: 'nodeset', trigger: 'requeue' },
      attempt: work.attempt + 1,
      delayMs: requeueDelayMs(AGAIN, work.attempt, Math.random) ?? 0,
    },
  ]);
}

/** The schedule: sweeps everything. */
export const handler = asFunction(async (_event: unknown, context) => {
  const time = invocationTime(context);
  const world = await withDeadline(time.runs, functionWorld);
  await runSweep({ scope: {}, attempt: 0 }, world, time);
});
