import { asList, scalarText, type Json } from '../json.ts';

export interface ListRules {
  /** Filters that are no attribute of the answer, with how they decide. */
  readonly extra?: Record<string, (item: Json, value: string) => boolean>;
  readonly refuse: () => Error;
}

const control = ['limit', 'marker', 'fields', 'sort', 'sort_key', 'sort_dir', 'page_reverse'];
const tagFilters: Record<string, (tags: readonly unknown[], wanted: readonly string[]) => boolean> = {
  tags: (tags, wanted) => wanted.every((tag) => tags.includes(tag)),
  'tags-any': (tags, wanted) => wanted.some((tag) => tags.includes(tag)),
  'not-tags': (tags, wanted) => !wanted.every((tag) => tags.includes(tag)),
  'not-tags-any': (tags, wanted) => !wanted.some((tag) => tags.includes(tag)),
};

/**
 * Filters, pages and projects a list the way Octavia and Neutron both do; a filter given twice means either. `links` is the content of `<name>_links`
 * or undefined where the whole list was answered. `known` are the attributes that may be filtered by.
 */
export function listQuery(
  items: readonly Json[],
  query: URLSearchParams,
  known: readonly string[],
  rules: ListRules,
  selfUrl: string,
): { items: Json[]; links: { href: string; rel: string }[] } {
  const names = [...new Set(query.keys())].filter((name) => !control.includes(name));
  const isKnown = (name: string): boolean =>
    known.includes(name) || name in tagFilters || name in (rules.extra ?? {});
  if (!names.every(isKnown)) throw rules.refuse();
  const wanted = items.filter((item) => names.every((name) => keeps(item, name, query.getAll(name), rules)));
  const marker = query.get('marker');
  const start = marker === null ? 0 : wanted.findIndex((item) => item['id'] === marker) + 1;
  const limit = Math.min(Number(query.get('limit') ?? 1000) || 1000, 1000);
  const page = wanted.slice(start, start + limit);
  const links = start + limit < wanted.length || (query.has('limit') && page.length === limit);
  const last = scalarText(page.at(-1)?.['id']);
  const next = new URLSearchParams(query);
  next.set('limit', String(limit));
  next.set('marker', last);
  const fields = query.getAll('fields').flatMap((value) => value.split(','));
  return {
    items: fields.length === 0 ? page : page.map((item) => pick(item, fields)),
    links: links ? [{ href: `${selfUrl}?${next.toString()}`, rel: 'next' }] : [],
  };
}

function keeps(item: Json, name: string, values: readonly string[], rules: ListRules): boolean {
  const byTags = tagFilters[name];
  if (byTags)
    return byTags(
      asList(item['tags']),
      values.flatMap((value) => value.split(',')),
    );
  const special = rules.extra?.[name];
  if (special) return values.some((value) => special(item, value));
  return values.some((value) => scalarText(item[name]).toLowerCase() === value.toLowerCase());
}

const pick = (item: Json, fields: readonly string[]): Json =>
  Object.fromEntries(Object.entries(item).filter(([name]) => fields.includes(name)));
