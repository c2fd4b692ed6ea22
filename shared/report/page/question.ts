import type { StatusRow } from '../page.ts';
import { groupOf, GROUPS, type Group } from './cells.ts';

/** What the address of the page asks for. Empty: everything. */
export interface PageQuestion {
  readonly q: string;
  readonly namespace: string;
  readonly state: string;
  readonly kind: string;
  readonly page: number;
}

export const EVERYTHING: PageQuestion = { q: '', namespace: '', state: '', kind: '', page: 1 };

export const PAGE_ROWS = 200;

/** Reads the query of an address, whatever it has in it. */
export function readQuestion(query: Readonly<Record<string, unknown>>): PageQuestion {
  const text = (name: string): string => {
    const value = query[name];
    return typeof value === 'string' ? value.slice(0, 300) : '';
  };
  const page = Number(text('page'));
  return {
    q: text('q').trim(),
    namespace: text('namespace'),
    state: text('state'),
    kind: text('kind'),
    page: Number.isInteger(page) && page > 0 ? page : 1,
  };
}

export function pathOfQuestion(path: string, { page, ...asked }: PageQuestion): string {
  const given = Object.entries({ ...asked, page: page > 1 ? String(page) : '' }).filter(
    ([, value]) => value !== '',
  );
  return `${path}?${new URLSearchParams(given).toString()}`;
}

export function kindOf({ object }: Pick<StatusRow, 'object'>): string {
  return object.split('/')[0] ?? '';
}

export function namespaceOf({ object }: Pick<StatusRow, 'object'>): string {
  const [kind, namespace = '', name] = object.split('/');
  return kind === 'service' && name !== undefined ? namespace : '';
}

export interface GroupedRow {
  readonly row: StatusRow;
  readonly group: Group;
}

/** The rows that a question is about, worst first. */
export function rowsFor(rows: readonly StatusRow[], asked: PageQuestion): readonly GroupedRow[] {
  const words = asked.q.toLowerCase();
  return rows
    .map((row) => ({ row, group: groupOf(row) }))
    .filter(
      ({ row, group }) =>
        (asked.namespace === '' || namespaceOf(row) === asked.namespace) &&
        (asked.kind === '' || kindOf(row) === asked.kind) &&
        (asked.state === '' || group === asked.state) &&
        (words === '' || textOf(row).includes(words)),
    )
    .sort(worstFirst);
}

function textOf({ object, reason, address = '', loadBalancerId = '', serverId = '' }: StatusRow): string {
  return [object, reason, address, loadBalancerId, serverId].join(' ').toLowerCase();
}

const PERSON_FIRST: readonly StatusRow['state'][] = ['failed', 'blocked'];

function worstFirst(a: GroupedRow, b: GroupedRow): number {
  const state = ({ row }: GroupedRow): number => (PERSON_FIRST.indexOf(row.state) + 3) % 3;
  return (
    GROUPS.indexOf(a.group) - GROUPS.indexOf(b.group) ||
    state(a) - state(b) ||
    (a.row.object < b.row.object ? -1 : Number(a.row.object > b.row.object))
  );
}
