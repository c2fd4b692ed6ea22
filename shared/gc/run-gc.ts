import { changePort } from '../apply/execute.ts';
import { asReconcileError } from '../model/errors.ts';
import type { Step } from '../model/plan.ts';
import type { WireResource } from '../model/resources.ts';
import type { Cloud } from '../ports.ts';
import { clustersOf, type Belongings } from './belongings.ts';
import type { GcPlan } from './plan-gc.ts';

/**
 * A member on the load balancers of a cluster that answers health checks, as `ADDRESS:PORT`; undefined if none does, or if
 * no pool has a health monitor.
 */
export async function findAnswering(
  { loadBalancers, pools }: Belongings,
  id: string,
  cloud: Pick<Cloud, 'list'>,
): Promise<string | undefined> {
  const own = new Set(loadBalancers.filter((lb) => clustersOf(lb).includes(id)).map((lb) => lb.id));
  const isOn = ({ loadbalancers }: WireResource): boolean =>
    ((loadbalancers ?? []) as readonly { readonly id: string }[]).some((lb) => own.has(lb.id));
  for (const pool of pools.filter((one) => isOn(one) && typeof one['healthmonitor_id'] === 'string')) {
    const members = await cloud.list('member', {}, pool.id);
    const found = members.find((member) => member['operating_status'] === 'ONLINE');
    if (found) return `${String(found['address'])}:${String(found['protocol_port'])}`;
  }
  return undefined;
}

interface Collected {
  readonly done: readonly Step[];
  /** What failed, each with the reason. */
  readonly failed: readonly { readonly step: Step; readonly reason: string }[];
  /** What was not tried, since a load balancer did not go. */
  readonly left: readonly Step[];
}

/**
 * Executes a plan that a person has approved. Load balancers come first: if one of them does not go, somebody may be writing to
 * it, so nothing of another kind goes. Octavia deletes load balancers in its own time.
 */
export async function runGc(
  { steps }: GcPlan,
  cloud: Pick<Cloud, 'remove' | 'get' | 'updateAt'>,
): Promise<Collected> {
  const done: Step[] = [];
  const failed: { readonly step: Step; readonly reason: string }[] = [];
  for (const [at, step] of steps.entries()) {
    if (step.kind !== 'loadbalancer' && failed.some((one) => one.step.kind === 'loadbalancer'))
      return { done, failed, left: steps.slice(at) };
    try {
      await execute(step, cloud);
      done.push(step);
    } catch (error) {
      failed.push({ step, reason: asReconcileError(error).message });
    }
  }
  return { done, failed, left: [] };
}

async function execute(step: Step, cloud: Pick<Cloud, 'remove' | 'get' | 'updateAt'>): Promise<void> {
  if (
    step.verb === 'delete' &&
    typeof step.id === 'string' &&
    step.kind !== 'node' &&
    step.kind !== 'nodestatus'
  )
    return cloud.remove(step.kind, step.id, step.cascade ? { cascade: true } : {});
  if (step.verb !== 'update' || step.kind !== 'port')
    throw new TypeError(`gc has no step ${step.verb} ${step.kind}`);
  const port = await cloud.get('port', step.id);
  // only the groups of the plan go: others may have come since
  if (port) await changePort(step, port, { cloud, memory: { portWrites: new Map() } });
}
