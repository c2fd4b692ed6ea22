import { OPTIONS, type Option } from '../../shared/config/cloud-conf/options.ts';
import { NotAllowed } from '../../shared/config/read-value.ts';
import { tableOf } from '../markdown-table.ts';

const HEAD = `# cloud.conf

Write the file that OCCM reads: here is every key. levelset reads it from \`--cloud-config\`; without the file it reads clouds.yaml (\`OS_CLOUD\`)
or the \`OS_*\` variables of the openstack client. levelset does with an option what OCCM does, unless the option says:

- **ignored**: levelset takes the key. If the value is not the default, the log says that it has no effect.
- **refused**: levelset does not start, and names the file, the line and what to give in its place.

Sections and keys may be in capitals or not, and values in double quotes; \`;\` and \`#\` begin comments, and a key without \`=\` is true. levelset
ignores an unknown key and logs its line, with the key that may be meant. A value that is not allowed ends the command. A boolean is true, yes,
on, 1, false, no, off or 0. A duration has a unit: 5s, 1m30s or 500ms. An annotation of a Service comes before [LoadBalancerClass], and that
before [LoadBalancer]; [annotations](../annotations.md) names the option of each.

Written by \`npm run generate\` from \`shared/config/cloud-conf/options.ts\`.
`;

const OF_OTHERS = `
## [BlockStorage]

For the storage drivers of cloud-provider-openstack. levelset does not read it, and says nothing about it.
`;

/** Not a value of any kind: every reader but that of a text says what it allows. */
const NOTHING = '\u0000';

/** The whole page. */
export function cloudConfPage(): string {
  const sections = Object.entries(OPTIONS).flatMap(([section, options]) => {
    if (section === 'LoadBalancerClass') return ['', ofClasses(Object.keys(options))];
    const entries = Object.entries<Option>(options);
    const rows = entries.map(([key, { doc, read, default: otherwise = '', ...row }], at) => [
      `\`${key}\``,
      `${doc}${exceptionOf(row, entries[at - 1]?.[1].refused)}`,
      allowedBy(read(NOTHING)),
      otherwise === '' ? '' : `\`${otherwise}\``,
    ]);
    return [`\n## [${section}]\n`, ...tableOf(['option', 'what it sets', 'allowed', 'default'], rows)];
  });
  return [HEAD.trimEnd(), ...sections, OF_OTHERS].join('\n');
}

function allowedBy(result: unknown): string {
  if (!(result instanceof NotAllowed)) return '';
  return result.allowed
    .replace('true, yes, on, 1, false, no, off or 0', 'a boolean')
    .replace('a duration with a unit, such as 5s, 1m30s or 500ms', 'a duration')
    .replace('the UUID of a resource', 'a UUID')
    .replace(/; did you mean .*/, '');
}

/** Options of a class that mean what they mean in [LoadBalancer]. */
function ofClasses(keys: readonly string[]): string {
  const list = keys.map((key) => `\`${key}\``).join(', ');
  return `## [LoadBalancerClass "name"]\n\nWhat it sets comes before [LoadBalancer], for Services that name the class. Its options are those of [LoadBalancer]: ${list}.`;
}

function exceptionOf({ ignored, refused }: Pick<Option, 'ignored' | 'refused'>, above?: string): string {
  if (refused !== undefined && refused === above) return '; **refused** as above';
  if (refused !== undefined) return `; **refused**: ${refused}`;
  return ignored === undefined ? '' : `; **ignored**: ${ignored}`;
}
