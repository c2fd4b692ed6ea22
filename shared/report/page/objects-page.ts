import {
  inNumbers,
  type DeletionsView,
  type QueueView,
  type StatusRow,
  type StatusView,
  type WebhookView,
} from '../page.ts';
import {
  age,
  since,
  actor,
  health,
  isUnderWay,
  next,
  sync,
  titleOf,
  why,
  groupOf,
  GROUP_NAMES,
  GROUPS,
  type Group,
} from './cells.ts';
import { markup, type Html } from './markup.ts';
import { BARE, DRY_RUN, pageOfObject, renderDocument, warning, type Frame } from './layout.ts';
import { PAGE_ROWS, rowsFor, pathOfQuestion, kindOf, namespaceOf, type GroupedRow } from './question.ts';

/** The page of one cluster: rows that need a person first. */
export function renderPage(view: StatusView, frame: Frame = BARE): string {
  const now = Date.parse(view.generatedAt);
  const { rows } = view;
  const found = rowsFor(rows, frame.question);
  const last = Math.max(1, Math.ceil(found.length / PAGE_ROWS));
  const page = Math.min(frame.question.page, last);
  const shown = found.slice((page - 1) * PAGE_ROWS, page * PAGE_ROWS);
  return renderDocument(
    {
      title: `${needsPerson(rows)}levelset: ${view.cluster}`,
      generatedAt: view.generatedAt,
      header: markup`<h1>levelset <span class="cluster">${view.cluster}</span></h1>
          <ul class="counts">${GROUPS.map((group) => count(group, rows))}</ul>`,
      main: markup`<dl class="facts">${facts(view, now)}</dl>
        ${warnings(view, now)}
        ${rows.length === 0 ? undefined : filters(rows, found.length, frame)}
        ${rows.length === 0 ? nothing(view) : table(shown, now, frame)}
        ${pages(page, last, frame)}`,
    },
    frame,
  );
}

function warnings(view: StatusView, now: number): readonly (Html | string | undefined)[] {
  const { rows, dryRun, notListed, healthUnknown, watches = [], webhook, lastSweep } = view;
  const unknown = rows.flatMap(({ unknownSince }) => unknownSince ?? []).sort();
  const [first] = unknown;
  return [
    first &&
      markup`<p class="warning outage">Not known: ${unknown.length} of ${rows.length} objects, the first since ${since(first, now)}</p>`,
    dryRun && warning(DRY_RUN),
    warning(notListed && `Services and Nodes cannot be listed: ${notListed}`),
    warning(healthUnknown && `levelset cannot see now whether load balancers serve: ${healthUnknown}`),
    ...watches.map(({ trouble }) => warning(trouble)),
    warning(webhook?.trouble),
    ...(lastSweep?.warnings ?? []).map(warning),
  ];
}

function nothing({ notListed }: StatusView): Html | undefined {
  if (notListed !== undefined) return undefined;
  return markup`<p class="empty">There is no Service of type LoadBalancer, and no Node that waits.</p>`;
}

function needsPerson(rows: readonly StatusRow[]): string {
  const broken = rows.filter((row) => groupOf(row) === 'person').length;
  return broken > 0 ? `(${broken}) ` : '';
}

function count(group: (typeof GROUPS)[number], rows: readonly StatusRow[]): Html | undefined {
  const number = rows.filter((row) => groupOf(row) === group).length;
  return number === 0
    ? undefined
    : markup`<li class="${group}"><b>${number}</b> ${inHead(group, number)}</li>`;
}

function inHead(group: Group, number: number): string {
  const name = GROUP_NAMES[group].toLowerCase();
  return number === 1 ? name : name.replace('needs', 'need');
}

function facts(
  { queue, lastSweep, webhook, watches = [], deletions }: StatusView,
  now: number,
): readonly Html[] {
  const swept =
    lastSweep && markup`${since(lastSweep.at, now)}: ${inNumbers(lastSweep)}, ${lastSweep.queued} queued`;
  return [
    markup`<div><dt>Queue</dt><dd>${queue ? queueInWords(queue) : 'unknown'}</dd></div>`,
    markup`<div><dt>Last sweep</dt><dd>${swept ?? 'none yet'}</dd></div>`,
    ...(watches.length > 0
      ? [markup`<div><dt>Watches</dt><dd>${watches.map(({ name }) => name).join(', ')}</dd></div>`]
      : []),
    ...(webhook ? [markup`<div><dt>Last events</dt><dd>${eventsInWords(webhook, now)}</dd></div>`] : []),
    ...(deletions
      ? [markup`<div><dt>Deleted in the last hour</dt><dd>${deletionsInWords(deletions)}</dd></div>`]
      : []),
  ];
}

function deletionsInWords({ nodes, loadBalancers, percent }: DeletionsView): string {
  const counts = `${nodes} ${nodes === 1 ? 'Node' : 'Nodes'}, ${loadBalancers} load ${loadBalancers === 1 ? 'balancer' : 'balancers'} without a Service`;
  return `${counts}; --deletion-share=${percent}%`;
}

function queueInWords({ depth, oldestMs }: QueueView): string {
  return depth > 0 ? `${depth} waiting, oldest ${age(oldestMs)}` : 'empty';
}

function eventsInWords({ lastAccepted, refused }: WebhookView, now: number): Html {
  const reasons = Object.entries(refused).map(([reason, count]) => `${count} for its ${reason}`);
  const last = lastAccepted === undefined ? 'none yet' : since(lastAccepted, now);
  return markup`${last}${reasons.length === 0 ? '' : `; refused: ${reasons.join(', ')}`}`;
}

function table(rows: readonly GroupedRow[], now: number, frame: Frame): Html {
  const heads = ['Object', 'Serving', 'As desired', 'Address', 'Why, and what comes next', 'Last run'];
  return markup`<table class="objects" role="table" aria-label="Services, Nodes and routes">
    <thead role="rowgroup"><tr role="row">${heads.map((head) => markup`<th scope="col" role="columnheader">${head}</th>`)}</tr></thead>
    <tbody role="rowgroup">${rows.map((one, at) => [rows[at - 1]?.group === one.group ? undefined : groupHead(one), line(one, now, frame)])}</tbody>
  </table>`;
}

function groupHead({ group }: GroupedRow): Html {
  return markup`<tr class="group ${group}" role="row" id="group:${group}"><th colspan="6" scope="colgroup" role="rowheader">${GROUP_NAMES[group]}</th></tr>`;
}

function line({ row, group }: GroupedRow, now: number, frame: Frame): Html {
  const plan = row.plan === undefined ? undefined : openable(row, row.plan);
  const id = row.loadBalancerId ?? row.serverId;
  return markup`<tr class="${group}" role="row" id="row:${row.object}">
      <th class="name" scope="row" role="rowheader">${linked(row, frame)}${id && markup`<small><code>${id}</code></small>`}${row.sharedWith && markup`<small>with ${row.sharedWith.join(', ')}</small>`}</th>
      <td role="cell" data-label="Serving" class="state">${health(row, now)}</td>
      <td role="cell" data-label="As desired" class="state ${groupOf({ ...row, operatingStatus: '' })}">${sync(row, now)}${row.since === undefined || row.state === 'settled' ? undefined : markup`<small>first seen ${since(row.since, now)}</small>`}</td>
      <td role="cell" data-label="Address" class="address">${row.address ?? markup`<span class="none">none</span>`}</td>
      <td role="cell" data-label="Why" class="reason">${why(row)}${small('Who must act', actor(row))}${isUnderWay(row) ? small('Next', next(row, now)) : undefined}${plan}</td>
      <td role="cell" data-label="Last run" class="when">${row.at === undefined ? 'never' : since(row.at, now)}${row.trigger && markup`<small>${row.trigger}</small>`}</td>
    </tr>`;
}

function small(head: string, text: Html | string | undefined): Html | undefined {
  return text === undefined ? undefined : markup`<small><b>${head}</b> ${text}</small>`;
}

function linked({ object }: StatusRow, { path, hasObjects }: Frame): Html | string {
  const title = titleOf(object);
  return hasObjects ? markup`<a href="${pageOfObject(path, object)}">${title}</a>` : title;
}

function openable(
  { state, planSteps, awaitingApproval = 0, problems = 0, drift = 0 }: StatusRow,
  plan: string,
): Html | undefined {
  const parts = [
    ...(planSteps > 0 ? [`${planSteps} ${planSteps === 1 ? 'step' : 'steps'}`] : []),
    ...(awaitingApproval > 0 ? [`${awaitingApproval} waiting for approval`] : []),
    ...(problems > 0 ? [`${problems} ${problems === 1 ? 'problem' : 'problems'}`] : []),
    ...(drift > 0 ? [`${drift} of drift`] : []),
  ];
  if (parts.length === 0) return undefined;
  return markup`<details><summary>${state === 'settled' && planSteps > 0 ? 'Done' : 'Plan'}: ${parts.join(', ')}</summary><pre>${plan}</pre></details>`;
}

const KINDS: Readonly<Record<string, string>> = { service: 'Services', node: 'Nodes', routes: 'Routes' };

/** The form that filters the rows. It is the address of the page, so a filter can be sent to somebody, and needs no script. */
function filters(rows: readonly StatusRow[], found: number, { path, question }: Frame): Html {
  const namespaces = [...new Set(rows.map(namespaceOf))].filter((name) => name !== '').sort();
  const kinds = [...new Set(rows.map(kindOf))].sort();
  const [all, states] = ['all', GROUPS.map((group) => [group, GROUP_NAMES[group]] as const)];
  return markup`<form class="filters" role="search" action="${path}" id="filters">
      <label>Search <input type="search" name="q" value="${question.q}" /></label>
      ${choice('Namespace', 'namespace', question.namespace, [['', all], ...namespaces.map((name) => [name, name] as const)])}
      ${choice('State', 'state', question.state, [['', all], ...states])}
      ${choice('Kind', 'kind', question.kind, [['', all], ...kinds.map((kind) => [kind, KINDS[kind] ?? kind] as const)])}
      <button>Show</button>
      <p role="status">${found} of ${rows.length}</p>
    </form>`;
}

function choice(
  label: string,
  name: string,
  chosen: string,
  options: readonly (readonly [string, string])[],
): Html {
  return markup`<label>${label} <select name="${name}">${options.map(([value, text]) =>
    value === chosen
      ? markup`<option value="${value}" selected>${text}</option>`
      : markup`<option value="${value}">${text}</option>`,
  )}</select></label>`;
}

function pages(page: number, last: number, { path, question }: Frame): Html | undefined {
  if (last === 1) return undefined;
  const to = (target: number, text: string): Html | undefined =>
    target < 1 || target > last
      ? undefined
      : markup`<a href="${pathOfQuestion(path, { ...question, page: target })}">${text}</a>`;
  return markup`<nav class="pages" aria-label="Pages" id="pages">${to(page - 1, 'Previous page')}<span>Page ${page} of ${last}</span>${to(page + 1, 'Next page')}</nav>`;
}
