import type { Outcome } from '../../shared/model/outcome.ts';
import type { ReconcileRequest } from '../../shared/model/request.ts';
import type { Budget } from '../../shared/ports.ts';
import { Queue, type QueueOptions } from '../../shared/queue/queue.ts';
import { LEAST_RUN_MS, MONOTONIC } from '../budget.ts';

/** After so many failures in a row the key is left to the sweep. */
const MOST_FAILURES = 3;
/** How often the time is looked at: Lambda's goes by the time of day, and timers need not. */
const LOOK_MS = 250;

interface Staying extends Pick<QueueOptions, 'run' | 'busy' | 'slots' | 'random'> {
  readonly time: Budget;
}

/** busy: its load balancer is in Octavia's hands. group: it is not in the group of keys that share load balancers. waiting: for anything else. */
export type Left = 'done' | 'failed' | 'busy' | 'group' | 'waiting';

/** Runs one key by the queue of `serve` until it is settled, blocked, failed three times in a row, or out of time. Then no run goes on. */
export async function stayWithKey(
  request: ReconcileRequest,
  delayMs: number,
  { run, time, ...waits }: Staying,
): Promise<Left> {
  let left: Left = 'waiting';
  let failures = 0;
  const over = Promise.withResolvers<undefined>();
  const end = (): void => {
    over.resolve(queue.stop().then(() => undefined));
  };
  const queue = new Queue({
    ...waits,
    concurrency: 1,
    clock: MONOTONIC,
    run: async (one, mayCreate) => {
      left = 'failed';
      try {
        const report = await run(one, mayCreate);
        left = leftBy(report.outcome);
        return report;
      } finally {
        failures = left === 'failed' ? failures + 1 : 0;
        if (left === 'done' || left === 'group' || failures === MOST_FAILURES) end();
      }
    },
  });
  const looking = setInterval(() => {
    if (time.remainingMs() < LEAST_RUN_MS) end();
  }, LOOK_MS);
  queue.add(request, delayMs);
  await over.promise;
  clearInterval(looking);
  return left;
}

function leftBy(outcome: Outcome): Left {
  switch (outcome.status) {
    case 'settled':
    case 'blocked':
      return 'done';
    case 'failed':
      return 'failed';
    case 'progressing':
      if (outcome.needsGroup) return 'group';
      return outcome.waitingFor === undefined ? 'waiting' : 'busy';
  }
}
