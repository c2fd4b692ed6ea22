import type { Answer, Call } from '../../exchange.ts';
import { type Json, asJson, asText, isJson } from '../../json.ts';
import { Refusal, octaviaFault } from '../../refusal.ts';
import type { CloudState } from '../cloud-state.ts';
import type { Caller } from '../keystone/keystone.ts';
import type { ResourceKind } from './rules/attributes.ts';
import { listObjects } from './lists.ts';
import { failOver } from './loadbalancers.ts';
import type { LoadBalancer, OctaviaObject } from './objects.ts';
import { resourceBelow, resourceOf, type Resource } from './resources.ts';
import { asOfVersion, bodyOf, notAllowed, notFound } from './rules/versions.ts';
import { statusTree } from './views.ts';

/** Octavia v2.26 as the lab's (Octavia 11), or an older API: /v2.0/lbaas and /v2/lbaas are the same. */
export function octaviaAnswer(
  world: CloudState,
  call: Call,
  path: string,
  caller: Caller,
  base: string,
): Answer {
  const { minor } = world.octaviaTraits;
  if (path === '/' || path === '') return { status: 200, body: { versions: versions(base, minor) } };
  const [, version, lbaas, collection = '', id, sub, subId] = path.split('/');
  if (!['v2', 'v2.0'].includes(version ?? '') || lbaas !== 'lbaas') throw notFound();
  const { projectId } = caller;
  // where there is one object nothing is read of a list's query (tried on the lab)
  const isOne = ['status', 'statuses', 'default'].includes(sub ?? '');
  if (isOne && call.query.has('limit')) throw octaviaFault(400, 'Unknown argument: "limit"');
  const extra = constants(world, collection, id);
  if (extra !== undefined) return { status: 200, body: extra };
  const resource = resourceOf(world, call, caller, collection);
  if (!resource) throw notFound();
  const asked = { world, call, projectId, self: `${base}${path}` };
  if (sub === undefined || !id) return answerResource(asked, resource, collection, id);
  const object = resource.rows.byId(id);
  if (!object) throw missing(resource.title, id, sub);
  checkOwner(object, projectId);
  if (collection === 'loadbalancers') return answerState(asked, object as never, sub);
  const below = resourceBelow(world, call, object, sub);
  if (!below) throw notFound();
  return answerResource(asked, below, sub, subId);
}

interface Asked {
  readonly world: CloudState;
  readonly call: Call;
  readonly projectId: string;
  /** The URL without its query. */
  readonly self: string;
}

/** A list, a new object, or what is to become of the one with this id. */
function answerResource(asked: Asked, resource: Resource, collection: string, id?: string): Answer {
  const { world, call, projectId, self } = asked;
  const { minor } = world.octaviaTraits;
  const { one, title } = resource;
  if (id === undefined || id === '') {
    if (call.method === 'POST') return shown(minor, one, resource.create(bodyOf(call, one, minor)));
    if (call.method === 'PUT' && resource.replace) return resource.replace();
    if (call.method !== 'GET') throw notAllowed();
    return listObjects(world, collection, resource, call.query, self, projectId);
  }
  if (!['GET', 'PUT', 'DELETE'].includes(call.method)) throw notAllowed();
  const object = resource.rows.byId(id);
  const [index, value] = resource.within;
  // a rule is found below any policy (tried on the lab)
  if (!object || (index === 'pool_id' && object[index] !== value)) throw missing(title, id);
  checkOwner(object, projectId);
  if (call.method === 'GET')
    return shown(minor, one, { status: 200, body: { [one]: resource.view(object) } });
  if (call.method === 'PUT') return shown(minor, one, resource.update(object, bodyOf(call, one, minor)));
  return resource.remove(object);
}

/** The status tree of a load balancer, or its failover. */
function answerState({ world, call }: Asked, lb: LoadBalancer, what: string): Answer {
  if (what === 'status' || what === 'statuses')
    return { status: 200, body: { statuses: statusTree(world, lb) } };
  if (what !== 'failover') throw notFound();
  if (call.method !== 'PUT') throw notAllowed();
  return failOver(world, lb);
}

/** The 404 for an id. A parent of members or rules gets another form, a policy also another name (tried on the lab). */
function missing(title: string, id: string, sub?: string): Error {
  if (sub !== 'rules' && sub !== 'members') return octaviaFault(404, `${title} ${id} not found.`);
  const description = `${sub === 'rules' ? 'L7Policy' : title} ${id} not found.`;
  return new Refusal(404, { code: 404, title: 'Bad Request', description });
}

function checkOwner(object: OctaviaObject, projectId: string): void {
  if (object.project_id === projectId) return;
  throw octaviaFault(403, 'Policy does not allow this request to be performed.');
}

function shown(minor: number, kind: ResourceKind, answer: Answer): Answer {
  const object = asJson(answer.body)[kind];
  return isJson(object) ? { ...answer, body: { [kind]: asOfVersion(minor, kind, object) } } : answer;
}

/** Collections that are only read: quotas, flavors, availability zones, providers. Undefined for any other. */
function constants(world: CloudState, collection: string, id: string | undefined): Json | undefined {
  const { minor, providers } = world.octaviaTraits;
  if (collection === 'quotas' && id !== undefined) {
    const { load_balancer, listener, pool, member, health_monitor, l7policy, l7rule } = world.quotas;
    const l7 = minor < 19 ? {} : { l7policy, l7rule };
    return { quota: { load_balancer, listener, pool, member, health_monitor, ...l7 } };
  }
  if (collection === 'flavors' && minor >= 6) {
    if (id === undefined) return { flavors: world.flavors, flavors_links: [] };
    const flavor = world.flavors.find((one) => one.id === id);
    if (!flavor) throw octaviaFault(404, `Flavor ${id} not found.`);
    return { flavor };
  }
  if (collection === 'availabilityzones' && minor >= 14) {
    if (id === undefined)
      return { availability_zones: world.availabilityZones, availability_zones_links: [] };
    const zone = world.availabilityZones.find((one) => one.name === asText(id));
    if (!zone) throw octaviaFault(404, `Availability Zone ${id} not found.`);
    return { availability_zone: zone };
  }
  return collection === 'providers' ? { providers } : undefined;
}

/** GET /: every minor version up to the newest. */
const versions = (base: string, newest: number): Json[] =>
  Array.from({ length: newest + 1 }, (_, minor) => ({
    id: `v2.${minor}`,
    status: minor === newest ? 'CURRENT' : 'SUPPORTED',
    updated: '2022-08-29T00:00:00Z',
    links: [{ href: `${base}/v2`, rel: 'self' }],
  }));
