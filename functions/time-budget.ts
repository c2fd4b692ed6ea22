import type { Budget, Clock } from '../shared/ports.ts';

/** Ends after `timeoutMs`, or at once when the signal says that the process is to end. */
export function timeBudget(timeoutMs: number, clock: Clock, stop?: AbortSignal): Budget {
  const end = clock.now() + timeoutMs;
  return { remainingMs: () => (stop?.aborted ? 0 : Math.max(0, end - clock.now())) };
}
