import type { StatusRow } from '../page.ts';
import { type Html, markup } from './markup.ts';

/** Whether an object is as desired. `warned`: it is, and something about it is ignored, waits, or differs from what was settled. */
type Sync = StatusRow['state'] | 'warned';

/** Whether a load balancer serves. `none`: there is none, nobody says, or no check does. */
type Health = 'down' | 'degraded' | 'serving' | 'none';

function warningsOf({ problems = 0, awaitingApproval = 0, drift = 0 }: StatusRow): number {
  return problems + awaitingApproval + drift;
}

function syncOf(row: StatusRow): Sync {
  return row.state === 'settled' && warningsOf(row) > 0 ? 'warned' : row.state;
}

/** What the operating status of a load balancer means (Octavia API, "Operating Status Codes"). */
const HEALTH: Readonly<Partial<Record<string, Health>>> = {
  ONLINE: 'serving',
  DRAINING: 'serving',
  DEGRADED: 'degraded',
  ERROR: 'down',
  OFFLINE: 'down',
};

export function healthOf({ operatingStatus }: { readonly operatingStatus?: string | undefined }): Health {
  return HEALTH[operatingStatus ?? ''] ?? 'none';
}

export const GROUPS = ['person', 'progressing', 'warned', 'unknown', 'settled'] as const;

export type Group = (typeof GROUPS)[number];

export const GROUP_NAMES: Readonly<Record<Group, string>> = {
  person: 'Needs a person',
  progressing: 'In progress',
  warned: 'In sync, with warnings',
  unknown: 'Not known',
  settled: 'In sync',
};

/** An object that serves nobody needs a person, in sync or not; one that is being made serves nobody yet. */
export function groupOf(row: StatusRow): Group {
  if (row.unknownSince !== undefined) return 'unknown';
  const sync = syncOf(row);
  if (sync === 'progressing') return sync;
  if (sync === 'failed' || sync === 'blocked' || healthOf(row) === 'down') return 'person';
  return sync === 'settled' && healthOf(row) === 'degraded' ? 'warned' : sync;
}

/** A time as an age, or as the time until then, which the page's script keeps true. `at` is RFC 3339, `now` milliseconds since 1970. */
export function since(at: string, now: number): Html {
  return markup`<time datetime="${at}" title="${at}">${ago(at, now)}</time>`;
}

/** A time to come. Once it is there it is `now`, until the page knows better. */
function due(at: string, now: number): Html {
  const text = Date.parse(at) - now <= 500 ? 'now' : ago(at, now);
  return markup`<time datetime="${at}" title="${at}" data-due>${text}</time>`;
}

function ago(at: string, now: number): string {
  const ms = now - Date.parse(at);
  return ms < -500 ? `in ${age(-ms)}` : `${age(ms)} ago`;
}

export function age(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} d`;
}

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
    : markup`levelset runs again ${due(row.nextAt, now)} at the latest`;
}

/** Whether a person wants to know what comes next. */
export function isUnderWay(row: StatusRow): boolean {
  return groupOf(row) !== 'settled' && groupOf(row) !== 'unknown';
}

/** The name of a row. Names have no spaces, so `Node web` cannot be a Service of the namespace `node`. */
export function titleOf(object: string): string {
  return object.startsWith('service/') ? object.slice('service/'.length) : object.replace('node/', 'Node ');
}
