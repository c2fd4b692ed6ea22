/** What one object's state is, in the words of the page. */
import type { StatusRow } from '../page.ts';
import { due } from './ages.ts';
import { markup, type Html } from './markup.ts';
import { groupOf, healthOf, syncOf, warningsOf } from './sync.ts';

export function health(row: StatusRow): Html | string {
  const its = healthOf(row);
  if (its === 'none') return row.operatingStatus ?? '\u2013';
  if (its === 'serving' && row.address === undefined)
    return markup`<span class="health degraded">no address</span><small>${row.operatingStatus}</small>`;
  return markup`<span class="health ${its}">${its}</span><small>${row.operatingStatus}</small>`;
}

export function sync(row: StatusRow): string {
  if (syncOf(row) !== 'warned') return row.state === 'settled' ? 'in sync' : row.state;
  const warnings = warningsOf(row);
  return `in sync, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`;
}

export function why(row: StatusRow): string {
  return servesNobody(row)
    ? `${row.reason}, but Octavia says ${row.operatingStatus ?? ''}: no member answers its health check`
    : row.reason;
}

/** Who must act; undefined if nobody must. */
export function actor(row: StatusRow): string | undefined {
  return row.act ?? (servesNobody(row) ? 'whoever owns the object: look at its Pods' : undefined);
}

function servesNobody(row: StatusRow): boolean {
  return row.state === 'settled' && healthOf(row) === 'down';
}

/** What levelset does next, if nothing changes. */
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
