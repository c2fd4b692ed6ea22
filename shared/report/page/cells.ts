import type { StatusRow } from '../page.ts';
import { due, since } from './ages.ts';
import { markup, type Html } from './markup.ts';
import { groupOf, healthOf, syncOf, warningsOf } from './sync.ts';

export function health(row: StatusRow, now: number): Html | string {
  const { operatingStatus, unknownSince, address } = row;
  if (operatingStatus === undefined) return '\u2013';
  if (unknownSince !== undefined)
    return markup`<span class="health none">not known</span><small>${operatingStatus} ${since(unknownSince, now)}</small>`;
  const its = healthOf(row);
  const [look, words] = its === 'serving' && address === undefined ? ['degraded', 'no address'] : [its, its];
  return markup`<span class="health ${look}">${its === 'none' ? 'not monitored' : words}</span><small>${operatingStatus}</small>`;
}

export function sync({ unknownSince, ...row }: StatusRow, now: number): Html | string {
  if (unknownSince !== undefined)
    return markup`not known since ${since(unknownSince, now)}<small>then ${sync(row, now)}</small>`;
  if (syncOf(row) !== 'warned') return row.state === 'settled' ? 'in sync' : row.state;
  const warnings = warningsOf(row);
  return `in sync, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`;
}

export function why(row: StatusRow): string {
  return servesNobody(row)
    ? `${row.reason}, but Octavia says ${row.operatingStatus ?? ''}: no member answers its health check`
    : row.reason;
}

export function actor(row: StatusRow): string | undefined {
  return row.act ?? (servesNobody(row) ? 'whoever owns the object: look at its Pods' : undefined);
}

function servesNobody(row: StatusRow): boolean {
  return row.state === 'settled' && healthOf(row) === 'down';
}

export function next(row: StatusRow, now: number): Html | string {
  return row.nextAt === undefined
    ? 'levelset looks again when the object changes, and compares it in each sweep'
    : markup`levelset runs again ${due(row.nextAt, now)}`;
}

/** Whether a person wants to know what comes next. */
export function isUnderWay(row: StatusRow): boolean {
  return groupOf(row) !== 'settled' && groupOf(row) !== 'unknown';
}

/** The name of a row. Names have no spaces, so `Node web` cannot be a Service of the namespace `node`. */
export function titleOf(object: string): string {
  return object.startsWith('service/') ? object.slice('service/'.length) : object.replace('node/', 'Node ');
}
