/** Waiting no longer than there is time. Times are milliseconds of the monotonic clock. */
import { ReconcileError } from './model/errors.ts';
import type { Trigger } from './model/request.ts';

/** The longest time that a write may take. None is begun with less time left. */
export const WRITE_MS = 5_000;
/** The time for what ends a run whose own time is over: the report. */
export const CLOSING_MS = 3_000;
/** The longest time of one of these writes, so that one that hangs leaves time for the next. */
const CLOSING_WRITE_MS = 1_500;
/** More than this overflows a timer, which then ends at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

export function countdown(ms: number): () => number {
  const end = performance.now() + ms;
  return () => Math.max(0, end - performance.now());
}

/** The time for writes to Kubernetes, which may end a run whose own time is over: from when it is first asked for after that. */
export function closingAfter(remainingMs: () => number): () => number {
  let closingMs: (() => number) | undefined;
  return () => {
    const leftMs = remainingMs();
    if (leftMs <= 0) closingMs ??= countdown(CLOSING_MS);
    return Math.max(leftMs, Math.min(CLOSING_WRITE_MS, closingMs?.() ?? CLOSING_MS));
  };
}

export function budgetSpent(attempted: string): ReconcileError {
  return new ReconcileError('BUDGET_SPENT', `${attempted}: no time of this run is left`);
}

/** How long a run with so much time waits for what another one began, before it asks itself: 5 s, or half of its time. */
export function patienceMs(leftMs: number): number {
  return Math.min(5_000, leftMs / 2);
}

/** What `shared` resolves to, if that comes in this time. Otherwise throws BUDGET_SPENT. */
export async function inTime<T>(shared: Promise<T>, attempted: string, limitMs: number): Promise<T> {
  if (await isSettledWithin(shared, limitMs)) return shared;
  throw budgetSpent(attempted);
}

export async function valueWithin<T>(limitMs: number, value: Promise<T>): Promise<T | undefined> {
  return (await isSettledWithin(value, limitMs)) ? value : undefined;
}

/** Never throws. */
export async function isSettledWithin(promise: Promise<unknown>, limitMs: number): Promise<boolean> {
  const settled = promise.then(
    () => true,
    () => true,
  );
  if (limitMs === Infinity) return settled;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, Math.min(LONGEST_TIMER_MS, Math.max(0, limitMs)), false).unref();
  });
  const answer = await Promise.race([settled, late]);
  clearTimeout(timer);
  return answer;
}

/** What people, events and requeues ask goes before what sweeps, and the runs that they ask for, read. */
type Priority = 'soon' | 'sweep';

/** What the requests of one run, or of one sweep, carry. `Cloud.during` and `Kube.during` bind it, so that nothing in between passes it on. */
export interface RunContext {
  /** The milliseconds that the run has left: no request outlasts them. */
  remainingMs(): number;
  readonly priority: Priority;
}

export const NO_RUN: RunContext = { remainingMs: () => Infinity, priority: 'soon' };

export function priorityOf(trigger: Trigger): Priority {
  return trigger === 'sweep' ? 'sweep' : 'soon';
}

/** The same with what `part` has, in the time that both have. */
export function narrow(run: RunContext, part: Partial<RunContext>): RunContext {
  const { remainingMs = () => Infinity } = part;
  return { ...run, ...part, remainingMs: () => Math.min(run.remainingMs(), remainingMs()) };
}
