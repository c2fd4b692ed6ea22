import type { Answer, Call } from '../http-front.ts';
import { asJson, asText, type Json } from '../json.ts';
import { octaviaFault, Refusal } from '../refusal.ts';
import type { CloudWorld } from './cloud-world.ts';
import { listQuery } from './list-query.ts';
import { argumentName, attributeRules, type ResourceKind } from './octavia-attributes.ts';
import * as children from './octavia-children.ts';
import * as balancers from './octavia-loadbalancers.ts';
import * as members from './octavia-members.ts';
import { OctaviaIndex } from './octavia-index.ts';
import type { OctaviaObject } from './octavia-objects.ts';
import * as views from './octavia-views.ts';

interface Resource {
  readonly one: ResourceKind;
  readonly title: string;
  readonly items: () => readonly OctaviaObject[];
  readonly view: (object: OctaviaObject) => Json;
  readonly create: (body: Json) => Answer;
  readonly update: (object: OctaviaObject, body: Json) => Answer;
  readonly remove: (object: OctaviaObject) => Answer;
}

/** Octavia v2.26 as the lab's (Octavia 11): /v2.0/lbaas and /v2/lbaas are the same. */
export function octaviaAnswer(
  world: CloudWorld,
  call: Call,
  path: string,
  projectId: string,
  base: string,
): Answer {
  if (path === '/' || path === '') return { status: 200, body: { versions: versions(base) } };
  const [, version, lbaas, collection, id, sub, subId] = path.split('/');
  if (!['v2', 'v2.0'].includes(version ?? '') || lbaas !== 'lbaas') throw notFound();
  const own = <T extends OctaviaObject>(items: readonly T[]): T[] =>
    items.filter((one) => one.project_id === projectId);
  const extra = collection === undefined ? undefined : constants(world, collection, id);
  if (extra !== undefined) return { status: 200, body: extra };
  const resource = resourceOf(world, call, projectId, collection ?? '');
  if (!resource) throw notFound();
  const self = `${base}${path}`;
  if (id === undefined || id === '') {
    if (call.method === 'POST') return resource.create(bodyOf(call, resource.one));
    if (call.method !== 'GET') throw notAllowed();
    return list(collection ?? '', resource, own(resource.items()), call.query, self, projectId);
  }
  if (sub === undefined && !['GET', 'PUT', 'DELETE'].includes(call.method)) throw notAllowed();
  const object = resource.items().find((one) => one.id === id);
  if (!object) throw octaviaFault(404, `${resource.title} ${id} not found.`);
  if (object.project_id !== projectId)
    throw octaviaFault(403, 'Policy does not allow this request to be performed.');
  if (sub !== undefined) return below(world, call, collection ?? '', object, sub, subId, self, projectId);
  if (call.method === 'GET') return { status: 200, body: { [resource.one]: resource.view(object) } };
  if (call.method === 'PUT') return resource.update(object, bodyOf(call, resource.one));
  return resource.remove(object);
}

function resourceOf(
  world: CloudWorld,
  call: Call,
  projectId: string,
  collection: string,
): Resource | undefined {
  const cascade = ['true', '1', 'yes'].includes((call.query.get('cascade') ?? '').toLowerCase());
  const index = new OctaviaIndex(world);
  const table: Record<string, Resource> = {
    loadbalancers: {
      one: 'loadbalancer',
      title: 'Load Balancer',
      items: () => world.loadbalancers,
      view: (one) => views.loadBalancerView(index, one as never),
      create: (body) => balancers.createLoadBalancer(world, projectId, body),
      update: (one, body) => balancers.updateLoadBalancer(world, one as never, body),
      remove: (one) => balancers.deleteLoadBalancer(world, one as never, cascade),
    },
    listeners: {
      one: 'listener',
      title: 'Listener',
      items: () => world.listeners,
      view: (one) => views.listenerView(one as never),
      create: (body) => children.createListener(world, body),
      update: (one, body) => children.updateListener(world, one as never, body),
      remove: (one) => children.deleteListener(world, one as never),
    },
    pools: {
      one: 'pool',
      title: 'Pool',
      items: () => world.pools,
      view: (one) => views.poolView(index, one as never),
      create: (body) => children.createPool(world, body),
      update: (one, body) => children.updatePool(world, one as never, body),
      remove: (one) => children.deletePool(world, one as never),
    },
    healthmonitors: {
      one: 'healthmonitor',
      title: 'Health Monitor',
      items: () => world.healthmonitors,
      view: (one) => views.healthMonitorView(one as never),
      create: (body) => children.createHealthMonitor(world, body),
      update: (one, body) => children.updateHealthMonitor(world, one as never, body),
      remove: (one) => children.deleteHealthMonitor(world, one as never),
    },
  };
  return table[collection];
}

/** What hangs below one object: a load balancer's status tree, a pool's members. */
function below(
  world: CloudWorld,
  call: Call,
  collection: string,
  object: OctaviaObject,
  sub: string,
  id: string | undefined,
  self: string,
  projectId: string,
): Answer {
  if (collection === 'loadbalancers' && (sub === 'status' || sub === 'statuses')) {
    return { status: 200, body: { statuses: views.statusTree(new OctaviaIndex(world), object as never) } };
  }
  if (collection !== 'pools' || sub !== 'members') throw notFound();
  const pool = children.poolOf(world, object.id);
  const items = world.members.filter((one) => one.pool_id === pool.id);
  if (id === undefined || id === '') {
    if (call.method === 'POST') return members.createMember(world, pool, bodyOf(call, 'member'));
    if (call.method === 'PUT') {
      const additive = (call.query.get('additive_only') ?? '').toLowerCase() === 'true';
      return members.replaceMembers(world, pool, asJson(call.body)['members'], additive);
    }
    const view = (one: OctaviaObject): Json => views.memberView(one as never);
    return list('members', { one: 'member', view }, items, call.query, self, projectId);
  }
  const member = items.find((one) => one.id === id);
  if (!member) throw octaviaFault(404, `Member ${id} not found.`);
  if (call.method === 'GET') return { status: 200, body: { member: views.memberView(member) } };
  if (call.method === 'PUT') return members.updateMember(world, pool, member, bodyOf(call, 'member'));
  if (call.method === 'DELETE') return members.deleteMember(world, pool, member);
  throw notAllowed();
}

function list(
  name: string,
  resource: Pick<Resource, 'one' | 'view'>,
  items: readonly OctaviaObject[],
  query: URLSearchParams,
  self: string,
  projectId: string,
): Answer {
  const asked = query.get('project_id') ?? query.get('tenant_id');
  if (asked !== null && asked !== projectId) {
    throw octaviaFault(403, 'Policy does not allow this request to be performed.');
  }
  const byId = new Map(items.map((one) => [one.id, one]));
  const parent = (attribute: string) => (item: Json, value: string) =>
    byId.get(asText(item['id']))?.[attribute] === value;
  const known = [
    ...Object.keys(attributeRules[resource.one]),
    ...[
      'id',
      'project_id',
      'tenant_id',
      'provisioning_status',
      'operating_status',
      'created_at',
      'updated_at',
    ],
  ];
  const extra = { loadbalancer_id: parent('loadbalancer_id'), pool_id: parent('pool_id') };
  const refuse = (): Error => octaviaFault(400, 'One or more arguments are either duplicate or invalid');
  checkPaging(query, byId);
  const sorted = [...items].sort((a, b) => (a.created_at + a.id < b.created_at + b.id ? -1 : 1));
  const page = listQuery(sorted.map(resource.view), query, known, { extra, refuse }, self);
  return { status: 200, body: { [name]: page.items, [`${name}_links`]: page.links } };
}

/** A filter given twice ends in a database error, a marker that is not in the list in a refusal (tried on the lab). */
function checkPaging(query: URLSearchParams, byId: ReadonlyMap<string, OctaviaObject>): void {
  const twice = [...new Set(query.keys())].find(
    (name) => name !== 'fields' && !name.includes('tags') && query.getAll(name).length > 1,
  );
  if (twice !== undefined)
    throw octaviaFault(500, '(pymysql.err.OperationalError) (4078, "Illegal parameter data types")');
  const marker = query.get('marker');
  if (marker === null || byId.has(marker)) return;
  throw octaviaFault(400, `Supplied pagination marker '${marker}' is not valid.`);
}

/** Lists that nobody writes to here, and quotas as a plain member reads them. */
function constants(world: CloudWorld, collection: string, id: string | undefined): Json | undefined {
  if (collection === 'quotas' && id !== undefined) {
    const { load_balancer, listener, pool, member, health_monitor } = world.quotas;
    return { quota: { load_balancer, listener, pool, member, health_monitor, l7policy: -1, l7rule: -1 } };
  }
  if (collection === 'flavors') return { flavors: [], flavors_links: [] };
  if (collection === 'availabilityzones') return { availability_zones: [], availability_zones_links: [] };
  if (collection !== 'providers') return undefined;
  const amphora = { name: 'amphora', description: 'The Octavia Amphora driver.' };
  return {
    providers: [amphora, { name: 'octavia', description: 'Deprecated alias of the Octavia Amphora driver.' }],
  };
}

const versions = (base: string): Json[] =>
  Array.from({ length: 27 }, (_, minor) => ({
    id: `v2.${minor}`,
    status: minor === 26 ? 'CURRENT' : 'SUPPORTED',
    updated: '2022-08-29T00:00:00Z',
    links: [{ href: `${base}/v2`, rel: 'self' }],
  }));

function bodyOf(call: Call, name: ResourceKind): Json {
  const body = asJson(call.body);
  const unknown = Object.keys(body).find((key) => key !== name);
  if (unknown !== undefined)
    throw octaviaFault(
      400,
      `Unknown attribute for argument ${argumentName[name].split('.')[0] ?? ''}: ${unknown}`,
    );
  return asJson(body[name]);
}

const notFound = (): Error => new Refusal(404, { code: 404, title: 'Not Found', description: '' });
const notAllowed = (): Error => new Refusal(405, { code: 405, title: 'Method Not Allowed', description: '' });
