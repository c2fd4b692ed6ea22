import { writeFileSync } from 'node:fs';
import { ANNOTATION_TOPICS } from '../shared/model/attributes/attribute-row.ts';
import { ANNOTATIONS, NEEDS } from '../shared/service/intent/annotations.ts';
import type { AnnotationRow } from '../shared/service/intent/annotations.ts';
import { REACH } from '../shared/model/load-balancer/reach.ts';
import { defaultOf, removalOf, sinceOf } from './annotation-facts.ts';
import { DIALECTS, dialectOf } from './annotation-dialects.ts';
import { tableOf } from './markdown-table.ts';

const HEAD = `# Annotations

What a Service may set in addition to its \`spec\`. levelset names a value that is not allowed in the Service's condition and in an Event.
What it does then is in the column "a value that cannot be read", and opens no more than what was asked for. "blocks": the Service stays as it
is, but for its members, which follow the Nodes; a new one gets no load balancer (decision 430). An annotation of
\`levelset.openstack.org/\` that is about ports may name one port, by number or by name: \`levelset.openstack.org/protocol.443\`. Without
that it is for all ports. Booleans may have capitals and spaces, unless their row says exactly. An empty value of another
controller's annotation is as if it were not there, unless its row says what it is.

Each row is one setting. Its annotation may have several spellings: levelset's, OCCM's
(openstack-cloud-controller-manager) and kinx's. The first one that a Service carries counts; levelset names a second one with another
value. "Default" is what holds without the annotation; words such as \`lb-method\` are options of \`cloud.conf\`. "Needs" is what an
annotation takes to have an effect; the condition names one that no port uses. "Since" is the first version of
the Octavia API that has it; on an older one, or where the provider cannot do it, levelset ignores it and says so. In examples words
in capitals stand for ids of your cloud. \`test/scenarios/service/annotations.test.ts\` applies each example and removes it again,
\`test/e2e/service/annotations.test.ts\` does so on a real cloud.

**Who may edit a Service names things of OpenStack with levelset's rights.** "Refers to" says what. With \`--reach=open\`, the default and
OCCM's behaviour, that is anything that the project of \`cloud.conf\` sees, whoever made it. With \`--reach=allowed\` it is only
what \`--allowed-references\` lists for the Service's namespace ([SECURITY.md](../SECURITY.md)); anything else blocks the Service.

Written by \`npm run generate\` from the tables in \`shared/model/attributes/\` and \`shared/service/intent/annotations.ts\`.
`;

const TAIL = `
## Annotations that controllers write

levelset and OCCM write \`loadbalancer.openstack.org/load-balancer-address\`, the address that is published; kinx's successor
writes \`service.beta.kubernetes.io/kinx-load-balancer-id\`. Neither sets anything. Any other annotation that begins like those above and
has no row has no effect; the condition names it.
`;

const KEYS = [
  '`levelset.openstack.org/`',
  '`loadbalancer.openstack.org/`',
  '`service.beta.kubernetes.io/`',
  '`service.beta.kubernetes.io/kinx-load-balancer-`',
];

const TITLES = [
  'annotation',
  'what it does',
  'example',
  'allowed',
  'a value that cannot be read',
  'needs',
  'default',
  'when it is removed',
  'since',
  'refers to',
];

const UNREADABLE: Readonly<Record<AnnotationRow['unreadable'], string>> = {
  blocks: 'blocks',
  default: 'the default counts',
  last: 'the last one read counts; none: blocks',
};

/** No value is this: every parser says what it would have taken. */
const NOTHING = '\u0000';

/** The whole page. */
export function annotationsPage(): string {
  const sections = Object.entries(ANNOTATION_TOPICS).flatMap(([topic, title]) => {
    const rows = ANNOTATIONS.filter((row) => row.topic === topic);
    return [`\n## ${title}\n`, ...tableOf(TITLES, rows.map(cellsOf))];
  });
  return [HEAD, '## Side by side\n', ...tableOf(KEYS, ANNOTATIONS.map(spellings)), ...sections, TAIL].join(
    '\n',
  );
}

/** One cell for each dialect that has a spelling of it. */
function spellings({ names }: AnnotationRow): readonly string[] {
  return DIALECTS.map((dialect) =>
    names
      .filter((name) => dialectOf(name) === dialect)
      .map((name) => `\`${name.slice(dialect.length)}\``)
      .join(' '),
  );
}

function cellsOf(row: AnnotationRow): readonly string[] {
  const parsed = row.parse(NOTHING);
  const allowed = 'allowed' in parsed ? parsed.allowed : 'a comma separated list';
  const [name = ''] = row.names;
  const target = row.becomes;
  return [
    `\`${name}\`${target === undefined ? '' : ` (\`${target}\`)`}`,
    row.doc,
    `\`${row.example}\``,
    row.orNone ? `${allowed}; empty: none` : allowed,
    UNREADABLE[row.unreadable],
    row.needs.map((need) => NEEDS[need]).join('; '),
    defaultOf(row),
    removalOf(row),
    sinceOf(row),
    reachOf(row),
  ];
}

/** What it names of others, and without configuration how far. */
function reachOf({ refers }: AnnotationRow): string {
  return refers === undefined ? '' : `${refers} (${REACH[refers]})`;
}

if (import.meta.main) writeFileSync(new URL('annotations.md', import.meta.url), annotationsPage());
