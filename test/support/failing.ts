import type { FaultRule } from '../../infra/sandbox/fault-rules.ts';
import type { SandboxInside } from '../../infra/sandbox/sandbox.ts';

/** From now on such requests have this status for an answer, and no effect. Returns what ends that. */
export function failing(
  { fault }: Pick<SandboxInside, 'fault'>,
  method: string,
  path: RegExp,
  status = 503,
  more: Partial<FaultRule> = {},
): () => void {
  return fault({ match: { method, path }, kind: 'fail-before', status, times: Infinity, ...more });
}
