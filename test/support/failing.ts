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

/** The load balancer of a Service breaks, and serves nobody any more, unless its operating status says so. Returns its id. */
export function breaks(
  { cloud }: Pick<SandboxInside, 'cloud'>,
  name = 'web',
  operatingStatus = 'ERROR',
): string {
  const lb = cloud.loadbalancers.find((one) => one.name === name || one.name.endsWith(`_${name}`));
  if (!lb) throw new Error(`no load balancer of ${name}`);
  cloud.setStatus(lb.id, 'ERROR');
  lb.operating_status = operatingStatus;
  for (const member of cloud.members) member.operating_status = 'ERROR';
  return lb.id;
}
