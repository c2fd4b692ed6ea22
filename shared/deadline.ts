/**
 * The time that the run which goes on may still take. The clients of OpenStack and of the apiserver ask here before each
 * request, so that no call outlasts its run. Outside of a run there is no end.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { ReconcileError } from './model/errors.ts';

interface Remaining {
  remainingMs(): number;
}

interface Deadline extends Remaining {
  /** How long what goes on here waits for what others began, if that does not follow from the time left. */
  readonly patienceMs?: number;
  /** When the time was found to be over, by the monotonic clock. */
  overSinceMs?: number;
}

const deadlines = new AsyncLocalStorage<Deadline>();

/** The time for what ends a run whose own time is over: the report and the release of the Lease. */
export const CLOSING_MS = 3_000;
/** The longest time of one of these writes, so that one that hangs leaves time for the next. */
const CLOSING_WRITE_MS = 1_500;
/** More than this overflows a timer, which then ends at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Gives `run`, and all that it starts, the time of `budget`. */
export function withDeadline<T>(budget: Remaining, run: () => Promise<T>): Promise<T> {
  return deadlines.run({ remainingMs: () => budget.remainingMs() }, run);
}

/** Gives `run` at most this many milliseconds from now, by the monotonic clock, of what the run has left. */
export function within<T>(limitMs: number, run: () => Promise<T>): Promise<T> {
  const end = performance.now() + limitMs;
  const whole = deadlines.getStore();
  const remainingMs = (): number =>
    Math.max(0, Math.min(end - performance.now(), whole?.remainingMs() ?? Infinity));
  return withDeadline({ remainingMs }, run);
}

/** For what several runs share: it does not end with the run that began it, and has that run's patience. */
export function withoutDeadline<T>(run: () => Promise<T>): Promise<T> {
  return deadlines.run({ remainingMs: () => Infinity, patienceMs: patienceMs() }, run);
}

/** Milliseconds; Infinity outside of a run. */
export function timeLeftMs(): number {
  return leftMs(deadlines.getStore());
}

/** `timeLeftMs` of what goes on here, for who asks from elsewhere. */
export function timeLeftOfRun(): () => number {
  const deadline = deadlines.getStore();
  return () => leftMs(deadline);
}

function leftMs(deadline: Deadline | undefined): number {
  if (!deadline) return Infinity;
  const left = deadline.remainingMs();
  if (left > 0) return left;
  deadline.overSinceMs ??= performance.now();
  return 0;
}

/** The same for a write to Kubernetes, which may end a run whose own time is over. */
export function timeLeftToCloseMs(): number {
  const left = timeLeftMs();
  const overSinceMs = deadlines.getStore()?.overSinceMs;
  const closing = CLOSING_MS - (overSinceMs === undefined ? 0 : performance.now() - overSinceMs);
  return Math.max(left, Math.min(CLOSING_WRITE_MS, closing));
}

/** The error for what a run has no time left for. */
export function budgetSpent(attempted: string): ReconcileError {
  return new ReconcileError('BUDGET_SPENT', `${attempted}: no time of this run is left`);
}

/** How long a run waits for what another one began, before it asks itself: 5 s, or half of its time. */
export function patienceMs(): number {
  return deadlines.getStore()?.patienceMs ?? Math.min(5_000, timeLeftMs() / 2);
}

/** What `shared` resolves to, if that comes in this time, else in the time of this run. Otherwise throws BUDGET_SPENT. */
export async function inTime<T>(
  shared: Promise<T>,
  attempted: string,
  limitMs: number = timeLeftMs(),
): Promise<T> {
  if (await isSettledWithin(shared, limitMs)) return shared;
  throw budgetSpent(attempted);
}

/** The value, or undefined if it takes longer than this many milliseconds. */
export async function valueWithin<T>(limitMs: number, value: Promise<T>): Promise<T | undefined> {
  return (await isSettledWithin(value, limitMs)) ? value : undefined;
}

/** Whether a promise resolves or rejects within this many milliseconds. Never throws. */
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
