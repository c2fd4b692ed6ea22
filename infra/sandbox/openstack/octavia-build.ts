import { asJson, asText, type Json } from '../json.ts';
import { octaviaFault } from '../refusal.ts';
import { readCreate } from './octavia-attributes.ts';
import type { CloudWorld } from './cloud-world.ts';
import type { HealthMonitor, Listener, LoadBalancer, Member, Pool } from './octavia-objects.ts';
import * as rules from './octavia-rules.ts';

/** Fills in what Octavia sets on every new object, whatever it is. */
function stamp(world: CloudWorld, owner: string, body: Json): Json {
  return {
    ...body,
    id: world.newId(),
    project_id: owner,
    provisioning_status: 'PENDING_CREATE',
    operating_status: 'OFFLINE',
    created_at: world.octaviaTime(),
    updated_at: null,
  };
}

/** Checks and makes a listener; it is in the world afterwards, not yet ACTIVE. */
export function buildListener(
  world: CloudWorld,
  lb: LoadBalancer,
  body: Json,
  defaultPoolId?: string,
): Listener {
  const read = readCreate('listener', body, ['loadbalancer_id']);
  const protocol = asText(read['protocol']);
  const poolId = defaultPoolId ?? read['default_pool_id'];
  if (typeof poolId === 'string') {
    const pool = world.pools.find((one) => one.id === poolId && one.loadbalancer_id === lb.id);
    if (!pool) throw octaviaFault(404, `Pool ${poolId} not found.`);
    rules.checkPoolFitsListener(protocol, pool.protocol);
  }
  rules.checkListenerOptions(protocol, read);
  rules.checkTlsGiven(protocol);
  rules.checkListenerPort(world, lb, protocol, read['protocol_port']);
  rules.checkAllowedCidrs(lb, read['allowed_cidrs']);
  delete read['default_pool'];
  const stamped = stamp(world, lb.project_id, {
    ...read,
    loadbalancer_id: lb.id,
    default_pool_id: poolId ?? null,
  });
  const listener = stamped as Listener;
  world.listeners.push(listener);
  return listener;
}

/** Checks and makes a pool without members or monitor. */
export function buildPool(world: CloudWorld, lb: LoadBalancer, body: Json): Pool {
  const read = readCreate('pool', body);
  rules.checkPoolOptions(asText(read['protocol']), read);
  for (const name of ['listener_id', 'members', 'healthmonitor']) Reflect.deleteProperty(read, name);
  const persistence = read['session_persistence'];
  if (persistence !== null) read['session_persistence'] = fullPersistence(asJson(persistence));
  const pool = stamp(world, lb.project_id, { ...read, loadbalancer_id: lb.id }) as Pool;
  world.pools.push(pool);
  return pool;
}

/** Octavia always shows all four keys of a session persistence. */
export function fullPersistence(given: Json): Json {
  return {
    type: null,
    cookie_name: null,
    persistence_timeout: null,
    persistence_granularity: null,
    ...given,
  };
}

/** Checks and makes a member; address and port are its identity within the pool. */
export function buildMember(world: CloudWorld, pool: Pool, body: Json): Member {
  const read = readCreate('member', body);
  const { address, protocol_port } = read;
  const subnet = read['subnet_id'];
  if (typeof subnet === 'string' && !world.subnets.some((one) => one.id === subnet)) {
    throw octaviaFault(400, `Subnet ${subnet} not found.`);
  }
  const same = (one: Member): boolean => one.address === address && one.protocol_port === protocol_port;
  if (world.members.some((one) => one.pool_id === pool.id && same(one))) {
    const where = `ip ${asText(address)} on protocol_port ${String(protocol_port)}`;
    throw octaviaFault(409, `Another member on this pool is already using ${where}`);
  }
  const monitored = world.healthmonitors.some((one) => one.pool_id === pool.id);
  const stamped = stamp(world, pool.project_id, { ...read, pool_id: pool.id });
  const member = { ...stamped, operating_status: monitored ? 'OFFLINE' : 'NO_MONITOR' } as Member;
  world.members.push(member);
  return member;
}

/** Checks and makes a monitor; HTTP monitors get method, path and codes when none are given. */
export function buildHealthMonitor(world: CloudWorld, pool: Pool, body: Json): HealthMonitor {
  const read = readCreate('healthmonitor', body, ['pool_id']);
  const type = asText(read['type']);
  rules.checkMonitor(pool.protocol, type, read);
  if (world.healthmonitors.some((one) => one.pool_id === pool.id)) {
    throw octaviaFault(409, 'This pool already has a health monitor');
  }
  if (type === 'HTTP' || type === 'HTTPS') {
    read['http_method'] ??= 'GET';
    read['url_path'] ??= '/';
    read['expected_codes'] ??= '200';
  }
  const monitor = stamp(world, pool.project_id, { ...read, pool_id: pool.id }) as HealthMonitor;
  world.healthmonitors.push(monitor);
  return monitor;
}

/** A new load balancer around a VIP that is already there. */
export function buildLoadBalancer(
  world: CloudWorld,
  owner: string,
  id: string,
  body: Json,
  vip: Json,
): LoadBalancer {
  const own = { ...body };
  for (const nested of ['listeners', 'pools']) Reflect.deleteProperty(own, nested);
  const lb = { ...stamp(world, owner, { ...own, ...vip }), id } as LoadBalancer;
  world.loadbalancers.push(lb);
  return lb;
}
