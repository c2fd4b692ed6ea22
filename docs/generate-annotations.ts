import { writeFileSync } from 'node:fs';
import { allowedBy } from '../infra/kubernetes/admission-policy.ts';
import { ANNOTATION_TOPICS } from '../shared/model/attributes/attribute-row.ts';
import { ANNOTATIONS, NEEDS, type AnnotationRow } from '../shared/service/intent/annotations.ts';
import { REACH } from '../shared/model/load-balancer/reach-and-limits.ts';
import { defaultOf, removalOf, sinceOf } from './annotation-facts.ts';
import { tableOf } from './markdown-table.ts';

const HEAD = `# Annotations

Set up the load balancer of one Service by its annotations. levelset names a wrong value in the Service's condition and in an Event.

- Where a setting has several spellings, levelset's, OCCM's and kinx's, the first one that a Service carries counts; levelset names a second one
  with another value.
- An annotation of \`levelset.openstack.org/\` that is about ports may name one port, by number or by name:
  \`levelset.openstack.org/protocol.443\`. Otherwise it is for all ports.
- **A wrong value** blocks, unless its section says otherwise: nothing of the Service changes but its members, and a new Service
  gets no load balancer. "The default counts": as if the annotation were not there.
- **Needs**: what the annotation takes to have an effect. The condition names an annotation that no port uses. "Octavia 2.6" is the first
  version of the API that has it, "not ovn" a provider that never has it. There levelset ignores the annotation and says so.
- **Without it**: what holds then. Words such as \`lb-method\` are options of [cloud.conf](reference/cloud-conf.md). The removal of an annotation
  brings this back, or else Octavia's default, unless its section says otherwise.
- **Refers to**: what the value names in OpenStack. Whoever may edit a Service names it with levelset's rights. With \`--reach=open\`, the
  default and OCCM's behaviour, that is anything that the project of \`cloud.conf\` sees. With \`--reach=allowed\`, and for what says "allowed",
  it is only what \`--allowed-references\` lists for the Service's namespace ([SECURITY.md](../SECURITY.md#who-may-name-what)); anything else
  blocks the Service.
- Booleans may have capitals and spaces, unless their section says exactly. An empty value of another controller's annotation counts as absent,
  unless its section says otherwise.

Written by \`npm run generate\` from the tables in \`shared/model/attributes/\` and \`shared/service/intent/annotations.ts\`.
`;

const TAIL = `
## Annotations that controllers write

levelset and OCCM write \`loadbalancer.openstack.org/load-balancer-address\`, the address that is published; kinx's successor
writes \`service.beta.kubernetes.io/kinx-load-balancer-id\`. Neither sets anything. Any other annotation that begins like those above and
has no section has no effect; the condition names it.
`;

const UNREADABLE: Readonly<Record<AnnotationRow['unreadable'], string>> = {
  blocks: '',
  default: 'the default counts',
  last: 'the last one read counts; without one it blocks',
};

/** What all annotations of a topic need, where their sections say only its name. */
const NEEDED: Partial<Record<AnnotationRow['topic'], string>> = {
  protocol: 'A port reads HTTP requests with `protocol` http, or with a certificate.',
  tls: 'A port terminates TLS if `tls-container-refs` or `tls-secret` gives it a certificate.',
  monitor:
    'Health checks of members are on with `enable-health-monitor`. A health check over HTTP is one of `monitor-type` HTTP or HTTPS, but not the one of kube-proxy that `externalTrafficPolicy: Local` brings.',
};

/** What such a section says. */
const NEEDS_SHORTLY: Readonly<Record<keyof typeof NEEDS, string>> = {
  ...NEEDS,
  tls: 'a port that terminates TLS',
  check: 'health checks of members',
  'http-check': 'a health check over HTTP',
  requests: 'a port that reads HTTP requests',
};

/** Values that need no example. */
const PLAIN =
  /^(?:one of |true or false|true, v1|the UUID|a whole number|1\.0 or|the id or the address|30\d|a path such as|a DNS name such as)/;

/** The whole page. */
export function annotationsPage(): string {
  const topics = Object.entries(ANNOTATION_TOPICS).map(([topic, title]) => ({
    title,
    needed: NEEDED[topic as AnnotationRow['topic']],
    rows: ANNOTATIONS.filter((row) => row.topic === topic),
  }));
  const links = topics.map(({ title, rows }) => [
    title,
    rows.map(({ names: [name = ''] }) => linkTo(name)).join(' '),
  ]);
  const sections = topics.flatMap(({ title, needed, rows }) => [
    `## ${title}`,
    ...(needed === undefined ? [] : [needed]),
    ...rows.map(sectionOf),
  ]);
  return [
    HEAD.trimEnd(),
    tableOf(['about', 'annotations'], links).join('\n'),
    ...sections,
    TAIL.trimStart(),
  ].join('\n\n');
}

/** The anchor is the heading's as a forge makes it. */
function linkTo(name: string): string {
  const short = name.slice(name.indexOf('/') + 1).replace('kinx-load-balancer-', '');
  return `[${short}](#${name.replaceAll(/[./]/g, '')})`;
}

/** A long text about values once: where it comes again, a link to the first annotation that has it. */
function asAbove(row: AnnotationRow): string | undefined {
  const allowed = allowedBy(row);
  const first = ANNOTATIONS.find((other) => allowedBy(other) === allowed);
  const isLong = allowed.split(' ').length > 20;
  return isLong && first && first !== row ? `those of ${linkTo(first.names[0] ?? '')}.` : undefined;
}

function sectionOf(row: AnnotationRow): string {
  const allowed = allowedBy(row) || 'a comma separated list';
  const [name, ...others] = row.names;
  const example = PLAIN.test(allowed) ? '' : ` For example \`${row.example}\`.`;
  const facts = {
    'Also spelled': others.map((other) => `\`${other}\``).join(', '),
    Sets: row.becomes === undefined ? '' : `\`${row.becomes}\``,
    Values: asAbove(row) ?? `${shortly(row.orNone ? `${allowed}; empty: none` : allowed)}.${example}`,
    'A wrong value': UNREADABLE[row.unreadable],
    Needs: [...row.needs.slice(-1).map((need) => NEEDS_SHORTLY[need]), sinceOf(row)]
      .filter((text) => text !== '')
      .join('; '),
    'Without it': defaultOf(row),
    'When it is removed': removalOf(row),
    'Refers to': reachOf(row),
  };
  const lines = Object.entries(facts).filter(([, text]) => text !== '');
  return [`### \`${name}\``, '', row.doc, '', ...lines.map(([title, text]) => `- ${title}: ${text}`)].join(
    '\n',
  );
}

/** As a table says it, where a message about one value says more. */
function shortly(allowed: string): string {
  return allowed
    .replace(/^a comma-separated list, each (one of )?/, 'with commas between: ')
    .replace(/^one of /, '')
    .replaceAll('the UUID of a resource', 'a UUID');
}

/** What it names of others, and without configuration how far. */
function reachOf({ refers }: AnnotationRow): string {
  return refers === undefined ? '' : `${refers} (${REACH[refers]})`;
}

if (import.meta.main) writeFileSync(new URL('annotations.md', import.meta.url), annotationsPage());
