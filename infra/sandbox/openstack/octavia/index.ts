import type { CloudState } from '../cloud-state.ts';
import { isInForce } from './lookup.ts';
import type { HealthMonitor, L7Policy, L7Rule, Listener, Member, Pool } from './objects.ts';

/** Who belongs to whom, looked up once per answer: lists of thousands of load balancers stay quick. */
export class OctaviaIndex {
  private readonly byBalancer: { listeners: Map<string, Listener[]>; pools: Map<string, Pool[]> };
  private readonly listenersByPool: Map<string | null, Listener[]>;
  private readonly membersByPool: Map<string, Member[]>;
  private readonly monitors: Map<string, HealthMonitor>;
  private readonly policies: Map<string, L7Policy[]>;
  private readonly rules: Map<string, L7Rule[]>;
  private readonly redirects: readonly L7Policy[];
  private readonly listeners: Map<string, Listener>;
  private readonly pools: Map<string, Pool>;

  constructor(world: CloudState) {
    this.byBalancer = {
      listeners: Map.groupBy(world.listeners, (one) => one.loadbalancer_id),
      pools: Map.groupBy(world.pools, (one) => one.loadbalancer_id),
    };
    this.listenersByPool = Map.groupBy(world.listeners, (one) => one.default_pool_id);
    this.membersByPool = Map.groupBy(world.members, (one) => one.pool_id);
    this.monitors = new Map(world.healthmonitors.map((one) => [one.pool_id, one]));
    this.policies = Map.groupBy(world.l7policies, (one) => one.listener_id);
    this.rules = Map.groupBy(world.l7rules, (one) => one.l7policy_id);
    this.redirects = world.l7policies.filter((one) => one.redirect_pool_id !== null && isInForce(world, one));
    this.listeners = new Map(world.listeners.map((one) => [one.id, one]));
    this.pools = new Map(world.pools.map((one) => [one.id, one]));
  }

  listenersOf(loadBalancerId: string): readonly Listener[] {
    return this.byBalancer.listeners.get(loadBalancerId) ?? [];
  }

  poolsOf(loadBalancerId: string): readonly Pool[] {
    return this.byBalancer.pools.get(loadBalancerId) ?? [];
  }

  /** By default or by a policy that is in force. */
  listenersUsing(poolId: string): readonly Listener[] {
    const direct = this.listenersByPool.get(poolId) ?? [];
    const redirecting = this.redirects
      .filter((one) => one.redirect_pool_id === poolId)
      .flatMap((one) => this.listeners.get(one.listener_id) ?? []);
    return [...new Set([...direct, ...redirecting])];
  }

  poolsUsedBy(listener: Listener): readonly Pool[] {
    const redirects = this.redirects.filter((one) => one.listener_id === listener.id);
    const ids = [listener.default_pool_id, ...redirects.map((one) => one.redirect_pool_id)];
    return [...new Set(ids)].flatMap((id) => this.pools.get(id ?? '') ?? []);
  }

  policiesOf(listenerId: string): readonly L7Policy[] {
    return [...(this.policies.get(listenerId) ?? [])].sort((a, b) => a.position - b.position);
  }

  rulesOf(policyId: string): readonly L7Rule[] {
    return this.rules.get(policyId) ?? [];
  }

  membersOf(poolId: string): readonly Member[] {
    return this.membersByPool.get(poolId) ?? [];
  }

  monitorOf(poolId: string): HealthMonitor | undefined {
    return this.monitors.get(poolId);
  }
}
