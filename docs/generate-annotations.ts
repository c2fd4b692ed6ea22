import { writeFileSync } from 'node:fs';
import { ANNOTATIONS } from '../shared/desired/annotations.ts';
import type { AnnotationRow } from '../shared/desired/annotations.ts';
import { REACH } from '../shared/model/reach.ts';

const HEAD = `# Annotations

What a Service may ask for beside its \`spec\`. A value that is not allowed is not applied: the Service's condition and an Event
name it, and the rest of the Service is done. An annotation that is removed is undone, unless its row says that it cannot
change later. One of \`levelset.openstack.org/\` that is about ports may name one of them, by number or by name:
\`levelset.openstack.org/protocol.443\`; without it, it is for all. Of several spellings the first counts.

**Who may edit a Service names things of OpenStack with levelset's rights.** "Refers to" says what; with \`--reach=open\`, the default and
what the Go provider does, it may be anything that the project of \`cloud.conf\` sees, whoever made it. With \`--reach=allowed\` it is only
what \`--allowed-references\` lists for the Service's namespace ([SECURITY.md](../SECURITY.md)); anything else changes nothing, and is said.

Written by \`npm run generate\` from the table in \`shared/desired/annotations.ts\`.
`;

const TAIL = `
Written by levelset, never read as a wish: \`loadbalancer.openstack.org/load-balancer-address\`.
`;

/** No value is this: every parser says what it would have taken. */
const NOTHING = '\u0000';

export function annotationsPage(): string {
  const rows = ANNOTATIONS.map((row): readonly string[] => {
    const parsed = row.parse(NOTHING);
    const allowed = 'allowed' in parsed ? parsed.allowed : 'a comma separated list';
    const sets = isSetting(row) ? '' : `\`${row.on}.${row.sets}\``;
    return [row.names.map((name) => `\`${name}\``).join(' '), sets, row.doc, allowed, reachOf(row)];
  });
  return [HEAD, ...tableOf(['annotation', 'sets', 'what it does', 'allowed', 'refers to'], rows), TAIL].join(
    '\n',
  );
}

/** What it names of others, and without configuration how far. */
function reachOf({ refers }: AnnotationRow): string {
  return refers === undefined ? '' : `${refers} (${REACH[refers]})`;
}

function isSetting({ on }: AnnotationRow): boolean {
  return on === 'Service' || on === 'ServicePort';
}

/** Columns as wide as their widest cell, as the formatter wants them. */
function tableOf(titles: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const widths = titles.map((title, at) =>
    Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  return [line(titles), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)];
}

if (import.meta.main) writeFileSync(new URL('annotations.md', import.meta.url), annotationsPage());
