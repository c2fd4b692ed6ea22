import { printable, quote } from '../../model/text/text.ts';
import type { StatusRow } from '../page.ts';
import { since, actor, health, next, sync, titleOf, why, groupOf, GROUP_NAMES, healthOf } from './cells.ts';
import { markup, type Html } from './markup.ts';
import { BARE, pathAbove, renderDocument, warning, type Frame } from './layout.ts';
import type { ObjectView, TreePart, ObjectDetails } from './object-view.ts';
import type { ComparedAttribute, ComparedResource } from '../../plan/compare-and-plan.ts';

/** Longer values are cut on the page: JSON has them whole. */
const LONG = 300;

/** The page of one object: what is wrong, since when, why, who must act and what comes next; then everything that is known of it. */
export function renderObjectPage(view: ObjectView, frame: Frame = BARE): string {
  const now = Date.parse(view.generatedAt);
  const { row, details, runs } = view;
  const title = titleOf(row.object);
  return renderDocument(
    {
      title: `${groupOf(row) === 'person' ? '(!) ' : ''}${title} · levelset: ${view.cluster}`,
      generatedAt: view.generatedAt,
      header: markup`<h1><a href="${pathAbove(frame.path)}">levelset ${view.cluster}</a> <span class="cluster">${title}</span></h1>
          <p class="counts"><span class="${groupOf(row)}"><b>${GROUP_NAMES[groupOf(row)]}</b></span></p>`,
      main: markup`${view.notListed === undefined ? undefined : warning(`Services and Nodes cannot be listed, so the state below is an old one: ${view.notListed}`)}
        ${view.notRead === undefined ? undefined : warning(`levelset cannot look at the object now: ${view.notRead}`)}
        ${answers(row, now)}
        ${commands(view)}
        ${details?.tree && section('tree', 'On the load balancer', markup`<ul class="tree" role="list">${tree(details.tree)}</ul>`)}
        ${details && section('compared', 'Desired beside live', comparison(details, now))}
        ${section('plan', 'Plan', markup`<pre>${details?.plan ?? row.plan ?? 'levelset has made no plan for it since its start.'}</pre>`)}
        ${section('runs', 'Runs of this process', runsTable(runs, now))}
        ${details && section('values', 'Why each value is what it is', valuesTable(details))}`,
    },
    frame,
  );
}

function answers(row: StatusRow, now: number): Html {
  const seen = row.since === undefined ? 'levelset has seen no change since its start' : undefined;
  const facts: readonly (readonly [string, Html | string | undefined])[] = [
    ['Serving', health(row, now)],
    ['As desired', markup`${sync(row, now)}${row.address && markup`<small>at ${row.address}</small>`}`],
    ['Since', row.since === undefined ? seen : since(row.since, now)],
    ['Why', why(row)],
    ['Who must act', actor(row) ?? 'nobody'],
    ['Next', next(row, now)],
    ['Last run', row.at === undefined ? 'none in this process' : since(row.at, now)],
  ];
  return markup`<dl class="answers ${groupOf(row)}" id="answers">${facts.map(([name, text]) => markup`<div><dt>${name}</dt><dd>${text}</dd></div>`)}</dl>`;
}

function commands({ row: { object }, details }: ObjectView): Html {
  const [kind, namespace = '', name = ''] = object.split('/');
  const subject = kind === 'service' ? `-n ${namespace} service ${name}` : `node ${namespace}`;
  const approve =
    details?.approve === undefined
      ? []
      : [
          `kubectl annotate --overwrite ${subject} levelset.openstack.org/approve=${details.approve}  # approves what the plan below shows as waiting`,
        ];
  const describe = object === 'routes' ? [] : [`kubectl describe ${subject}  # its Events`];
  const lines = [
    `levelset plan ${object}  # dry run`,
    `levelset reconcile ${object} --server-url URL  # once more now`,
    ...describe,
  ];
  return section('commands', 'To do it yourself', markup`<pre>${[...approve, ...lines].join('\n')}</pre>`);
}

function runsTable(runs: ObjectView['runs'], now: number): Html {
  return table('Runs', ['When', 'Cause', 'Ended as', 'Did', 'Calls', 'Took'], 'none yet', runs, (run) => [
    since(run.at, now),
    markup`${run.trigger}${run.cause && markup`<small><code>${run.cause}</code></small>`}`,
    markup`${run.state}${run.code && markup` <code>${run.code}</code>`}<small>${run.reason}</small>`,
    run.did,
    markup`${run.calls}${run.failedRequestIds.map((id) => markup`<small>failed: <code>${id}</code></small>`)}`,
    `${run.durationMs} ms`,
  ]);
}

function valuesTable({ values, ignored }: NonNullable<ObjectView['details']>): Html {
  return markup`${table('Values', ['Setting', 'Value', 'Set by'], 'none', values, (one) => [
    markup`${one.setting}${one.port === undefined ? undefined : markup`<small>port ${one.port}</small>`}`,
    markup`<code>${one.value.slice(0, LONG)}</code>`,
    one.setBy,
  ])}
    ${
      ignored.length === 0
        ? undefined
        : markup`<h3>What has no effect</h3>${table(
            'What has no effect',
            ['Field', 'Value', 'Why'],
            '',
            ignored,
            (one) => [printable(one.field), markup`<code>${quote(one.value)}</code>`, printable(one.message)],
          )}`
    }`;
}

/** One part of a load balancer with what is below it. What does not serve stands first, so that nobody looks for it. */
function tree(part: TreePart): Html {
  const { kind, title, operatingStatus, provisioningStatus, others, parts } = part;
  const health = healthOf({ operatingStatus });
  const settled = provisioningStatus === 'ACTIVE' ? undefined : markup` <b>${provisioningStatus}</b>`;
  const below = [...parts].sort((a, b) => rank(a) - rank(b));
  return markup`<li><span class="kind">${kind}</span> ${title}
      <span class="health ${health}">${operatingStatus ?? 'not told'}</span>${settled}${others && markup` <small>not this Service's</small>`}
      ${below.length > 0 ? markup`<ul role="list">${below.map(tree)}</ul>` : undefined}</li>`;
}

const RANKS = ['down', 'degraded', 'none', 'serving'] as const;

function rank({ operatingStatus }: TreePart): number {
  return RANKS.indexOf(healthOf({ operatingStatus }));
}

const WORDS: Readonly<Record<ComparedResource['state'], string>> = {
  differs: 'differs',
  missing: 'is missing',
  'live only': 'is there, and not desired',
  same: 'as desired',
};

const ORDER = Object.keys(WORDS);

/** What levelset sets beside what is there, with the differences first and open. */
function comparison({ at, notCompared, resources }: ObjectDetails, now: number): Html {
  if (notCompared !== undefined) return markup`<p>${notCompared}.</p>`;
  const sorted = [...resources].sort((a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state));
  const same = sorted.filter(({ state }) => state === 'same').length;
  return markup`<p>${same} of ${resources.length} as desired, read ${since(at, now)}.</p>${sorted.map(resource)}`;
}

function resource({ address, id, state, attributes }: ComparedResource): Html {
  const head = markup`<code>${address}</code> <span class="compared ${state === 'same' ? 'same' : 'other'}">${WORDS[state]}</span>${id && markup` <small>${id}</small>`}`;
  const body = table(
    `Attributes of ${address}`,
    ['Attribute', 'Desired', 'Live'],
    'levelset sets nothing on it',
    attributes,
    cells,
    classOf,
  );
  return state === 'differs'
    ? markup`<details id="compared:${address}" open><summary>${head}</summary>${body}</details>`
    : markup`<details id="compared:${address}"><summary>${head}</summary>${body}</details>`;
}

function cells({ attribute, desired, live, differs }: ComparedAttribute): readonly (Html | string)[] {
  return [
    attribute,
    markup`<code>${desired.slice(0, LONG)}</code>`,
    live === undefined
      ? markup`<span class="none">none</span>`
      : markup`<code>${live.slice(0, LONG)}</code>${differs ? markup` <b>differs</b>` : undefined}`,
  ];
}

function classOf({ differs }: ComparedAttribute): string {
  return differs ? 'warned' : 'plain';
}

function section(id: string, title: string, content: Html): Html {
  return markup`<section id="${id}" aria-labelledby="head:${id}"><h2 id="head:${id}">${title}</h2>${content}</section>`;
}

function table<T>(
  label: string,
  heads: readonly string[],
  none: string,
  rows: readonly T[],
  cellsOf: (row: T) => readonly (Html | string)[],
  classOf: (row: T) => string = () => 'plain',
): Html {
  if (rows.length === 0) return markup`<p class="none">${none}</p>`;
  return markup`<table role="table" aria-label="${label}">
    <thead role="rowgroup"><tr role="row">${heads.map((head) => markup`<th scope="col" role="columnheader">${head}</th>`)}</tr></thead>
    <tbody role="rowgroup">${rows.map((row) => markup`<tr role="row" class="${classOf(row)}">${cellsOf(row).map((content, at) => cell(content, at, heads[at] ?? ''))}</tr>`)}</tbody>
  </table>`;
}

function cell(content: Html | string, at: number, head: string): Html {
  return at === 0
    ? markup`<th scope="row" role="rowheader">${content}</th>`
    : markup`<td role="cell" data-label="${head}">${content}</td>`;
}
