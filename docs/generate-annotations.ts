import { writeFileSync } from 'node:fs';
import { ANNOTATIONS } from '../shared/service/intent/annotations.ts';
import type { AnnotationRow } from '../shared/service/intent/annotation-row.ts';
import { REACH } from '../shared/model/load-balancer/reach.ts';
import { defaultOf, removalOf, sinceOf, targetOf } from './annotation-facts.ts';
import { DIALECTS, dialectOf, topicOf, TOPICS } from './annotation-dialects.ts';
import { tableOf } from './markdown-table.ts';

const HEAD = `# Annotations

What a Service may ask for beside its \`spec\`. A value that is not allowed is not applied: the Service's condition and an Event
name it, and the rest of the Service is done. One of \`levelset.openstack.org/\` that is about ports may name one of them, by
number or by name: \`levelset.openstack.org/protocol.443\`; without it, it is for all.

Each row is one thing to ask for. Its annotation may have several spellings, of levelset, of the Go provider
(openstack-cloud-controller-manager) or of kinx; the first that a Service carries counts, and a second that says otherwise is named.
"Default" is what holds without it; words such as \`lb-method\` are options of \`cloud.conf\`. "Since" is the version of the Octavia
API that has it first; on an older one, or where a provider cannot do it, it is left out, and said. In examples words in capitals
stand for ids of your cloud; \`test/scenarios/service/annotations.test.ts\` applies every one of them and takes it away again,
\`test/e2e/annotations.test.ts\` does so on a real cloud.

**Who may edit a Service names things of OpenStack with levelset's rights.** "Refers to" says what; with \`--reach=open\`, the default and
what the Go provider does, it may be anything that the project of \`cloud.conf\` sees, whoever made it. With \`--reach=allowed\` it is only
what \`--allowed-references\` lists for the Service's namespace ([SECURITY.md](../SECURITY.md)); anything else changes nothing, and is said.

Written by \`npm run generate\` from the table in \`shared/service/intent/annotations.ts\`.
`;

const TAIL = `
## Not a wish

Written by controllers: \`loadbalancer.openstack.org/load-balancer-address\`, the address that is published, by levelset and the Go
provider; \`service.beta.kubernetes.io/kinx-load-balancer-id\` by kinx's successor. Any other annotation that begins like those above
and has no row has no effect, and is named on the Service.
`;

const KEYS = [
  '`levelset.openstack.org/`',
  '`loadbalancer.openstack.org/`',
  '`service.beta.kubernetes.io/`',
  '`service.beta.kubernetes.io/kinx-load-balancer-`',
];

const TITLES = ['ask', 'what it does', 'example', 'allowed', 'default', 'when it goes', 'since', 'refers to'];

/** No value is this: every parser says what it would have taken. */
const NOTHING = '\u0000';

/** The whole page. */
export function annotationsPage(): string {
  const sections = TOPICS.flatMap((topic) => {
    const rows = ANNOTATIONS.filter((row) => topicOf(row) === topic);
    return rows.length === 0 ? [] : [`\n## ${topic}\n`, ...tableOf(TITLES, rows.map(cellsOf))];
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
  const target = targetOf(row);
  return [
    `\`${name}\`${target === '' ? '' : ` (\`${target}\`)`}`,
    row.doc,
    `\`${row.example}\``,
    row.orNone ? `${allowed}; empty: none` : allowed,
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
