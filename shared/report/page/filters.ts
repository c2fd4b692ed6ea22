import type { StatusRow } from '../page.ts';
import type { Frame } from './layout.ts';
import { markup, type Html } from './markup.ts';
import { pathOfQuestion, kindOf, namespaceOf } from './question.ts';
import { GROUP_NAMES, GROUPS } from './sync.ts';

const KINDS: Readonly<Record<string, string>> = { service: 'Services', node: 'Nodes', routes: 'Routes' };

/** The form that filters the rows. It is the address of the page, so a filter can be sent to somebody, and needs no script. */
export function filters(rows: readonly StatusRow[], found: number, { path, question }: Frame): Html {
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

/** Links to the other pages; undefined if there is only one. */
export function pages(page: number, last: number, { path, question }: Frame): Html | undefined {
  if (last === 1) return undefined;
  const to = (target: number, text: string): Html | undefined =>
    target < 1 || target > last
      ? undefined
      : markup`<a href="${pathOfQuestion(path, { ...question, page: target })}">${text}</a>`;
  return markup`<nav class="pages" aria-label="Pages" id="pages">${to(page - 1, 'Previous page')}<span>Page ${page} of ${last}</span>${to(page + 1, 'Next page')}</nav>`;
}
