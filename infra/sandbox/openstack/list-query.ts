import { asList, scalarText, type Json } from '../json.ts';

export interface ListRules {
  /** Which attributes may be filtered by. */
  readonly known: ReadonlySet<string>;
  /** Filters that are no attribute, with how they decide. */
  readonly extra?: Record<string, (item: Json, value: string) => boolean>;
  readonly refuse: () => Error;
}

/** The rows that the caller may see, and how to find some of them by an index. */
export interface Listed<T extends Json> {
  /** All rows that the caller may see. */
  readonly all: () => readonly T[];
  /** The rows that may pass the filter. Undefined: no index knows it, so all rows have to be looked at. */
  readonly candidates: (name: string, values: readonly string[]) => readonly T[] | undefined;
  readonly before: (a: T, b: T) => boolean;
  readonly view: (row: T) => Json;
}

const control = ['limit', 'marker', 'fields', 'sort', 'sort_key', 'sort_dir', 'page_reverse'];
const tagFilters: Record<string, (tags: readonly unknown[], wanted: readonly string[]) => boolean> = {
  tags: (tags, wanted) => wanted.every((tag) => tags.includes(tag)),
  'tags-any': (tags, wanted) => wanted.some((tag) => tags.includes(tag)),
  'not-tags': (tags, wanted) => !wanted.every((tag) => tags.includes(tag)),
  'not-tags-any': (tags, wanted) => !wanted.some((tag) => tags.includes(tag)),
};

/**
 * Filters, pages and projects a list the way Octavia and Neutron both do; a filter given twice means either.
 * `links` is the content of `<name>_links`. It is empty if nothing is left, unless the query has a limit and
 * this page is full.
 */
export function listQuery<T extends Json>(
  listed: Listed<T>,
  query: URLSearchParams,
  rules: ListRules,
  selfUrl: string,
): { items: Json[]; links: { href: string; rel: string }[] } {
  const names = [...new Set(query.keys())].filter((name) => !control.includes(name));
  const isKnown = (name: string): boolean =>
    rules.known.has(name) || name in tagFilters || name in (rules.extra ?? {});
  if (!names.every(isKnown)) throw rules.refuse();
  const filters = names.map((name) => filterOf(name, query.getAll(name), rules));
  const wanted = narrowed(listed, names, query)
    .filter((item) => filters.every((keeps) => keeps(item)))
    .sort((a, b) => (listed.before(a, b) ? -1 : 1));
  const marker = query.get('marker');
  const start = marker === null ? 0 : wanted.findIndex((item) => item['id'] === marker) + 1;
  const limit = Math.min(Number(query.get('limit') ?? 1000) || 1000, 1000);
  const page = wanted.slice(start, start + limit);
  const links = start + limit < wanted.length || (query.has('limit') && page.length === limit);
  const next = new URLSearchParams(query);
  next.set('limit', String(limit));
  next.set('marker', scalarText(page.at(-1)?.['id']));
  const fields = new Set(query.getAll('fields').flatMap((value) => value.split(',')));
  const shown = page.map((item) => listed.view(item));
  return {
    items: fields.size === 0 ? shown : shown.map((item) => pick(item, fields)),
    links: links ? [{ href: `${selfUrl}?${next.toString()}`, rel: 'next' }] : [],
  };
}

/** The rows that may pass the first filter that an index knows; all rows if there is no such filter. */
function narrowed<T extends Json>(
  listed: Listed<T>,
  names: readonly string[],
  query: URLSearchParams,
): readonly T[] {
  for (const name of names) {
    const isTags = name === 'tags' || name === 'tags-any';
    const values = isTags ? query.getAll(name).flatMap((value) => value.split(',')) : query.getAll(name);
    const found = listed.candidates(isTags ? 'tags' : name, values);
    if (found) return found;
  }
  return listed.all();
}

function filterOf(name: string, values: readonly string[], rules: ListRules): (item: Json) => boolean {
  const byTags = tagFilters[name];
  if (byTags) {
    const tags = values.flatMap((value) => value.split(','));
    return (item) => byTags(asList(item['tags']), tags);
  }
  const special = rules.extra?.[name];
  if (special) return (item) => values.some((value) => special(item, value));
  const wanted = values.map((value) => value.toLowerCase());
  return (item) => wanted.includes(scalarText(item[name]).toLowerCase());
}

const pick = (item: Json, fields: ReadonlySet<string>): Json =>
  Object.fromEntries(Object.entries(item).filter(([name]) => fields.has(name)));
