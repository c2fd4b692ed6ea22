import type { Answer } from '../../exchange.ts';
import type { Json } from '../../json.ts';
import { octaviaFault } from '../../refusal.ts';
import type { CloudState } from '../cloud-state.ts';
import { listQuery } from '../list-query.ts';
import type { Rows } from '../rows.ts';
import type { OctaviaObject } from './objects.ts';
import { attributeRules, type ResourceKind } from './rules/attributes.ts';
import { asOfVersion } from './rules/versions.ts';

const always = [
  ...['id', 'project_id', 'provisioning_status', 'operating_status', 'created_at', 'updated_at'],
  ...['loadbalancer_id', 'pool_id'],
];

/** The rows of one kind below one parent, or of one project. */
export interface Place {
  readonly one: ResourceKind;
  readonly rows: Pick<Rows<OctaviaObject>, 'byId' | 'of' | 'candidates'>;
  /** The index, and the value in it, that find all rows of this list. */
  readonly within: readonly [index: string, value: string];
  readonly view: (object: OctaviaObject) => Json;
}

/** A list with its filters and pages, in the order of creation. */
export function listObjects(
  world: CloudState,
  name: string,
  { one, rows, within: [index, value], view }: Place,
  query: URLSearchParams,
  self: string,
  projectId: string,
): Answer {
  const asked = query.get('project_id') ?? query.get('tenant_id');
  if (asked !== null && asked !== projectId) {
    throw octaviaFault(403, 'Policy does not allow this request to be performed.');
  }
  const { minor } = world.octaviaTraits;
  const isWithin = (row: OctaviaObject | undefined): row is OctaviaObject => row?.[index] === value;
  const refuse = (): Error => octaviaFault(400, 'One or more arguments are either duplicate or invalid');
  if (minor < 5 && [...query.keys()].some((key) => key.includes('tags'))) throw refuse();
  checkPaging(query, (id) => isWithin(rows.byId(id)));
  const listed = {
    all: () => rows.of(index, value),
    candidates: (filter: string, values: readonly string[]) =>
      rows.candidates(filter, values)?.filter(isWithin),
    before: (a: OctaviaObject, b: OctaviaObject) =>
      a.created_at === b.created_at ? a.id < b.id : a.created_at < b.created_at,
    view: (row: OctaviaObject) => asOfVersion(minor, one, view(row)),
  };
  const known = new Set([...Object.keys(asOfVersion(minor, one, attributeRules[one])), ...always]);
  const extra = { tenant_id: (row: Json, wanted: string) => row['project_id'] === wanted };
  const page = listQuery(listed, query, { known, extra, refuse }, self);
  return { status: 200, body: { [name]: page.items, [`${name}_links`]: page.links } };
}

/** A filter given twice ends in a database error, a marker that is not in the list in a refusal (tried on the lab). */
function checkPaging(query: URLSearchParams, isListed: (id: string) => boolean): void {
  const twice = [...new Set(query.keys())].find(
    (name) => name !== 'fields' && !name.includes('tags') && query.getAll(name).length > 1,
  );
  if (twice !== undefined)
    throw octaviaFault(500, '(pymysql.err.OperationalError) (4078, "Illegal parameter data types")');
  const marker = query.get('marker');
  if (marker === null || isListed(marker)) return;
  throw octaviaFault(400, `Supplied pagination marker '${marker}' is not valid.`);
}
