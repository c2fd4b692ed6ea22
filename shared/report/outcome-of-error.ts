import { ERRORS, type ReconcileError, type Disposition } from '../model/errors.ts';
import type { Outcome } from '../model/outcome.ts';
import type { Plan } from '../model/plan.ts';

/** The first delay before another try, in milliseconds. The queue doubles it. */
export const RETRY_MS = 1_000;

export function outcomeOfError(error: ReconcileError): Outcome {
  const retryAfterMs = error.context.retryAfterMs ?? RETRY_MS;
  if (ERRORS[error.code].disposition === 'wait') {
    return { status: 'progressing', reason: error.message, retryAfterMs };
  }
  if (ERRORS[error.code].disposition === 'blocked') {
    return { status: 'blocked', reason: `${error.message} (${ERRORS[error.code].advice})` };
  }
  return { status: 'failed', code: error.code, message: error.message, retryAfterMs };
}

const ACTORS: Readonly<Record<Disposition, string>> = {
  wait: 'nobody',
  retry: 'whoever runs the cluster or the cloud, if it lasts',
  blocked: 'whoever owns the object',
  operator: 'whoever runs levelset or the cloud',
  bug: 'whoever runs levelset',
};

/** Who must act after a run, and what there is to do, in words; undefined if nobody must. */
export function whoActs(outcome: Outcome, plan: Plan | undefined): string | undefined {
  switch (outcome.status) {
    case 'progressing':
      return undefined;
    case 'failed': {
      const { disposition, advice } = ERRORS[outcome.code];
      return `${ACTORS[disposition]}: ${advice}`;
    }
    case 'blocked': {
      const codes = (plan?.problems ?? []).flatMap(({ code }) => code ?? []);
      return codes.some((code) => ERRORS[code].disposition === 'operator') ? ACTORS.operator : ACTORS.blocked;
    }
    case 'settled':
      return plan && (plan.problems.length > 0 || waitsForApproval(plan)) ? ACTORS.blocked : undefined;
  }
}

function waitsForApproval({ awaitingApproval, refused }: Plan): boolean {
  return awaitingApproval.length > 0 || refused.some(({ approval }) => approval !== undefined);
}
