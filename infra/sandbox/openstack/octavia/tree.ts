import { asJson, asText, isJson, type Json } from '../../json.ts';
import { octaviaFault } from '../../refusal.ts';
import type { CloudState } from '../cloud-state.ts';
import { readCreate } from './rules/body.ts';
import * as build from './build.ts';
import type { Certificates } from './rules/certificates.ts';
import { buildL7Policy } from './l7-policies.ts';
import { checkMayHaveChildren } from './rules/listener-rules.ts';
import { forget } from './lock.ts';
import { listenersOn, policiesOf, poolsOn } from './lookup.ts';
import { objects, poolDefinitions } from './rules/nested.ts';
import type { LoadBalancer, OctaviaObject } from './objects.ts';
import { checkMonitorType, checkQuota } from './rules/pool-rules.ts';

/**
 * Makes everything nested, or nothing: a refusal takes the rows back, but the VIP port stays behind in Neutron,
 * because the API made it before the transaction was rolled back (docs/sources/openstack.md, "VIP ports of a create
 * that failed"; decision 522).
 */
export function createTree(
  world: CloudState,
  certificates: Certificates,
  lb: LoadBalancer,
  body: Json,
): void {
  try {
    const listeners = objects(body['listeners']);
    const definitions = poolDefinitions(body);
    checkQuota(world, 'pool', lb.project_id, definitions.size);
    for (const definition of definitions.values()) makePool(world, certificates, lb, definition);
    checkQuota(world, 'listener', lb.project_id, listeners.length);
    for (const listener of listeners) makeListener(world, certificates, lb, listener);
  } catch (error) {
    forget(world, lb);
    throw error;
  }
}

/** Makes a pool. What `POST pools` refuses about session persistence is not checked here (tried on the lab). */
function makePool(world: CloudState, certificates: Certificates, lb: LoadBalancer, definition: Json): void {
  checkTlsKeys(definition);
  const pool = build.buildPool(world, certificates, lb, definition);
  const monitor = definition['healthmonitor'];
  if (isJson(monitor)) {
    checkQuota(world, 'health_monitor', lb.project_id);
    build.buildHealthMonitor(world, lb, pool, monitor);
    checkMonitorType(pool.protocol, asText(monitor['type']), Number(monitor['delay']), world.octaviaTraits);
  }
  const members = objects(definition['members']);
  checkQuota(world, 'member', lb.project_id, members.length);
  for (const member of members) build.buildMember(world, lb, pool, member);
}

/** Only the default pool must fit the listener: a policy's pool of another protocol is accepted (tried on the lab). */
function makeListener(
  world: CloudState,
  certificates: Certificates,
  lb: LoadBalancer,
  definition: Json,
): void {
  const idOf = (pool: unknown): string | undefined => {
    const name = asText(asJson(pool)['name']);
    return poolsOn(world, lb).find((one) => one.name === name && name !== '')?.id;
  };
  const poolId = idOf(definition['default_pool']);
  const listener = build.buildListener(world, certificates, lb, definition, poolId);
  if (poolId !== undefined) listener.updated_at = world.octaviaTime();
  const policies = objects(definition['l7policies']);
  if (policies.length > 0) checkMayHaveChildren(listener.protocol);
  for (const { redirect_pool: pool, ...policy } of policies) {
    const id = isJson(pool) ? { redirect_pool_id: idOf(pool) } : {};
    buildL7Policy(world, listener, readCreate('l7policy', { ...policy, ...id }, ['listener_id']));
  }
}

/** Whether a create sets an object ACTIVE. In an older Octavia what no listener and no policy leads to stays PENDING_CREATE. */
export function isReached(world: CloudState, lb: LoadBalancer, one: OctaviaObject): boolean {
  const poolId = 'pool_id' in one ? one['pool_id'] : one.id;
  if (!('pool_id' in one) && !world.pools.byId(one.id)) return true;
  const unnamed = 'state of a pool that no listener names, in a full create';
  if (world.octaviaTraits.says(unnamed) === '`ACTIVE`') return true;
  return listenersOn(world, lb).some(
    (listener) =>
      listener.default_pool_id === poolId ||
      policiesOf(world, listener).some((policy) => policy.redirect_pool_id === poolId),
  );
}

/** A pool of a full create that speaks TLS must name all of its settings, or Octavia stumbles (tried on the lab). */
function checkTlsKeys(pool: Json): void {
  if (pool['tls_enabled'] !== true) return;
  const missing = ['tls_ciphers', 'tls_versions', 'alpn_protocols'].find((name) => !(name in pool));
  if (missing !== undefined) throw octaviaFault(500, `'${missing}'`);
}
