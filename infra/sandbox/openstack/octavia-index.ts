import type { CloudWorld } from './cloud-world.ts';
import type { HealthMonitor, Listener, Member, Pool } from './octavia-objects.ts';

/** Who belongs to whom, looked up once per answer: lists of thousands of load balancers stay quick. */
export class OctaviaIndex {
  private readonly byBalancer: { listeners: Map<string, Listener[]>; pools: Map<string, Pool[]> };
  private readonly listenersByPool: Map<string | null, Listener[]>;
  private readonly membersByPool: Map<string, Member[]>;
  private readonly monitors: Map<string, HealthMonitor>;

  constructor(world: CloudWorld) {
    this.byBalancer = {
      listeners: Map.groupBy(world.listeners, (one) => one.loadbalancer_id),
      pools: Map.groupBy(world.pools, (one) => one.loadbalancer_id),
    };
    this.listenersByPool = Map.groupBy(world.listeners, (one) => one.default_pool_id);
    this.membersByPool = Map.groupBy(world.members, (one) => one.pool_id);
    this.monitors = new Map(world.healthmonitors.map((one) => [one.pool_id, one]));
  }

  listenersOf(loadBalancerId: string): readonly Listener[] {
    return this.byBalancer.listeners.get(loadBalancerId) ?? [];
  }

  poolsOf(loadBalancerId: string): readonly Pool[] {
    return this.byBalancer.pools.get(loadBalancerId) ?? [];
  }

  listenersUsing(poolId: string): readonly Listener[] {
    return this.listenersByPool.get(poolId) ?? [];
  }

  membersOf(poolId: string): readonly Member[] {
    return this.membersByPool.get(poolId) ?? [];
  }

  monitorOf(poolId: string): HealthMonitor | undefined {
    return this.monitors.get(poolId);
  }
}
