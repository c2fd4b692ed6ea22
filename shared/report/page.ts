import { PAGE_SCRIPT, PAGE_STYLE } from './page-assets.ts';
import type { Key } from '../model/request.ts';

export type RowState = 'settled' | 'progressing' | 'blocked' | 'failed' | 'unknown';

/** One row of the status page and its JSON: a Service, or a Node or the routes while they are not settled. */
export interface StatusRow {
  /** The key, as the command line and POST /resync take it. */
  readonly object: Key;
  readonly state: RowState;
  /** Why the object is in this state, in words. */
  readonly reason: string;
  readonly loadBalancerId?: string;
  /** The id of a Node's server. */
  readonly serverId?: string;
  /** Other Services on that load balancer, as `NS/NAME`. */
  readonly sharedWith?: readonly string[];
  readonly address?: string;
  readonly trigger?: string;
  /** The time of the last run, RFC 3339. */
  readonly at?: string;
  /** The last plan as text. */
  readonly plan?: string;
  /** The steps of the last plan. */
  readonly planSteps: number;
  /** The changes of the last plan that a person may approve. */
  readonly awaitingApproval?: number;
  /** The problems of the last plan, such as annotations that are not applied. */
  readonly problems?: number;
  /** What somebody else changed in OpenStack, as the last plan has it. */
  readonly drift?: number;
}

/** Whether events come. */
/** A collection that `serve --watch` follows. */
export interface WatchView {
  readonly name: string;
  /** Why no changes come; absent while they do. */
  readonly trouble?: string;
}

export interface WebhookView {
  /** The time of the last batch of events that was accepted, RFC 3339. */
  readonly lastAccepted?: string;
  /** Requests that were refused, by reason. */
  readonly refused: Readonly<Record<string, number>>;
  /** Why events do not come, in words. */
  readonly trouble?: string;
}

export interface StatusView {
  readonly cluster: string;
  /** The time from which ages on the page are counted, RFC 3339. */
  readonly generatedAt: string;
  readonly rows: readonly StatusRow[];
  /** levelset runs with --dry-run: it shows plans and writes nothing. */
  readonly dryRun?: true;
  /** The reason why Services and Nodes could not be listed. The rows are those of the last list. */
  readonly notListed?: string;
  readonly webhook?: WebhookView;
  readonly watches?: readonly WatchView[];
  readonly queue?: QueueView;
  readonly lastSweep?: {
    readonly at: string;
    readonly services: number;
    readonly letGo: number;
    readonly nodes: number;
    readonly queued: number;
    readonly warnings: readonly string[];
  };
}

/** What is in the queue, or why it cannot be said. */
export type QueueView =
  | {
      readonly depth: number;
      readonly oldestMs: number;
      /** Several processes have one queue: what waits or runs in all of them together. */
      readonly ofAllReplicas?: true;
      /** So have several clusters. */
      readonly ofAllClusters?: true;
    }
  | { readonly trouble: string; readonly ofAllClusters?: true };

/** The states, those that need a person first. */
export const WORST_FIRST: readonly RowState[] = ['failed', 'blocked', 'progressing', 'unknown', 'settled'];

/**
 * The status page: one HTML document that loads nothing else, rows that need a person first. Its style and script are
 * PAGE_STYLE and PAGE_SCRIPT byte by byte, so that a Content-Security-Policy can name their hashes.
 *
 * @param path where the page is
 */
export function renderPage(view: StatusView, path = '/'): string {
  const now = Date.parse(view.generatedAt);
  const rows = view.rows.toSorted(worstFirst);
  return markup`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title(rows)}levelset: ${view.cluster}</title>
        <style>${{ html: PAGE_STYLE }}</style>
        <script>${{ html: PAGE_SCRIPT }}</script>
        <noscript><meta http-equiv="refresh" content="5" /></noscript>
      </head>
      <body>
        <header>
          <h1>levelset <span class="cluster">${view.cluster}</span></h1>
          <ul class="counts">${WORST_FIRST.map((state) => count(state, rows))}</ul>
        </header>
        <dl class="facts">${facts(view, now)}</dl>
        ${view.dryRun && markup`<p class="warning">dry run: levelset shows what it would do, and writes nothing to Kubernetes or OpenStack</p>`}
        ${view.notListed === undefined ? undefined : markup`<p class="warning">the rows are not up to date: ${view.notListed}</p>`}
        ${view.watches?.map(({ trouble }) => trouble && markup`<p class="warning">${trouble}</p>`)}
        ${view.webhook?.trouble && markup`<p class="warning">${view.webhook.trouble}</p>`}
        ${view.lastSweep?.warnings.map((warning) => markup`<p class="warning">${warning}</p>`)}
        ${rows.length === 0 ? nothing(view) : table(rows, now)}
        <footer>Updated ${view.generatedAt}. The page reloads every 5 s while no plan is open. The same data as <a href="${path}?format=json">JSON</a>.</footer>
      </body>
    </html>`.html;
}

function nothing({ notListed }: StatusView): Html | undefined {
  if (notListed !== undefined) return undefined;
  return markup`<p class="empty">There is no Service of type LoadBalancer, and no Node that waits.</p>`;
}

function worstFirst(a: StatusRow, b: StatusRow): number {
  return (
    WORST_FIRST.indexOf(a.state) - WORST_FIRST.indexOf(b.state) ||
    (a.object < b.object ? -1 : Number(a.object > b.object))
  );
}

/** The number of rows that need a person, for the title of the browser's tab. */
function title(rows: readonly StatusRow[]): string {
  const broken = rows.filter(({ state }) => state === 'failed' || state === 'blocked').length;
  return broken > 0 ? `(${broken}) ` : '';
}

function count(state: string, rows: readonly StatusRow[]): Html | undefined {
  const number = rows.filter((row) => row.state === state).length;
  return number === 0 ? undefined : markup`<li class="${state}"><b>${number}</b> ${state}</li>`;
}

function facts({ queue, lastSweep, webhook, watches = [] }: StatusView, now: number): readonly Html[] {
  const swept = lastSweep && `${ago(lastSweep.at, now)}: ${inNumbers(lastSweep)}, ${lastSweep.queued} queued`;
  return [
    markup`<div><dt>Queue</dt><dd>${queue ? queueInWords(queue) : 'unknown'}</dd></div>`,
    markup`<div><dt>Last sweep</dt><dd>${swept ?? 'none yet'}</dd></div>`,
    ...(watches.length > 0
      ? [markup`<div><dt>Watches</dt><dd>${watches.map(({ name }) => name).join(', ')}</dd></div>`]
      : []),
    ...(webhook ? [markup`<div><dt>Last events</dt><dd>${eventsInWords(webhook, now)}</dd></div>`] : []),
  ];
}

function queueInWords(queue: QueueView): string {
  if ('trouble' in queue) return queue.trouble;
  const { depth, oldestMs, ofAllReplicas, ofAllClusters } = queue;
  const replicas = ofAllReplicas ? `, all replicas${ofAllClusters ? ' and clusters' : ''} together` : '';
  const what = ofAllReplicas ? 'waiting or running' : 'waiting';
  return (depth > 0 ? `${depth} ${what}, oldest ${age(oldestMs)}` : 'empty') + replicas;
}

function eventsInWords({ lastAccepted, refused }: WebhookView, now: number): string {
  const reasons = Object.entries(refused).map(([reason, count]) => `${count} for its ${reason}`);
  const last = lastAccepted === undefined ? 'none yet' : ago(lastAccepted, now);
  return reasons.length === 0 ? last : `${last}; refused: ${reasons.join(', ')}`;
}

function table(rows: readonly StatusRow[], now: number): Html {
  return markup`<table>
    <thead><tr><th>State</th><th>Object</th><th>Address</th><th>Reason</th><th>Last run</th></tr></thead>
    <tbody>${rows.map((row) => line(row, now))}</tbody>
  </table>`;
}

function line(row: StatusRow, now: number): Html {
  const plan = row.plan === undefined ? undefined : openable(row, row.plan);
  const id = row.loadBalancerId ?? row.serverId;
  return markup`<tr class="${row.state}">
      <td><span class="state">${row.state}</span></td>
      <td class="name">${titleOf(row.object)}${id && markup`<small><code>${id}</code></small>`}${row.sharedWith && markup`<small>with ${row.sharedWith.join(', ')}</small>`}</td>
      <td class="address">${row.address ?? markup`<span class="none">none</span>`}</td>
      <td class="reason">${row.reason}${plan}</td>
      <td class="when"><time datetime="${row.at}">${row.at ? ago(row.at, now) : 'never'}</time>${row.trigger && markup`<small>${row.trigger}</small>`}</td>
    </tr>`;
}

/** The name of a row. Names have no spaces, so `Node web` cannot be a Service of the namespace `node`. */
function titleOf(object: string): string {
  return object.startsWith('service/') ? object.slice('service/'.length) : object.replace('node/', 'Node ');
}

/** The plan, if there is something in it to read. */
function openable(
  { planSteps, awaitingApproval = 0, problems = 0, drift = 0 }: StatusRow,
  plan: string,
): Html | undefined {
  const parts = [
    ...(planSteps > 0 ? [`${planSteps} ${planSteps === 1 ? 'step' : 'steps'}`] : []),
    ...(awaitingApproval > 0 ? [`${awaitingApproval} waiting for approval`] : []),
    ...(problems > 0 ? [`${problems} ${problems === 1 ? 'problem' : 'problems'}`] : []),
    ...(drift > 0 ? [`${drift} changed by somebody else`] : []),
  ];
  if (parts.length === 0) return undefined;
  return markup`<details><summary>Plan: ${parts.join(', ')}</summary><pre>${plan}</pre></details>`;
}

export function ago(at: string, now: number): string {
  return `${age(now - Date.parse(at))} ago`;
}

/** An age as text: 12 s, 5 min, 3 h, 2 d. */
function age(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} d`;
}

/** What a sweep compared, as text for people: `20 Services and 10 Nodes`. Without Nodes it is only the Services. */
export function inNumbers({
  services,
  letGo,
  nodes,
}: {
  readonly services: number;
  readonly letGo: number;
  readonly nodes: number;
}): string {
  const others = letGo > 0 ? ` (and ${letGo} let go)` : '';
  return [`${services} Services${others}`, ...(nodes > 0 ? [`${nodes} Nodes`] : [])].join(' and ');
}

/** Text that is HTML already. */
export interface Html {
  readonly html: string;
}

type Part = Html | string | number | undefined | readonly Part[];

/**
 * A tagged template. It escapes every value that is not the result of `markup` itself. Undefined becomes no
 * text.
 */
export function markup(strings: TemplateStringsArray, ...values: readonly Part[]): Html {
  return { html: strings.map((text, i) => text + (i < values.length ? rendered(values[i]) : '')).join('') };
}

function rendered(part: Part): string {
  if (part === undefined) return '';
  if (typeof part === 'string' || typeof part === 'number') return escaped(String(part));
  return isList(part) ? part.map(rendered).join('') : part.html;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

function isList(part: Part): part is readonly Part[] {
  return Array.isArray(part);
}
