import type { Answer } from './exchange.ts';

/** A refusal as an error: thrown where a rule is broken, and turned into an answer by `answerOf`. */
export class Refusal extends Error {
  readonly answer: Answer;

  constructor(status: number, body: unknown, headers: Record<string, string> = {}) {
    super(`refused with ${status}`);
    this.answer = { status, body, headers };
  }
}

/** Octavia's error body (docs/sources/openstack.md, "Error bodies"). */
export function octaviaFault(status: number, faultstring: string): Refusal {
  return new Refusal(status, {
    faultcode: status < 500 ? 'Client' : 'Server',
    faultstring,
    debuginfo: null,
  });
}

/** Neutron's error body; `type` is the exception's class name. */
export function neutronError(status: number, type: string, message: string): Refusal {
  return new Refusal(status, { NeutronError: { type, message, detail: '' } });
}

export function answerOf(run: () => Answer): Answer {
  try {
    return run();
  } catch (error) {
    if (error instanceof Refusal) return error.answer;
    throw error;
  }
}
