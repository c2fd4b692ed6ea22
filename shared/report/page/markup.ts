/** Text that is HTML already. */
export interface Html {
  readonly html: string;
}

type Part = Html | string | number | undefined | readonly Part[];

/** A tagged template that escapes every value but its own results. Undefined becomes no text. */
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
