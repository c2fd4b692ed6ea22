import type { Answer } from '../../exchange.ts';
import { asText, type Json } from '../../json.ts';
import type { CloudState } from '../cloud-state.ts';
import { readCreate, readUpdate } from './rules/body.ts';
import { buildHealthMonitor } from './build.ts';
import { change, lockablePool } from './lock.ts';
import { listenersOf, loadBalancerOf, poolOf } from './lookup.ts';
import type { HealthMonitor } from './objects.ts';
import { checkMonitorType, checkMonitorUpdate, checkQuota } from './rules/pool-rules.ts';
import { healthMonitorView } from './views.ts';

export function createHealthMonitor(world: CloudState, given: Json): Answer {
  const read = readCreate('healthmonitor', given);
  const pool = poolOf(world, given['pool_id']);
  const lb = loadBalancerOf(world, pool.loadbalancer_id);
  checkMonitorType(pool.protocol, asText(read['type']), read['delay'], world.octaviaTraits);
  checkQuota(world, 'health_monitor', lb.project_id);
  lockablePool(world, pool);
  const monitor = buildHealthMonitor(world, lb, pool, given);
  change(world, lb, { creating: [monitor], updating: [pool, ...listenersOf(world, pool)] });
  return { status: 201, body: { healthmonitor: healthMonitorView(monitor) } };
}

export function updateHealthMonitor(world: CloudState, monitor: HealthMonitor, given: Json): Answer {
  const body = readUpdate('healthmonitor', given);
  const pool = poolOf(world, monitor.pool_id);
  checkMonitorUpdate(monitor, given);
  checkMonitorType(pool.protocol, monitor.type, given['delay'], world.octaviaTraits);
  const lb = lockablePool(world, pool);
  Object.assign(monitor, body);
  change(world, lb, { updating: [monitor, pool, ...listenersOf(world, pool)] });
  return { status: 200, body: { healthmonitor: healthMonitorView(monitor) } };
}

export function deleteHealthMonitor(world: CloudState, monitor: HealthMonitor): Answer {
  const pool = poolOf(world, monitor.pool_id);
  const lb = lockablePool(world, pool);
  change(world, lb, { deleting: [monitor], updating: [pool, ...listenersOf(world, pool)] });
  return { status: 204 };
}
