import type { Answer } from '../../exchange.ts';
import { asJson, asList, asText, isJson, type Json } from '../../json.ts';
import { octaviaFault } from '../../refusal.ts';
import type { CloudState } from '../cloud-state.ts';
import { readCreate, readPersistence, readUpdate } from './rules/body.ts';
import { buildPool } from './build.ts';
import type { Certificates } from './rules/certificates.ts';
import { nestedInVain } from './l7-policies.ts';
import {
  checkMayHaveChildren,
  checkPoolFitsListener,
  invalid,
  checkTlsSettings,
} from './rules/listener-rules.ts';
import { change, requireMutable } from './lock.ts';
import { listenersOf, loadBalancerOf, policiesTo } from './lookup.ts';
import type { Listener, Pool } from './objects.ts';
import { checkPersistence, checkQuota } from './rules/pool-rules.ts';
import { checkPoolOfProvider } from './rules/providers.ts';
import { poolView } from './views.ts';

/** Octavia compares the protocols of listener and pool only without a loadbalancer_id (api/v2/controllers/pool.py). */
export function createPool(world: CloudState, certificates: Certificates, given: Json): Answer {
  const read = readCreate('pool', given);
  const persistence = read['session_persistence'];
  if (isJson(persistence)) readPersistence(persistence, 'pool_.pool.session_persistence', true);
  const listener = world.listeners.byId(given['listener_id']);
  const lb = loadBalancerOf(world, given['loadbalancer_id'] ?? parentOf(given, listener));
  if (listener && typeof given['loadbalancer_id'] !== 'string') {
    checkMayHaveChildren(listener.protocol);
    checkPoolFitsListener(listener.protocol, asText(given['protocol']));
  }
  checkPersistence(asText(given['protocol']), persistence, true);
  checkQuota(world, 'pool', lb.project_id);
  if (listener && listener.default_pool_id !== null) {
    throw octaviaFault(409, 'This listener already has a default pool');
  }
  requireMutable(lb);
  if (asList(read['members']).length > 0 || isJson(read['healthmonitor'])) throw nestedInVain();
  const pool = buildPool(world, certificates, lb, given);
  if (listener) listener.default_pool_id = pool.id;
  change(world, lb, { creating: [pool], updating: listener ? [listener] : [] });
  return { status: 201, body: { pool: poolView(world, pool) } };
}

/** The id of the listener's load balancer. A listener that does not exist is a 500 here (tried on the lab). */
function parentOf(given: Json, listener: Listener | undefined): string {
  if (listener) return listener.loadbalancer_id;
  if (typeof given['listener_id'] !== 'string')
    throw invalid('Must provide at least one of: loadbalancer_id, listener_id');
  throw octaviaFault(500, "'NoneType' object has no attribute 'load_balancer_id'");
}

export function updatePool(world: CloudState, certificates: Certificates, pool: Pool, given: Json): Answer {
  const body = readUpdate('pool', given);
  if (isJson(given['session_persistence'])) body['session_persistence'] = persistenceOf(pool, given);
  checkPersistence(pool.protocol, body['session_persistence'], false);
  checkAuthority(certificates, pool, given);
  checkTlsSettings(given, true);
  const lb = loadBalancerOf(world, pool.loadbalancer_id);
  requireMutable(lb);
  checkPoolOfProvider(lb, body);
  Object.assign(pool, body);
  change(world, lb, { updating: [pool, ...listenersOf(world, pool)] });
  return { status: 200, body: { pool: poolView(world, pool) } };
}

/** Persistence after an update: what the update leaves out becomes null, except the type (tried on the lab). */
function persistenceOf(pool: Pool, given: Json): Json {
  const next = readPersistence(asJson(given['session_persistence']), 'pool_.pool.session_persistence', false);
  return { ...next, type: next['type'] ?? asJson(pool['session_persistence'])['type'] ?? null };
}

function checkAuthority(certificates: Certificates, pool: Pool, given: Json): void {
  const crl = 'crl_container_ref' in given ? given['crl_container_ref'] : pool['crl_container_ref'];
  const old = pool['ca_tls_container_ref'];
  const ca = 'ca_tls_container_ref' in given ? given['ca_tls_container_ref'] : old;
  if (crl && !ca && old && 'ca_tls_container_ref' in given)
    throw invalid('A CA reference cannot be removed when a certificate revocation list is present.');
  if (crl && !ca) throw invalid('A CA reference is required to specify a certificate revocation list.');
  certificates.checkAll([given['tls_container_ref']]);
  if (ca) certificates.checkAuthority(ca, crl);
}

/** Deleting a pool takes members and monitor along and leaves its listeners without a default pool. */
export function deletePool(world: CloudState, pool: Pool): Answer {
  const lb = loadBalancerOf(world, pool.loadbalancer_id);
  const policy = policiesTo(world, pool)[0];
  if (policy) throw octaviaFault(409, `Pool ${pool.id} is in use by L7 policy ${policy.id}`);
  requireMutable(lb);
  const listeners = listenersOf(world, pool);
  change(world, lb, {
    updating: listeners,
    deleting: [pool],
    whenDone: () => {
      for (const listener of listeners)
        if (listener.default_pool_id === pool.id) listener.default_pool_id = null;
    },
  });
  return { status: 204 };
}
