import type { Answer } from '../../exchange.ts';
import { asText, type Json } from '../../json.ts';
import { octaviaFault } from '../../refusal.ts';
import type { CloudState } from '../cloud-state.ts';
import { listQuery } from '../list-query.ts';
import { attributeRules } from './rules/attributes.ts';
import type { OctaviaObject } from './objects.ts';
import type { Resource } from './resources.ts';
import { asOfVersion } from './rules/versions.ts';

const always = [
  ...['id', 'project_id', 'tenant_id', 'provisioning_status', 'operating_status'],
  ...['created_at', 'updated_at'],
];

/** A list with its filters and pages, in the order of creation. */
export function listObjects(
  world: CloudState,
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
  const { minor } = world.octaviaTraits;
  const known = Object.keys(asOfVersion(minor, resource.one, attributeRules[resource.one]));
  const extra = { loadbalancer_id: parent('loadbalancer_id'), pool_id: parent('pool_id') };
  const refuse = (): Error => octaviaFault(400, 'One or more arguments are either duplicate or invalid');
  if (minor < 5 && [...query.keys()].some((key) => key.includes('tags'))) throw refuse();
  checkPaging(query, byId);
  const sorted = [...items].sort((a, b) => (a.created_at + a.id < b.created_at + b.id ? -1 : 1));
  const shown = sorted.map((one) => asOfVersion(minor, resource.one, resource.view(one)));
  const page = listQuery(shown, query, [...known, ...always], { extra, refuse }, self);
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
