import {
  inNumbers,
  WORST_FIRST,
  type QueueView,
  type StatusRow,
  type StatusView,
  type WebhookView,
} from '../page.ts';
import { age, since } from './ages.ts';
import { BARE, DRY_RUN, renderDocument, warning, type Frame } from './layout.ts';
import { markup, type Html } from './markup.ts';

/** The page of one cluster: rows that need a person first. */
export function renderPage(view: StatusView, frame: Frame = BARE): string {
  const now = Date.parse(view.generatedAt);
  const rows = view.rows.toSorted(worstFirst);
  return renderDocument(
    {
      title: `${needsPerson(rows)}levelset: ${view.cluster}`,
      generatedAt: view.generatedAt,
      header: markup`<h1>levelset <span class="cluster">${view.cluster}</span></h1>
          <ul class="counts">${WORST_FIRST.map((state) => count(state, rows))}</ul>`,
      main: markup`<dl class="facts">${facts(view, now)}</dl>
        ${warnings(view, now)}
        ${rows.length === 0 ? nothing(view) : table(rows, now)}`,
    },
    frame,
  );
}

function warnings(
  { dryRun, notListed, listedAt, watches = [], webhook, lastSweep }: StatusView,
  now: number,
): readonly (Html | undefined)[] {
  return [
    dryRun && warning(DRY_RUN),
    notListed === undefined ? undefined : staleRows(notListed, listedAt, now),
    ...watches.map(({ trouble }) => warning(trouble)),
    warning(webhook?.trouble),
    ...(lastSweep?.warnings ?? []).map(warning),
  ];
}

function staleRows(why: string, listedAt: string | undefined, now: number): Html {
  const from =
    listedAt === undefined ? 'there was no list yet' : markup`the rows are of ${since(listedAt, now)}`;
  return markup`<p class="warning" id="not-listed">Stale: ${from}. Services and Nodes cannot be listed: ${why}</p>`;
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
function needsPerson(rows: readonly StatusRow[]): string {
  const broken = rows.filter(({ state }) => state === 'failed' || state === 'blocked').length;
  return broken > 0 ? `(${broken}) ` : '';
}

function count(state: string, rows: readonly StatusRow[]): Html | undefined {
  const number = rows.filter((row) => row.state === state).length;
  return number === 0 ? undefined : markup`<li class="${state}"><b>${number}</b> ${state}</li>`;
}

function facts({ queue, lastSweep, webhook, watches = [] }: StatusView, now: number): readonly Html[] {
  const swept =
    lastSweep && markup`${since(lastSweep.at, now)}: ${inNumbers(lastSweep)}, ${lastSweep.queued} queued`;
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

function eventsInWords({ lastAccepted, refused }: WebhookView, now: number): Html {
  const reasons = Object.entries(refused).map(([reason, count]) => `${count} for its ${reason}`);
  const last = lastAccepted === undefined ? 'none yet' : since(lastAccepted, now);
  return markup`${last}${reasons.length === 0 ? '' : `; refused: ${reasons.join(', ')}`}`;
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
  return markup`<tr class="${row.state}" id="row:${row.object}">
      <td><span class="state">${row.state}</span></td>
      <td class="name">${titleOf(row.object)}${id && markup`<small><code>${id}</code></small>`}${row.sharedWith && markup`<small>with ${row.sharedWith.join(', ')}</small>`}</td>
      <td class="address">${row.address ?? markup`<span class="none">none</span>`}</td>
      <td class="reason">${row.reason}${plan}</td>
      <td class="when">${row.at === undefined ? 'never' : since(row.at, now)}${row.trigger && markup`<small>${row.trigger}</small>`}</td>
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
