import { asText } from '../../json.ts';
import { octaviaFault } from '../../refusal.ts';
import type { CloudState } from '../cloud-state.ts';
import { requireChildMutable, requireMutable } from './lock.ts';
import type { L7Policy, Listener, LoadBalancer, OctaviaObject, Pool } from './objects.ts';

export function loadBalancerOf(world: CloudState, id: unknown): LoadBalancer {
  const found = world.loadbalancers.find((one) => one.id === id);
  if (!found) throw octaviaFault(404, `Load Balancer ${asText(id)} not found.`);
  return found;
}

export function listenerOf(world: CloudState, id: unknown): Listener {
  const found = world.listeners.find((one) => one.id === id);
  if (!found) throw octaviaFault(404, `Listener ${asText(id)} not found.`);
  return found;
}

export function poolOf(world: CloudState, id: unknown): Pool {
  const found = world.pools.find((one) => one.id === id);
  if (!found) throw octaviaFault(404, `Pool ${asText(id)} not found.`);
  return found;
}

/** The load balancer of a pool whose members or monitor are to change; both must be mutable. */
export function lockablePool(world: CloudState, pool: Pool): LoadBalancer {
  const lb = loadBalancerOf(world, pool.loadbalancer_id);
  if (lb.provisioning_status === 'ACTIVE') requireChildMutable('Pool', pool);
  requireMutable(lb);
  return lb;
}

/** Policies that send traffic: enabled, with at least one rule (octavia/db/models.py, `listeners` of a pool). */
export const isInForce = (world: CloudState, policy: L7Policy): boolean =>
  policy['admin_state_up'] === true && world.l7rules.some((rule) => rule.l7policy_id === policy.id);

/** The listeners a change of this pool locks along with it. */
export function listenersOf(world: CloudState, pool: Pool): Listener[] {
  const redirecting = new Set(
    world.l7policies
      .filter((one) => one.redirect_pool_id === pool.id && isInForce(world, one))
      .map((one) => one.listener_id),
  );
  return world.listeners.filter((one) => one.default_pool_id === pool.id || redirecting.has(one.id));
}

/** Policies with their rules, to be taken out together. */
export function policiesAndRules(world: CloudState, policies: readonly L7Policy[]): OctaviaObject[] {
  const ids = new Set(policies.map((one) => one.id));
  return [...policies, ...world.l7rules.filter((one) => ids.has(one.l7policy_id))];
}

export const policiesOf = (world: CloudState, listener: Listener): L7Policy[] =>
  world.l7policies.filter((one) => one.listener_id === listener.id);
