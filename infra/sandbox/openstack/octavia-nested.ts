import { asJson, asList, isJson, type Json } from '../json.ts';
import { readCreate } from './octavia-attributes.ts';

const root = 'load_balancer.loadbalancer';

/**
 * Octavia reads the whole body of a full create before it does anything: a wrong attribute anywhere in it is
 * refused before there is a VIP port, unlike what is found while the tree is made (tried on the lab).
 */
export function checkNested(body: Json): void {
  for (const listener of objects(body['listeners'])) {
    readCreate('listener', listener, ['loadbalancer_id'], `${root}.listeners`);
    if (isJson(listener['default_pool']))
      checkPool(listener['default_pool'], `${root}.listeners.default_pool`);
  }
  for (const pool of objects(body['pools'])) checkPool(pool, `${root}.pools`);
}

/** Protocol and algorithm may be missing at this point: a pool may be a reference by name. */
function checkPool(pool: Json, at: string): void {
  readCreate('pool', pool, ['protocol', 'lb_algorithm'], at);
  for (const member of objects(pool['members'])) readCreate('member', member, [], `${at}.members`);
  const monitor = pool['healthmonitor'];
  if (isJson(monitor)) readCreate('healthmonitor', monitor, ['pool_id'], `${at}.healthmonitor`);
}

const objects = (value: unknown): Json[] => asList(value).map(asJson);
