/** What the requests of one run, or of one sweep, carry. `Cloud.during` and `Kube.during` bind it, so that nothing in between passes it on. */
import type { Trigger } from './model/request.ts';

/** What people, events and requeues ask goes before what sweeps, and the runs that they ask for, read. */
type Priority = 'soon' | 'sweep';

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
