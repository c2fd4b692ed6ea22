import type { Context } from 'aws-lambda';
import type { SweepScope } from '../../shared/model/request.ts';
import { withDeadline } from '../../shared/deadline.ts';
import type { Budget } from '../../shared/ports.ts';
import { sweep } from '../../shared/sweep.ts';
import { sweptLine } from '../log.ts';
import { requeueDelayMs } from '../../shared/queue/scheduling.ts';
import { invocationBudget } from '../budget.ts';
import { functionWorld, type FunctionWorld } from './connected.ts';

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
export async function runSweep(
  work: SweepWork,
  { world, log, background }: FunctionWorld,
  budget: Budget,
): Promise<void> {
  const found = await withDeadline(budget, () => sweep(world, work.scope));
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
export async function handler(_event: unknown, context: Context): Promise<void> {
  await runSweep({ scope: {}, attempt: 0 }, await functionWorld(), invocationBudget(context));
}
