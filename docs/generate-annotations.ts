import { writeFileSync } from 'node:fs';
import { ANNOTATION_TOPICS } from '../shared/model/attributes/attribute-row.ts';
import { ANNOTATIONS, NEEDS, type AnnotationRow } from '../shared/service/intent/annotations.ts';
import { REACH } from '../shared/model/load-balancer/reach.ts';
import { defaultOf, removalOf, sinceOf } from './annotation-facts.ts';
import { tableOf } from './markdown-table.ts';

const HEAD = `# Annotations

Set up the load balancer of one Service by its annotations. levelset names a wrong value in the Service's condition and in an Event.

- Each row is one setting, with all its spellings: levelset's, OCCM's (openstack-cloud-controller-manager) and kinx's. The first spelling that a
  Service carries counts; levelset names a second one with another value.
- An annotation of \`levelset.openstack.org/\` that is about ports may name one port, by number or by name:
  \`levelset.openstack.org/protocol.443\`. Otherwise it is for all ports.
- **A value that cannot be read** opens no more than was asked for. "blocks": nothing of the Service changes but its members, and a new Service
  gets no load balancer.
- **Needs** is what an annotation takes to have an effect. The condition names an annotation that no port uses. "Octavia 2.6" is the first
  version of the API that has it, "not ovn" a provider that never has it. There levelset ignores the annotation and says so.
- **Without it**: what holds without the annotation (words such as \`lb-method\` are options of [cloud.conf](reference/cloud-conf.md)), and what
  becomes of the value when the annotation is removed.
- **Refers to** is what the annotation names in OpenStack. Whoever may edit a Service names it with levelset's rights. With \`--reach=open\`, the
  default and OCCM's behaviour, that is anything that the project of \`cloud.conf\` sees. With \`--reach=allowed\`, and for what says "allowed",
  it is only what \`--allowed-references\` lists for the Service's namespace ([SECURITY.md](../SECURITY.md#who-may-name-what)); anything else
  blocks the Service.
- Booleans may have capitals and spaces, unless their row says exactly. An empty value of another controller's annotation counts as absent, unless
  its row says otherwise. In examples words in capitals stand for ids of your cloud.

Written by \`npm run generate\` from the tables in \`shared/model/attributes/\` and \`shared/service/intent/annotations.ts\`.
`;

const TAIL = `
## Annotations that controllers write

levelset and OCCM write \`loadbalancer.openstack.org/load-balancer-address\`, the address that is published; kinx's successor
writes \`service.beta.kubernetes.io/kinx-load-balancer-id\`. Neither sets anything. Any other annotation that begins like those above and
has no row has no effect; the condition names it.
`;

const TITLES = [
  'annotation',
  'what it does',
  'allowed',
  'example',
  'a value that cannot be read',
  'needs',
  'without it; when it is removed',
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
  return [HEAD.trimEnd(), ...sections, TAIL].join('\n');
}

function cellsOf(row: AnnotationRow): readonly string[] {
  const parsed = row.parse(NOTHING);
  const allowed = 'allowed' in parsed ? parsed.allowed : 'a comma separated list';
  const target = row.becomes;
  const names = row.names.map((name) => `\`${name}\``).join(', ');
  const since = sinceOf(row);
  const needs = row.needs.map((need) => NEEDS[need]);
  return [
    `${names}${target === undefined ? '' : ` (\`${target}\`)`}`,
    row.doc,
    shortly(row.orNone ? `${allowed}; empty: none` : allowed),
    `\`${row.example}\``,
    UNREADABLE[row.unreadable],
    [...needs, ...(since === '' ? [] : [since])].join('; '),
    [defaultOf(row), removalOf(row)].filter((text) => text !== '').join('; '),
    reachOf(row),
  ];
}

/** As a table says it, where a message about one value says more. */
function shortly(allowed: string): string {
  return allowed
    .replaceAll('a comma separated list of: ', 'with commas between: ')
    .replaceAll('the UUID of a resource', 'a UUID');
}

/** What it names of others, and without configuration how far. */
function reachOf({ refers }: AnnotationRow): string {
  return refers === undefined ? '' : `${refers} (${REACH[refers]})`;
}

if (import.meta.main) writeFileSync(new URL('annotations.md', import.meta.url), annotationsPage());
