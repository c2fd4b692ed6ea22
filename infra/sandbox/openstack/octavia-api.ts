import type { Answer, Call } from '../exchange.ts';
import { asJson, isJson } from '../json.ts';
import { octaviaFault, Refusal } from '../refusal.ts';
import type { CloudState } from './cloud-state.ts';
import type { Caller } from './keystone.ts';
import type { ResourceKind } from './octavia-attributes.ts';
import { answerBelow } from './octavia-below.ts';
import { constants, versions } from './octavia-constants.ts';
import { listObjects } from './octavia-lists.ts';
import type { OctaviaObject } from './octavia-objects.ts';
import { bodyOf, notAllowed, notFound } from './octavia-requests.ts';
import { resourceOf } from './octavia-resources.ts';
import { asOfVersion } from './octavia-versions.ts';

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
  const extra = constants(world, collection, id);
  if (extra !== undefined) return { status: 200, body: extra };
  const resource = resourceOf(world, call, caller, collection);
  if (!resource) throw notFound();
  const { one, title } = resource;
  const self = `${base}${path}`;
  if (id === undefined || id === '') {
    if (call.method === 'POST') return shown(minor, one, resource.create(bodyOf(call, one, minor)));
    if (call.method !== 'GET') throw notAllowed();
    const own = resource.items().filter((item) => item.project_id === projectId);
    return listObjects(world, collection, resource, own, call.query, self, projectId);
  }
  if (sub === undefined && !['GET', 'PUT', 'DELETE'].includes(call.method)) throw notAllowed();
  const object = resource.items().find((item) => item.id === id);
  if (!object) throw missing(title, id, sub);
  checkOwner(object, projectId);
  if (sub !== undefined) return answerBelow(world, call, { collection, object, sub, id: subId, self });
  if (call.method === 'GET')
    return shown(minor, one, { status: 200, body: { [one]: resource.view(object) } });
  if (call.method === 'PUT') return shown(minor, one, resource.update(object, bodyOf(call, one, minor)));
  return resource.remove(object);
}

/** A parent that is not there is refused in another form, and a policy has another name in it (tried on the lab). */
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
