import type { Answer } from '../http-front.ts';
import { asJson, asText, isJson, type Json } from '../json.ts';
import { octaviaFault } from '../refusal.ts';
import type { CloudWorld } from './cloud-world.ts';
import { readCreate, readUpdate } from './octavia-attributes.ts';
import * as build from './octavia-build.ts';
import { change, forget, requireChildMutable, requireMutable } from './octavia-lock.ts';
import { OctaviaIndex } from './octavia-index.ts';
import type { HealthMonitor, Listener, LoadBalancer, OctaviaObject, Pool } from './octavia-objects.ts';
import * as rules from './octavia-rules.ts';
import { healthMonitorView, listenerView, poolView } from './octavia-views.ts';

export function loadBalancerOf(world: CloudWorld, id: unknown): LoadBalancer {
  const found = world.loadbalancers.find((one) => one.id === id);
  if (!found) throw octaviaFault(404, `Load Balancer ${asText(id)} not found.`);
  return found;
}

export function poolOf(world: CloudWorld, id: unknown): Pool {
  const found = world.pools.find((one) => one.id === id);
  if (!found) throw octaviaFault(404, `Pool ${asText(id)} not found.`);
  return found;
}

/** The load balancer of a pool whose members or monitor are to change; both must be mutable. */
export function lockablePool(world: CloudWorld, pool: Pool): LoadBalancer {
  const lb = loadBalancerOf(world, pool.loadbalancer_id);
  if (lb.provisioning_status === 'ACTIVE') requireChildMutable('Pool', pool);
  requireMutable(lb);
  return lb;
}

/** The listeners a change of this pool locks along with it. */
export const listenersOf = (world: CloudWorld, pool: Pool): Listener[] =>
  world.listeners.filter((one) => one.default_pool_id === pool.id);

const owned = <T extends OctaviaObject>(all: readonly T[], lb: LoadBalancer): T[] =>
  all.filter((one) => one.project_id === lb.project_id);

export function createListener(world: CloudWorld, given: Json): Answer {
  readCreate('listener', given);
  const lb = loadBalancerOf(world, given['loadbalancer_id']);
  rules.checkQuota(world.quotas.listener, 'Listener', owned(world.listeners, lb), 1);
  requireMutable(lb);
  const listener = build.buildListener(world, lb, given);
  change(world, lb, { creating: [listener] });
  return { status: 201, body: { listener: listenerView(listener) } };
}

export function updateListener(world: CloudWorld, listener: Listener, given: Json): Answer {
  const body = readUpdate('listener', given);
  const lb = loadBalancerOf(world, listener.loadbalancer_id);
  rules.checkListenerOptions(listener.protocol, body);
  rules.checkAllowedCidrs(lb, body['allowed_cidrs']);
  if (typeof body['default_pool_id'] === 'string') {
    const pool = poolOf(world, body['default_pool_id']);
    if (pool.loadbalancer_id !== lb.id) throw octaviaFault(404, `Pool ${pool.id} not found.`);
    rules.checkPoolFitsListener(listener.protocol, pool.protocol);
  }
  requireMutable(lb);
  Object.assign(listener, body);
  change(world, lb, { updating: [listener] });
  return { status: 200, body: { listener: listenerView(listener) } };
}

export function deleteListener(world: CloudWorld, listener: Listener): Answer {
  const lb = loadBalancerOf(world, listener.loadbalancer_id);
  requireMutable(lb);
  change(world, lb, {
    deleting: [listener],
    whenDone: () => {
      forget(world, listener);
    },
  });
  return { status: 204 };
}

/** Octavia compares the protocols only when the listener is all it was given (api/v2/controllers/pool.py). */
export function createPool(world: CloudWorld, given: Json): Answer {
  readCreate('pool', given);
  const listener = world.listeners.find((one) => one.id === given['listener_id']);
  const lbId = given['loadbalancer_id'] ?? listener?.loadbalancer_id;
  if (lbId === undefined) {
    throw octaviaFault(400, 'Validation failure: Must provide at least one of: loadbalancer_id, listener_id');
  }
  const lb = loadBalancerOf(world, lbId);
  if (listener && typeof given['loadbalancer_id'] !== 'string') {
    rules.checkPoolFitsListener(listener.protocol, asText(given['protocol']));
  }
  rules.checkQuota(world.quotas.pool, 'Pool', owned(world.pools, lb), 1);
  if (listener && listener.default_pool_id !== null) {
    throw octaviaFault(409, 'This listener already has a default pool');
  }
  rules.checkPoolOptions(asText(given['protocol']), given);
  requireMutable(lb);
  const pool = build.buildPool(world, lb, given);
  if (listener) listener.default_pool_id = pool.id;
  change(world, lb, { creating: [pool], updating: listener ? [listener] : [] });
  return { status: 201, body: { pool: poolView(new OctaviaIndex(world), pool) } };
}

export function updatePool(world: CloudWorld, pool: Pool, given: Json): Answer {
  const body = readUpdate('pool', given);
  rules.checkPoolOptions(pool.protocol, body);
  const lb = loadBalancerOf(world, pool.loadbalancer_id);
  requireMutable(lb);
  const persistence = body['session_persistence'];
  if (isJson(persistence)) {
    body['session_persistence'] = {
      ...build.fullPersistence(asJson(pool['session_persistence'])),
      ...persistence,
    };
  }
  Object.assign(pool, body);
  change(world, lb, { updating: [pool, ...listenersOf(world, pool)] });
  return { status: 200, body: { pool: poolView(new OctaviaIndex(world), pool) } };
}

/** Deleting a pool takes members and monitor along and leaves its listeners without a default pool. */
export function deletePool(world: CloudWorld, pool: Pool): Answer {
  const lb = loadBalancerOf(world, pool.loadbalancer_id);
  requireMutable(lb);
  const below = [...world.members, ...world.healthmonitors].filter((one) => one.pool_id === pool.id);
  const listeners = listenersOf(world, pool);
  change(world, lb, {
    updating: listeners,
    deleting: [pool],
    whenDone: () => {
      for (const listener of listeners)
        if (listener.default_pool_id === pool.id) listener.default_pool_id = null;
      for (const one of [pool, ...below]) forget(world, one);
    },
  });
  return { status: 204 };
}

export function createHealthMonitor(world: CloudWorld, given: Json): Answer {
  const read = readCreate('healthmonitor', given);
  const pool = poolOf(world, given['pool_id']);
  const lb = loadBalancerOf(world, pool.loadbalancer_id);
  rules.checkMonitor(pool.protocol, asText(read['type']), given);
  rules.checkQuota(world.quotas.health_monitor, 'Health Monitor', owned(world.healthmonitors, lb), 1);
  lockablePool(world, pool);
  const monitor = build.buildHealthMonitor(world, pool, given);
  change(world, lb, { creating: [monitor], updating: [pool, ...listenersOf(world, pool)] });
  return { status: 201, body: { healthmonitor: healthMonitorView(monitor) } };
}

export function updateHealthMonitor(world: CloudWorld, monitor: HealthMonitor, given: Json): Answer {
  const body = readUpdate('healthmonitor', given);
  const pool = poolOf(world, monitor.pool_id);
  rules.checkMonitor(pool.protocol, monitor.type, body);
  const lb = lockablePool(world, pool);
  Object.assign(monitor, body);
  change(world, lb, { updating: [monitor, pool, ...listenersOf(world, pool)] });
  return { status: 200, body: { healthmonitor: healthMonitorView(monitor) } };
}

export function deleteHealthMonitor(world: CloudWorld, monitor: HealthMonitor): Answer {
  const pool = poolOf(world, monitor.pool_id);
  const lb = lockablePool(world, pool);
  const updating = [pool, ...listenersOf(world, pool)];
  change(world, lb, {
    updating,
    deleting: [monitor],
    whenDone: () => {
      forget(world, monitor);
    },
  });
  return { status: 204 };
}
