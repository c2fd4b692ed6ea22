import { markup, type Html } from './markup.ts';

/** Longer values are cut on the page: JSON has them whole. */
export const LONG = 300;

export function section(id: string, title: string, content: Html): Html {
  return markup`<section id="${id}" aria-labelledby="head:${id}"><h2 id="head:${id}">${title}</h2>${content}</section>`;
}

/** Rows of an object's page. The first cell names the row. `none` stands in place of an empty table. */
export function table<T>(
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
