import { asText } from '../../json.ts';
import { octaviaFault } from '../../refusal.ts';
import type { CloudState } from '../cloud-state.ts';
import type * as octavia from './objects.ts';
import type { L7Policy, Listener, LoadBalancer, OctaviaObject, Pool } from './objects.ts';

export function loadBalancerOf(world: CloudState, id: unknown): LoadBalancer {
  const found = world.loadbalancers.byId(id);
  if (!found) throw octaviaFault(404, `Load Balancer ${asText(id)} not found.`);
  return found;
}

export function listenerOf(world: CloudState, id: unknown): Listener {
  const found = world.listeners.byId(id);
  if (!found) throw octaviaFault(404, `Listener ${asText(id)} not found.`);
  return found;
}

export function poolOf(world: CloudState, id: unknown): Pool {
  const found = world.pools.byId(id);
  if (!found) throw octaviaFault(404, `Pool ${asText(id)} not found.`);
  return found;
}

export const listenersOn = (world: CloudState, lb: LoadBalancer): Listener[] =>
  world.listeners.of('loadbalancer_id', lb.id);

export const poolsOn = (world: CloudState, lb: LoadBalancer): Pool[] =>
  world.pools.of('loadbalancer_id', lb.id);

export const membersOf = (world: CloudState, pool: Pool): octavia.Member[] =>
  world.members.of('pool_id', pool.id);

export const monitorOf = (world: CloudState, pool: Pool): octavia.HealthMonitor | undefined =>
  world.healthmonitors.of('pool_id', pool.id)[0];

export const policiesOf = (world: CloudState, listener: Listener): L7Policy[] =>
  world.l7policies.of('listener_id', listener.id).sort((a, b) => a.position - b.position);

export const rulesOf = (world: CloudState, policy: L7Policy): octavia.L7Rule[] =>
  world.l7rules.of('l7policy_id', policy.id);

/** Policies that send traffic: enabled, with at least one rule (octavia/db/models.py, `listeners` of a pool). */
const isInForce = (world: CloudState, policy: L7Policy): boolean =>
  policy['admin_state_up'] === true && world.l7rules.count('l7policy_id', policy.id) > 0;

/** Policies that send to a pool, in force or not: they are on its load balancer. */
export const policiesTo = (world: CloudState, pool: Pool): L7Policy[] =>
  world.listeners
    .of('loadbalancer_id', pool.loadbalancer_id)
    .flatMap((one) => world.l7policies.of('listener_id', one.id))
    .filter((one) => one.redirect_pool_id === pool.id);

/** The listeners that use a pool, by default or by a policy that is in force: a change of the pool locks them along. */
export function listenersOf(world: CloudState, pool: Pool): Listener[] {
  const redirecting = new Set(
    policiesTo(world, pool)
      .filter((one) => isInForce(world, one))
      .map((one) => one.listener_id),
  );
  return world.listeners
    .of('loadbalancer_id', pool.loadbalancer_id)
    .filter((one) => one.default_pool_id === pool.id || redirecting.has(one.id));
}

/** The pools that a listener uses. */
export function poolsUsedBy(world: CloudState, listener: Listener): Pool[] {
  const redirects = world.l7policies.of('listener_id', listener.id).filter((one) => isInForce(world, one));
  const ids = [listener.default_pool_id, ...redirects.map((one) => one.redirect_pool_id)];
  return [...new Set(ids)].flatMap((id) => world.pools.byId(id) ?? []);
}

/** Everything below an object, at any depth. */
export function everythingBelow(world: CloudState, { id }: OctaviaObject): OctaviaObject[] {
  const children: OctaviaObject[] = [
    ...[...world.pools.of('loadbalancer_id', id), ...world.listeners.of('loadbalancer_id', id)],
    ...[...world.members.of('pool_id', id), ...world.healthmonitors.of('pool_id', id)],
    ...[...world.l7policies.of('listener_id', id), ...world.l7rules.of('l7policy_id', id)],
  ];
  return children.flatMap((one) => [one, ...everythingBelow(world, one)]);
}
