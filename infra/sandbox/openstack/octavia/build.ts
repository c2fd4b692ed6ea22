import { type Json, asJson, asList, asText, isJson, copyOf } from '../../json.ts';
import type { CloudState } from '../cloud-state.ts';
import { octaviaFault } from '../../refusal.ts';
import { tlsDefaults } from './rules/attributes.ts';
import { readCreate, readPersistence } from './rules/body.ts';
import type { Certificates } from './rules/certificates.ts';
import * as rules from './rules/listener-rules.ts';
import type { HealthMonitor, Listener, LoadBalancer, Member, Pool } from './objects.ts';
import { checkMonitorOptions, checkRevocationList } from './rules/pool-rules.ts';
import { placeOf } from './rows.ts';
import * as provider from './rules/providers.ts';

/** Fills in what Octavia sets on every new object, whatever it is. */
export function stamp(world: CloudState, owner: string, body: Json): Json {
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
  world: CloudState,
  certificates: Certificates,
  lb: LoadBalancer,
  body: Json,
  defaultPoolId?: string,
): Listener {
  const read = readCreate('listener', body, ['loadbalancer_id']);
  const protocol = asText(read['protocol']);
  const poolId = defaultPoolId ?? read['default_pool_id'];
  checkDefaultPool(world, lb, protocol, poolId);
  checkListener(world, certificates, lb, read);
  if (protocol === 'TERMINATED_HTTPS') fillIn(read, tlsDefaults);
  for (const name of ['default_pool', 'l7policies']) Reflect.deleteProperty(read, name);
  read['allowed_cidrs'] = rules.normalCidrs(read['allowed_cidrs']);
  const parent = { loadbalancer_id: lb.id, default_pool_id: poolId ?? null };
  const listener = stamp(world, lb.project_id, { ...read, ...parent }) as Listener;
  world.listeners.push(listener);
  return listener;
}

/** A default pool is one of the same load balancer, whose protocol fits. */
export function checkDefaultPool(world: CloudState, lb: LoadBalancer, protocol: string, id: unknown): void {
  if (typeof id !== 'string') return;
  rules.checkMayHaveChildren(protocol);
  const pool = world.pools.byId(id);
  if (pool?.loadbalancer_id !== lb.id) throw octaviaFault(404, `Pool ${id} not found.`);
  rules.checkPoolFitsListener(protocol, pool.protocol);
}

/** Checks a listener in Octavia's order, and refuses it for the first thing that is wrong. */
function checkListener(world: CloudState, certificates: Certificates, lb: LoadBalancer, read: Json): void {
  const protocol = asText(read['protocol']);
  rules.checkInsertHeaders(protocol, read, true);
  rules.checkTlsOfCreate(protocol, read);
  rules.checkTlsSettings(read, false);
  certificates.checkAll([...asList(read['sni_container_refs']), read['default_tls_container_ref']]);
  const ca = read['client_ca_tls_container_ref'];
  if (ca) certificates.checkAuthority(ca, read['client_crl_container_ref']);
  rules.checkListenerPort(world, lb, protocol, read['protocol_port']);
  rules.checkAllowedCidrs(lb, read['allowed_cidrs']);
  rules.checkTlsSettings(read, rules.endsTls(protocol, read));
  provider.checkListenerOfProvider(lb, read);
}

function fillIn(read: Json, defaults: Json): void {
  for (const [name, value] of Object.entries(defaults)) read[name] ??= copyOf(value);
}

/** Checks and makes a pool without members or monitor. */
export function buildPool(world: CloudState, certificates: Certificates, lb: LoadBalancer, body: Json): Pool {
  const read = readCreate('pool', body);
  checkRevocationList(read);
  certificates.checkAll([read['tls_container_ref']]);
  const ca = read['ca_tls_container_ref'];
  if (ca) certificates.checkAuthority(ca, read['crl_container_ref']);
  rules.checkTlsSettings(read, read['tls_enabled'] === true);
  provider.checkPoolOfProvider(lb, read);
  if (read['tls_enabled'] === true) fillIn(read, tlsDefaults);
  for (const name of ['listener_id', 'members', 'healthmonitor']) Reflect.deleteProperty(read, name);
  const persistence = read['session_persistence'];
  read['session_persistence'] = isJson(persistence) ? readPersistence(persistence, '', true) : null;
  const pool = stamp(world, lb.project_id, { ...read, loadbalancer_id: lb.id }) as Pool;
  world.pools.push(pool);
  return pool;
}

/** Checks and makes a member; address and port are its identity within the pool. */
export function buildMember(world: CloudState, lb: LoadBalancer, pool: Pool, body: Json): Member {
  const read = readCreate('member', body);
  const { address, protocol_port } = read;
  const subnet = read['subnet_id'];
  if (typeof subnet === 'string' && !world.subnets.byId(subnet)) {
    throw octaviaFault(400, `Subnet ${subnet} not found.`);
  }
  if (world.members.count('place', placeOf(pool.id, address, protocol_port)) > 0) {
    const where = `ip ${asText(address)} on protocol_port ${String(protocol_port)}`;
    throw octaviaFault(409, `Another member on this pool is already using ${where}`);
  }
  provider.checkMemberOfProvider(lb, read);
  const monitored = world.healthmonitors.count('pool_id', pool.id) > 0;
  const stamped = stamp(world, pool.project_id, { ...read, pool_id: pool.id });
  const member = { ...stamped, operating_status: monitored ? 'OFFLINE' : 'NO_MONITOR' } as Member;
  world.members.push(member);
  return member;
}

/** Checks and makes a monitor; HTTP monitors get method, path and codes when none are given. */
export function buildHealthMonitor(
  world: CloudState,
  lb: LoadBalancer,
  pool: Pool,
  body: Json,
): HealthMonitor {
  const read = readCreate('healthmonitor', body, ['pool_id']);
  const type = asText(read['type']);
  for (const name of ['delay', 'timeout', 'max_retries'])
    if (read[name] === null) throw rules.invalidOption('None', name);
  checkMonitorOptions(read);
  if (world.healthmonitors.count('pool_id', pool.id) > 0) {
    throw octaviaFault(409, 'This pool already has a health monitor');
  }
  provider.checkMonitorOfProvider(lb, type);
  if (type === 'HTTP' || type === 'HTTPS')
    fillIn(read, { http_method: 'GET', url_path: '/', expected_codes: '200' });
  const monitor = stamp(world, pool.project_id, { ...read, pool_id: pool.id }) as HealthMonitor;
  world.healthmonitors.push(monitor);
  return monitor;
}

/** A new load balancer around a VIP that is already there. */
export function buildLoadBalancer(
  world: CloudState,
  owner: string,
  id: string,
  body: Json,
  vip: Json,
): LoadBalancer {
  const own = { ...body, vip_vnic_type: 'normal' };
  for (const nested of ['listeners', 'pools']) Reflect.deleteProperty(own, nested);
  const lb = { ...stamp(world, owner, { ...own, ...asJson(vip) }), id } as LoadBalancer;
  world.loadbalancers.push(lb);
  return lb;
}
