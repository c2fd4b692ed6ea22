import type { Answer } from '../../exchange.ts';
import { asList, asText, isJson, type Json } from '../../json.ts';
import type { CloudState } from '../cloud-state.ts';
import { readCreate, readUpdate } from './rules/body.ts';
import { buildListener, checkDefaultPool } from './build.ts';
import { hasLostCertificate, type Certificates } from './rules/certificates.ts';
import { nestedInVain } from './l7-policies.ts';
import * as rules from './rules/listener-rules.ts';
import { change, requireMutable } from './lock.ts';
import { loadBalancerOf } from './lookup.ts';
import type { Listener } from './objects.ts';
import { checkQuota } from './rules/pool-rules.ts';
import { checkListenerOfProvider } from './rules/providers.ts';
import { listenerView } from './views.ts';

export function createListener(world: CloudState, certificates: Certificates, given: Json): Answer {
  const read = readCreate('listener', given);
  const lb = loadBalancerOf(world, given['loadbalancer_id']);
  checkQuota(world, 'listener', lb.project_id);
  checkDefaultPool(world, lb, asText(read['protocol']), read['default_pool_id']);
  requireMutable(lb);
  if (isJson(read['default_pool']) || asList(read['l7policies']).length > 0) throw nestedInVain();
  const listener = buildListener(world, certificates, lb, given);
  change(world, lb, { creating: [listener] });
  return { status: 201, body: { listener: listenerView(world, listener) } };
}

export function updateListener(
  world: CloudState,
  certificates: Certificates,
  listener: Listener,
  given: Json,
): Answer {
  const body = readUpdate('listener', given);
  const lb = loadBalancerOf(world, listener.loadbalancer_id);
  rules.checkTlsOfUpdate(listener, given);
  rules.checkInsertHeaders(listener.protocol, body, false);
  certificates.checkAll([...asList(body['sni_container_refs']), body['default_tls_container_ref']]);
  checkAuthority(certificates, listener, given);
  rules.checkAllowedCidrs(lb, body['allowed_cidrs']);
  rules.checkTlsSettings(given, true);
  checkDefaultPool(world, lb, listener.protocol, body['default_pool_id']);
  requireMutable(lb);
  checkListenerOfProvider(lb, body);
  if ('allowed_cidrs' in body) body['allowed_cidrs'] = rules.normalCidrs(body['allowed_cidrs']);
  Object.assign(listener, body);
  change(world, lb, { updating: [listener] });
  return { status: 200, body: { listener: listenerView(world, listener) } };
}

/** Checks the listener's CA at every update, even if the update does not name it. */
function checkAuthority(certificates: Certificates, listener: Listener, given: Json): void {
  const ca = given['client_ca_tls_container_ref'] ?? listener['client_ca_tls_container_ref'];
  const crl = given['client_crl_container_ref'] ?? listener['client_crl_container_ref'];
  certificates.checkAuthority(ca, crl);
}

/** DELETE: the listener's policies go with it, and the pools stay. */
export function deleteListener(world: CloudState, listener: Listener): Answer {
  const lb = loadBalancerOf(world, listener.loadbalancer_id);
  requireMutable(lb);
  change(world, lb, { deleting: [listener], failing: hasLostCertificate(world, listener) });
  return { status: 204 };
}
