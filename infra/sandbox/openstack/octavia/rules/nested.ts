import { asJson, asList, asText, isJson, type Json } from '../../../json.ts';
import { checkKnown, readCreate, readPersistence } from './body.ts';
import { invalid } from './listener-rules.ts';
import { invalidInput, mismatch } from './values.ts';
import { address, uuid } from './attribute-rules.ts';

const root = 'load_balancer.loadbalancer';

/**
 * Octavia reads the whole body of a full create before it does anything: a wrong attribute anywhere in it is
 * refused before there is a VIP port, unlike what is found while the tree is made (tried on the lab).
 */
export function checkNested(body: Json): void {
  for (const vip of objects(body['additional_vips'])) checkAdditionalVip(vip);
  for (const listener of objects(body['listeners'])) {
    readCreate('listener', listener, ['loadbalancer_id'], `${root}.listeners`);
    if (isJson(listener['default_pool']))
      checkPool(listener['default_pool'], `${root}.listeners.default_pool`);
    for (const policy of objects(listener['l7policies'])) checkPolicy(policy);
  }
  for (const pool of objects(body['pools'])) checkPool(pool, `${root}.pools`);
}

function checkAdditionalVip(vip: Json): void {
  checkKnown(Object.keys(vip), new Set(['subnet_id', 'ip_address']), `${root}.additional_vips`);
  const { subnet_id: subnet = null, ip_address: ip = null } = vip;
  if (subnet === null) throw invalidInput('subnet_id', null, 'Mandatory field missing.');
  const wrong = mismatch(uuid, subnet);
  if (wrong !== undefined) throw invalidInput('subnet_id', subnet, wrong);
  const problem = ip === null ? undefined : mismatch(address, ip);
  if (problem !== undefined) throw invalidInput('ip_address', ip, problem);
}

/** A nested policy names its pool in place and not by id; it knows no listener. */
function checkPolicy(policy: Json): void {
  const at = `${root}.listeners.l7policies`;
  const { redirect_pool: pool, ...rest } = policy;
  const foreign = ['redirect_pool_id', 'listener_id', 'project_id', 'tenant_id'].find((name) => name in rest);
  if (foreign !== undefined) checkKnown([foreign], new Set(), at);
  readCreate('l7policy', rest, ['listener_id'], at);
  if (isJson(pool)) checkPool(pool, `${at}.redirect_pool`);
  for (const rule of objects(policy['rules'])) readCreate('rule', rule, [], `${at}.rules`);
}

/** Protocol and algorithm may be missing at this point: a pool may be a reference by name. */
function checkPool(pool: Json, at: string): void {
  readCreate('pool', pool, ['protocol', 'lb_algorithm'], at);
  const persistence = pool['session_persistence'];
  if (isJson(persistence)) readPersistence(persistence, `${at}.session_persistence`, true);
  for (const member of objects(pool['members'])) readCreate('member', member, [], `${at}.members`);
  const monitor = pool['healthmonitor'];
  if (isJson(monitor)) readCreate('healthmonitor', monitor, ['pool_id'], `${at}.healthmonitor`);
}

/** Every pool of a full create by name; a listener or policy may define its pool in place or name one of `pools`. */
export function poolDefinitions(body: Json): Map<string, Json> {
  const pools = objects(body['pools']);
  const nested = objects(body['listeners']).flatMap((one) => [
    ...(isJson(one['default_pool']) ? [one['default_pool']] : []),
    ...objects(one['l7policies']).flatMap((policy) =>
      isJson(policy['redirect_pool']) ? [policy['redirect_pool']] : [],
    ),
  ]);
  if ([...pools, ...nested].some((pool) => asText(pool['name']) === ''))
    throw invalid('Pools must be named when creating a fully populated loadbalancer.');
  const full = [...pools, ...nested.filter((pool) => Object.keys(pool).length > 1)];
  const byName = new Map(full.map((pool) => [asText(pool['name']), pool]));
  if (byName.size !== full.length)
    throw invalid('Pool names must be unique when creating a fully populated loadbalancer.');
  const missing = nested.map((pool) => asText(pool['name'])).find((name) => !byName.has(name));
  if (missing !== undefined)
    throw invalid(`Pool '${missing}' was referenced but no full definition was found.`);
  for (const definition of byName.values()) checkComplete(definition);
  return byName;
}

function checkComplete(pool: Json): void {
  const missing = ['protocol', 'lb_algorithm'].find((name) => typeof pool[name] !== 'string');
  if (missing === undefined) return;
  throw invalid(`Pool definition for '${asText(pool['name'])}' missing required attribute: ${missing}`);
}

export const objects = (value: unknown): Json[] => asList(value).map(asJson);
