import type { Json } from '../../json.ts';
import { novaStates, type Server } from './objects.ts';
import { novaFault } from './refusal.ts';

/** The filters of a plain member; Nova has more for administrators. */
const filters = [
  ...['name', 'status', 'ip', 'flavor', 'image', 'uuid', 'changes-since', 'tags', 'tags-any', 'not-tags'],
  ...['tenant_id', 'project_id', 'limit', 'marker', 'sort_key', 'sort_dir', 'hostname', 'metadata'],
];
const maximum = 1000;

/**
 * The servers a list shows, the youngest first. `name` and `ip` are regular expressions, as MySQL has them without
 * regard to case, and the last of several counts; `status` may be given several times. Filters that Nova does not know
 * are ignored before 2.75 and 400 from then on, an unknown status an empty list before 2.38 and 400 from then on.
 */
export function wantedServers(
  servers: readonly Server[],
  query: URLSearchParams,
  minor: number,
  addresses: (server: Server) => readonly string[],
): Server[] {
  const unknown = [...query.keys()].find((one) => !filters.includes(one));
  if (unknown !== undefined && minor >= 75)
    throw novaFault(400, `'${unknown}' does not match any of the regexes: '^_'`);
  const [name, ip, flavor] = [
    expression(query, 'name'),
    expression(query, 'ip'),
    query.getAll('flavor').at(-1),
  ];
  const statuses = query.getAll('status').map((one) => one.toUpperCase());
  if (minor >= 38 && statuses.some((one) => !(one in novaStates)))
    throw novaFault(400, 'Invalid status value');
  return [...servers]
    .reverse()
    .filter(
      (one) =>
        (name?.test(one.name) ?? true) &&
        (statuses.length === 0 || statuses.includes(one.status)) &&
        (flavor === undefined || one.flavor.id === flavor) &&
        (ip === undefined || addresses(one).some((address) => ip.test(address))),
    );
}

/** One page, with a link to the next one if this one is full, even if nothing is left. */
export function serverPage(
  servers: readonly Server[],
  query: URLSearchParams,
  self: string,
): { items: Server[]; links: Json[] | undefined } {
  const asked = query.getAll('limit').at(-1) ?? String(maximum);
  if (!/^\d*$/.test(asked)) {
    const text = `Value: ${asked}. '${asked}' does not match '^[0-9]*$'`;
    throw novaFault(400, `Invalid input for query parameters limit. ${text}`);
  }
  const limit = Math.min(Number(asked), maximum);
  const marker = query.getAll('marker').at(-1);
  const before = servers.findIndex((one) => one.id === marker);
  if (marker !== undefined && before < 0) throw novaFault(400, `marker [${marker}] not found`);
  const items = servers.slice(before + 1, before + 1 + limit);
  const last = items.at(-1);
  if (last === undefined || items.length < limit) return { items, links: undefined };
  const next = new URLSearchParams(query);
  next.set('marker', last.id);
  return { items, links: [{ rel: 'next', href: `${self}?${next.toString()}` }] };
}

function expression(query: URLSearchParams, key: string): RegExp | undefined {
  const text = query.getAll(key).at(-1);
  if (text === undefined) return undefined;
  try {
    if (text !== '') return new RegExp(text, 'i');
  } catch {
    // A wrong expression gets the same refusal as an empty one, below.
  }
  const problem = `Value: ${text}. '${text}' is not a 'regex'`;
  throw novaFault(400, `Invalid input for query parameters ${key}. ${problem}`);
}
