import type { Answer, Call } from '../../exchange.ts';
import { asJson, asList, asText, type Json } from '../../json.ts';
import { neutronError } from '../../refusal.ts';
import type { CloudState } from '../cloud-state.ts';
import { listQuery } from '../list-query.ts';
import { collectionOf, type Collection } from './collections.ts';
import { answerExtensions } from './extensions.ts';
import { answerQuotas } from './quotas.ts';
import { fixedIpsFilter, fixedIpsKeys } from './filters.ts';
import type { NeutronObject } from './objects.ts';
import { routerAction } from './routers.ts';
import { answerTags } from './tags.ts';

/** Neutron v2.0 as the lab's (21.0.0), as far as load balancers and routes need it. */
export function neutronAnswer(
  world: CloudState,
  call: Call,
  path: string,
  projectId: string,
  base: string,
): Answer {
  if (path === '/' || path === '') {
    const link = { rel: 'self', href: `${base}/v2.0/` };
    return { status: 200, body: { versions: [{ id: 'v2.0', status: 'CURRENT', links: [link] }] } };
  }
  const [, version, name = '', id, sub, tag] = path.replace(/\.json$/, '').split('/');
  if (version !== 'v2.0') throw notFound();
  if (name === 'quotas' && id !== undefined) return answerQuotas(world, id, sub, projectId);
  if (name === 'extensions' && call.method === 'GET') return answerExtensions(world.extensions, id);
  if (name === 'qos' && id === 'policies' && call.method === 'GET') return answerPolicies(world, sub);
  const collection = collectionOf(world, projectId, name);
  if (!collection) throw notFound();
  const given = asJson(asJson(call.body)[collection.one]);
  if (id === undefined || id === '') {
    if (call.method === 'POST') return collection.create(world, projectId, given, asJson(call.body));
    if (call.method !== 'GET') throw notFound();
    return list(world, name, collection, call.query, base + path);
  }
  const object = collection.rows.byId(id);
  if (!object || !collection.isSeen(object)) throw collection.missing(id);
  if (sub === 'tags') return answerTags(world, call, object, tag);
  if (call.method === 'GET' && sub === undefined)
    return { status: 200, body: { [collection.one]: collection.view(object as never) } };
  checkRevision(call, object);
  if (sub !== undefined) {
    const done =
      name === 'routers' && call.method === 'PUT'
        ? routerAction(world, object as never, sub, call.body)
        : undefined;
    if (!done) throw notFound();
    return done;
  }
  if (call.method === 'PUT') {
    if (!collection.update)
      throw neutronError(403, 'PolicyNotAuthorized', 'rule:put is disallowed by policy');
    return collection.update(world, object as never, given);
  }
  if (call.method !== 'DELETE') throw notFound();
  collection.remove(world, object as never);
  return { status: 204 };
}

/** QoS as far as a VIP's policy is looked up; a Neutron without it does not know the path (not tried on the lab). */
function answerPolicies(world: CloudState, id: string | undefined): Answer {
  if (world.qosPolicies.length === 0) throw notFound();
  if (id === undefined) return { status: 200, body: { policies: [...world.qosPolicies] } };
  const policy = world.qosPolicies.byId(id);
  if (!policy) throw neutronError(404, 'QosPolicyNotFound', `QoS policy ${id} could not be found.`);
  return { status: 200, body: { policy } };
}

function checkRevision(call: Call, object: NeutronObject): void {
  const revision = /^revision_number=(\d+)$/.exec(asText(call.headers['if-match']))?.[1];
  if (revision === undefined || Number(revision) === object.revision_number) return;
  const text = `Constrained to ${revision}, but current revision is ${object.revision_number}`;
  throw neutronError(412, 'RevisionNumberConstraintFailed', text);
}

/** An older Neutron ignores unknown filters, a filter given twice means either, and lists are in the order of the ids (tried on the lab). */
function list(
  { octaviaTraits }: CloudState,
  name: string,
  collection: Collection,
  query: URLSearchParams,
  self: string,
): Answer {
  const { rows, all, isSeen, view } = collection;
  const known = new Set(Object.keys(rows.find(isSeen) ?? {}));
  const refuses = known.size > 0 && octaviaTraits.says('unknown filter of Neutron') === '400';
  const asked = new URLSearchParams(
    [...query].filter(
      ([key]) =>
        refuses || known.has(key) || /^(limit|marker|fields|(not-)?tags(-any)?|fixed_ips)$/.test(key),
    ),
  );
  const fixedIps = fixedIpsFilter(query.getAll('fixed_ips'));
  const groups = (item: Json, value: string): boolean => asList(item['security_groups']).includes(value);
  const extra = { fixed_ips: fixedIps, security_groups: groups };
  const refuse = (): Error => neutronError(400, 'HTTPBadRequest', 'Invalid filter');
  const listed = {
    all,
    candidates: (filter: string, values: readonly string[]) => {
      const keys = filter === 'fixed_ips' ? fixedIpsKeys(values) : values;
      return keys && rows.candidates(filter, keys)?.filter(isSeen);
    },
    before: (a: NeutronObject, b: NeutronObject) => a.id < b.id,
    view: (row: NeutronObject) => view(row as never),
  };
  const page = listQuery(listed, asked, { known, extra, refuse }, self);
  const key = name.replaceAll('-', '_');
  const links = query.has('limit') ? { [`${key}_links`]: page.links } : {};
  return { status: 200, body: { [key]: page.items, ...links } };
}

const notFound = (): Error => neutronError(404, 'HTTPNotFound', 'The resource could not be found.');
