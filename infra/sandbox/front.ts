import { setImmediate as turn } from 'node:timers/promises';
import type { Answer, Call, Service } from './exchange.ts';
import { truncated } from './reply.ts';
import { faultAnswer, type FaultRules, type FaultTarget } from './fault-rules.ts';
import type { SandboxClock } from './sandbox-clock.ts';

/** One request as it arrived; `status` is 0 until an answer was sent (and stays 0 when none ever was). */
export interface RecordedRequest {
  readonly side: 'kube' | 'openstack';
  readonly service: Service;
  readonly method: string;
  readonly path: string;
  readonly write: boolean;
  readonly body: unknown;
  readonly status: number;
}

/** One of the two simulators, with its clock, faults and records. Requests come over HTTP or in process. */
export interface Front {
  readonly side: 'kube' | 'openstack';
  readonly clock: SandboxClock;
  readonly faults: FaultRules;
  readonly record: (entry: RecordedRequest) => void;
  readonly serviceOf: (path: string) => Service;
  readonly handle: (call: Call) => Answer;
}

export interface Request {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: Call['headers'];
  /** Parsed JSON, or the text of a body that is no JSON. */
  readonly body: unknown;
}

const readOnlyPost = '/v3/auth/tokens';

/** Records a request and answers it, or as a fault rule says: `hang` sends nothing, `reset` cuts the connection. */
export async function answerRequest(
  front: Front,
  { method, target, headers, body }: Request,
  isGone: () => boolean,
): Promise<Answer | 'hang' | 'reset'> {
  const [path = '', search = ''] = target.split('?', 2);
  const write = !['GET', 'HEAD', 'OPTIONS'].includes(method) && !path.endsWith(readOnlyPost);
  const faulty: FaultTarget = { side: front.side, method, path: target, write };
  const entry = { ...faulty, service: front.serviceOf(path), body, status: 0 };
  front.record(entry);
  const call = { method, path, query: new URLSearchParams(search), target, headers, body };
  const answer = await withFault(front, faulty, call, isGone);
  if (typeof answer !== 'string') entry.status = answer.status;
  return answer;
}

/**
 * A rule of kind `call` runs code at this very request, such as to kill the client. If the client is gone after `before`,
 * the request has no effect, as if it was never sent. `after` runs when the request has had its effect and
 * nothing has been answered yet.
 */
async function withFault(
  { faults, side, handle, clock }: Front,
  target: FaultTarget,
  call: Call,
  isGone: () => boolean,
): Promise<Answer | 'hang' | 'reset'> {
  const rule = faults.next(target);
  if (rule === undefined) return handle(call);
  if (rule.kind === 'hang') return 'hang';
  if (rule.kind === 'reset-before') return 'reset';
  if (rule.kind === 'fail-before') return faultAnswer(rule, side);
  if (rule.before) {
    await rule.before();
    await clock.pause(20);
    await turn();
    if (isGone()) return 'hang';
  }
  const answer = handle(rule.mutate ? { ...call, body: rule.mutate(call.body) } : call);
  await rule.after?.();
  if (rule.kind === 'reset-after') return 'reset';
  if (rule.kind === 'drip') return 'hang';
  if (rule.kind === 'truncate') return truncated(answer);
  return rule.kind === 'fail-after' ? faultAnswer(rule, side) : answer;
}
