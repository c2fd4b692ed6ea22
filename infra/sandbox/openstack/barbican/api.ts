import type { Answer, Call } from '../../exchange.ts';
import { asJson, scalarText } from '../../json.ts';
import { answerAcl } from './acls.ts';
import { barbicanError, containerView, secretView } from './views.ts';
import { createContainer } from './containers.ts';
import type { Secret, SecretContainer } from './objects.ts';
import { createSecret, payloadOf, storePayload } from './secrets.ts';
import type { CloudState } from '../cloud-state.ts';
import type { Caller } from '../keystone/keystone.ts';

/** Barbican 15 as the lab's: secrets, containers and their ACLs, as far as certificates need them. */
export function barbicanAnswer(
  world: CloudState,
  call: Call,
  path: string,
  caller: Caller,
  base: string,
): Answer {
  const link = { rel: 'self', href: `${base}/v1/` };
  const v1 = { id: 'v1', status: 'stable', links: [link] };
  if (path === '/' || path === '') return { status: 300, body: { versions: { values: [v1] } } };
  const [, version, collection, id, sub] = path.split('/');
  if (version !== 'v1') throw barbicanError(404, '');
  if (collection === undefined || collection === '') return { status: 200, body: { version: v1 } };
  if (collection !== 'secrets' && collection !== 'containers') throw barbicanError(404, '');
  if (id === undefined || id === '') return answerCollection(world, call, collection, caller, base);
  const one = collection === 'secrets' ? 'secret' : 'container';
  const object = collection === 'secrets' ? world.secrets.byId(id) : world.secretContainers.byId(id);
  if (!object) throw missing(one, id);
  checkAllowed(object, call, caller, one, sub);
  if (sub === 'acl') return answerAcl(world, call, object, `${base}${path}`);
  if (sub === 'payload' && 'payload' in object) return payloadOf(call, object);
  if (sub !== undefined && sub !== '') throw barbicanError(404, '');
  if (call.method === 'DELETE') return remove(world, object);
  if (call.method === 'PUT' && 'payload' in object) return storePayload(world, call, object);
  if (call.method !== 'GET') throw barbicanError(405, '');
  return {
    status: 200,
    body: 'payload' in object ? secretView(object, base) : containerView(object),
  };
}

function answerCollection(
  world: CloudState,
  call: Call,
  collection: 'secrets' | 'containers',
  caller: Caller,
  base: string,
): Answer {
  if (call.method === 'POST') {
    if (typeof call.body === 'string') throw barbicanError(400, 'Malformed JSON');
    const create = collection === 'secrets' ? createSecret : createContainer;
    const reference = create(world, caller, asJson(call.body), base);
    const one = collection === 'secrets' ? 'secret_ref' : 'container_ref';
    return { status: 201, headers: { Location: reference }, body: { [one]: reference } };
  }
  if (call.method !== 'GET') throw barbicanError(406, null);
  const wanted = (item: Secret | SecretContainer): boolean =>
    item.project_id === caller.projectId &&
    ['name', 'secret_type', 'type'].every((filter) => {
      const value = call.query.get(filter);
      return value === null || value === '' || scalarText(asJson(item)[filter]) === value;
    });
  const found =
    collection === 'secrets'
      ? world.secrets.filter(wanted).map((one) => secretView(one, base))
      : world.secretContainers.filter(wanted).map(containerView);
  const offset = Number(call.query.get('offset') ?? 0) || 0;
  const limit = Math.min(Number(call.query.get('limit') ?? 10) || 10, 100);
  const page = found.slice(offset, offset + limit);
  const link = (at: number): string => `${base}/v1/${collection}?limit=${limit}&offset=${at}`;
  const next = offset + limit < found.length ? { next: link(offset + limit) } : {};
  const previous = offset > 0 ? { previous: link(Math.max(0, offset - limit)) } : {};
  return { status: 200, body: { [collection]: page, total: found.length, ...next, ...previous } };
}

/** The 404 for an id. Barbican takes only UUIDs of version 4 for ids (tried on the lab). */
function missing(one: string, id: string): Error {
  const random = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;
  if (!random.test(id)) return barbicanError(404, `Not Found. Provided ${one} id is invalid.`);
  return barbicanError(404, one === 'secret' ? 'Secret not found.' : 'Secrets container not found.');
}

const doing: Record<string, string> = { GET: 'retrieval', DELETE: 'deletion', PUT: 'update' };

/** Refuses everybody but the object's project and, for a GET of all but the ACL, the users that the ACL names. */
function checkAllowed(
  object: Secret | SecretContainer,
  call: Call,
  caller: Caller,
  one: string,
  sub: string | undefined,
): void {
  const listed = object.acl?.users.includes(caller.userId) === true && call.method === 'GET';
  if (object.project_id === caller.projectId || (listed && sub !== 'acl')) return;
  const title = one === 'secret' ? 'Secret' : 'Container';
  const what = sub === 'payload' ? `${title} payload` : sub === 'acl' ? `${title}ACL(s)` : title;
  const action = doing[call.method] ?? 'retrieval';
  throw barbicanError(
    403,
    `${what} ${action} attempt not allowed - please review your user/project privileges`,
  );
}

/** Deletes a secret or container. Every container loses a deleted secret, without a question (tried on the lab). */
function remove(world: CloudState, object: Secret | SecretContainer): Answer {
  if (!('payload' in object)) {
    world.secretContainers.remove(object);
    return { status: 204 };
  }
  world.secrets.remove(object);
  for (const container of world.secretContainers)
    container.secret_refs = container.secret_refs.filter((one) => !one.secret_ref.endsWith(object.id));
  return { status: 204 };
}
