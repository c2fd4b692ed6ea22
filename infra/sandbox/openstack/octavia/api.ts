import type { Answer, Call } from '../../exchange.ts';
import { type Json, asJson, asText, isJson } from '../../json.ts';
import { Refusal, octaviaFault } from '../../refusal.ts';
import type { CloudState } from '../cloud-state.ts';
import type { Caller } from '../keystone/keystone.ts';
import type { ResourceKind } from './rules/attributes.ts';
import { answerBelow } from './below.ts';
import { listObjects } from './lists.ts';
import type { OctaviaObject } from './objects.ts';
import { asOfVersion, bodyOf, notAllowed, notFound } from './rules/versions.ts';
import { resourceOf } from './resources.ts';

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
  const { one, title } = resource;
  const self = `${base}${path}`;
  if (id === undefined || id === '') {
    if (call.method === 'POST') return shown(minor, one, resource.create(bodyOf(call, one, minor)));
    if (call.method !== 'GET') throw notAllowed();
    const place = { ...resource, within: ['project_id', projectId] as const };
    return listObjects(world, collection, place, call.query, self, projectId);
  }
  if (sub === undefined && !['GET', 'PUT', 'DELETE'].includes(call.method)) throw notAllowed();
  const object = resource.rows.byId(id);
  if (!object) throw missing(title, id, sub);
  checkOwner(object, projectId);
  if (sub !== undefined) return answerBelow(world, call, { collection, object, sub, id: subId, self });
  if (call.method === 'GET')
    return shown(minor, one, { status: 200, body: { [one]: resource.view(object) } });
  if (call.method === 'PUT') return shown(minor, one, resource.update(object, bodyOf(call, one, minor)));
  return resource.remove(object);
}

/** The 404 for an id. A parent of members or rules gets another form, a policy also another name (tried on the lab). */
function missing(title: string, id: string, sub: string | undefined): Error {
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
