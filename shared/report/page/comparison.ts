import type { ComparedAttribute, ComparedResource } from '../../plan/compare-all.ts';
import { since } from './ages.ts';
import { markup, type Html } from './markup.ts';
import type { Look } from './object-view.ts';
import { LONG, table } from './sections.ts';

const WORDS: Readonly<Record<ComparedResource['state'], string>> = {
  differs: 'differs',
  missing: 'is missing',
  'live only': 'is there, and not desired',
  same: 'as desired',
};

const ORDER = Object.keys(WORDS);

/** What levelset sets beside what is there, with the differences first and open. */
export function comparison({ at, notCompared, resources }: Look, now: number): Html {
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
