import type { Answer } from '../http-front.ts';
import { asJson, asList, asText, type Json } from '../json.ts';
import { octaviaFault } from '../refusal.ts';
import type { CloudWorld } from './cloud-world.ts';
import { readCreate, readUpdate } from './octavia-attributes.ts';
import * as build from './octavia-build.ts';
import { begin, beginDelete, change, forget, requireState } from './octavia-lock.ts';
import { OctaviaIndex } from './octavia-index.ts';
import type { LoadBalancer, OctaviaObject } from './octavia-objects.ts';
import { checkNested } from './octavia-nested.ts';
import { checkPoolFitsListener, checkQuota } from './octavia-rules.ts';
import { allocateVip, checkVipGiven } from './octavia-vip.ts';
import { loadBalancerView, treeView } from './octavia-views.ts';

/** POST: the load balancer with everything nested in it. */
export function createLoadBalancer(world: CloudWorld, owner: string, given: Json): Answer {
  const body = readCreate('loadbalancer', given);
  checkNested(body);
  checkVipGiven(world, body);
  checkFlavor(body['flavor_id']);
  if (typeof body['availability_zone'] === 'string') {
    throw octaviaFault(400, 'Validation failure: Invalid availability zone.');
  }
  if (!['amphora', 'octavia'].includes(asText(body['provider']))) {
    throw octaviaFault(400, `Provider '${asText(body['provider'])}' is not enabled.`);
  }
  const mine = world.loadbalancers.filter((one) => one.project_id === owner);
  checkQuota(world.quotas.load_balancer, 'Load Balancer', mine, 1);
  const id = world.newId();
  const vip = allocateVip(world, owner, id, body);
  const lb = build.buildLoadBalancer(world, owner, id, body, vip);
  const made = createTree(world, lb, body);
  begin(
    world,
    lb,
    made.filter((one) => isReached(world, one)),
  );
  return { status: 201, body: { loadbalancer: treeView(new OctaviaIndex(world), lb) } };
}

/** Octavia 11's create sets ACTIVE what it reaches from the listeners; a pool that none names stays PENDING_CREATE. */
function isReached(world: CloudWorld, one: OctaviaObject): boolean {
  const poolId = 'pool_id' in one ? one['pool_id'] : one.id;
  return 'protocol_port' in one && !('pool_id' in one)
    ? true
    : world.listeners.some((listener) => listener.default_pool_id === poolId);
}

/** No flavors are defined; the all-zero id is a disabled row that Octavia keeps for itself. */
function checkFlavor(flavor: unknown): void {
  if (typeof flavor !== 'string') return;
  const placeholder = '00000000-0000-0000-0000-000000000000';
  if (flavor !== placeholder) throw octaviaFault(400, 'Validation failure: Invalid flavor_id.');
  throw octaviaFault(400, `The selected flavor is not allowed in this deployment: ${flavor}`);
}

/**
 * Everything nested, or nothing: a refusal takes the rows back, but the VIP port stays behind in Neutron, because
 * the API made it before the transaction was rolled back (openstack-lab.md, 5; decisions.md, 39).
 */
function createTree(world: CloudWorld, lb: LoadBalancer, body: Json): OctaviaObject[] {
  const made: OctaviaObject[] = [];
  try {
    const listeners = asList(body['listeners']).map(asJson);
    const definitions = poolDefinitions(asList(body['pools']).map(asJson), listeners);
    const owned = <T extends OctaviaObject>(all: readonly T[]): T[] =>
      all.filter((o) => o.project_id === lb.project_id);
    checkQuota(world.quotas.pool, 'Pool', owned(world.pools), definitions.size);
    for (const definition of definitions.values()) {
      checkComplete(definition);
      const pool = build.buildPool(world, lb, definition);
      made.push(pool);
      const monitor = definition['healthmonitor'];
      if (monitor !== undefined && monitor !== null) {
        checkQuota(world.quotas.health_monitor, 'Health Monitor', owned(world.healthmonitors), 1);
        made.push(build.buildHealthMonitor(world, pool, asJson(monitor)));
      }
      const members = asList(definition['members']).map(asJson);
      checkQuota(world.quotas.member, 'Member', owned(world.members), members.length);
      for (const member of members) made.push(build.buildMember(world, pool, member));
    }
    checkQuota(world.quotas.listener, 'Listener', owned(world.listeners), listeners.length);
    for (const listener of listeners) {
      const name = asText(asJson(listener['default_pool'])['name']);
      const pool = world.pools.find((one) => one.loadbalancer_id === lb.id && one.name === name);
      if (pool) checkPoolFitsListener(asText(listener['protocol']), pool.protocol);
      const built = build.buildListener(world, lb, listener, name === '' ? undefined : pool?.id);
      built.updated_at = world.octaviaTime();
      made.push(built);
    }
  } catch (error) {
    for (const one of [lb, ...made]) forget(world, one);
    throw error;
  }
  return made;
}

function checkComplete(pool: Json): void {
  const missing = ['protocol', 'lb_algorithm'].find((name) => typeof pool[name] !== 'string');
  if (missing === undefined) return;
  const text = `Pool definition for '${asText(pool['name'])}' missing required attribute: ${missing}`;
  throw octaviaFault(400, `Validation failure: ${text}`);
}

/** Every pool of a full create by name; a listener may define its pool in place or name one of `pools`. */
function poolDefinitions(pools: readonly Json[], listeners: readonly Json[]): Map<string, Json> {
  const nested = listeners.flatMap((one) => (one['default_pool'] ? [asJson(one['default_pool'])] : []));
  if ([...pools, ...nested].some((pool) => asText(pool['name']) === '')) {
    throw octaviaFault(
      400,
      'Validation failure: Pools must be named when creating a fully populated loadbalancer.',
    );
  }
  const full = [...pools, ...nested.filter((pool) => Object.keys(pool).length > 1)];
  const byName = new Map(full.map((pool) => [asText(pool['name']), pool]));
  if (byName.size !== full.length) {
    const text = 'Pool names must be unique when creating a fully populated loadbalancer.';
    throw octaviaFault(400, `Validation failure: ${text}`);
  }
  const missing = nested.map((pool) => asText(pool['name'])).find((name) => !byName.has(name));
  if (missing !== undefined) {
    const text = `Pool '${missing}' was referenced but no full definition was found.`;
    throw octaviaFault(400, `Validation failure: ${text}`);
  }
  return byName;
}

/** PUT: answers with the new values and PENDING_UPDATE, also when nothing changed. */
export function updateLoadBalancer(world: CloudWorld, lb: LoadBalancer, given: Json): Answer {
  const body = readUpdate('loadbalancer', given);
  requireState(lb, ['ACTIVE']);
  Object.assign(lb, body);
  change(world, lb, {});
  return { status: 200, body: { loadbalancer: loadBalancerView(new OctaviaIndex(world), lb) } };
}

export function deleteLoadBalancer(world: CloudWorld, lb: LoadBalancer, cascade: boolean): Answer {
  const children = [...world.listeners, ...world.pools].some((one) => one.loadbalancer_id === lb.id);
  requireState(lb, ['ACTIVE', 'ERROR']);
  if (children && !cascade) {
    throw octaviaFault(400, `Validation failure: Cannot delete Load Balancer ${lb.id} - it has children`);
  }
  beginDelete(world, lb);
  return { status: 204 };
}
