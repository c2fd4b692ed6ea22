/** What the requests of one run, or of one sweep, carry. `Cloud.during` and `Kube.during` bind it, so that nothing in between passes it on. */
export interface RunContext {
  /** The milliseconds that the run has left: no request outlasts them. */
  remainingMs(): number;
}

export const NO_RUN: RunContext = { remainingMs: () => Infinity };

/** A part of a run, in the time that both have. */
export function narrow(run: RunContext, part: RunContext): RunContext {
  return { remainingMs: () => Math.min(run.remainingMs(), part.remainingMs()) };
}
