import { OPTIONS, type Option } from '../../shared/config/cloud-conf/options.ts';
import { NotAllowed } from '../../shared/config/read-value.ts';
import { tableOf } from '../markdown-table.ts';

const HEAD = `# cloud.conf

The file that OCCM reads, option by option. Every key is here. levelset reads it from
\`--cloud-config\`; without the file it reads clouds.yaml (\`OS_CLOUD\`) or the \`OS_*\` variables of the openstack client.

- **works**: levelset does what OCCM does with it.
- **ignored**: levelset takes the key; where it is not the default, the log says that it has no effect.
- **refused**: levelset does not start, and names the file, the line and what to give in its place.

Sections and keys may be in capitals or not, and values in double quotes; \`;\` and \`#\` begin comments, and a key without \`=\` is true. levelset
ignores a key that nobody knows and logs its line, with the key that may be meant. A value that is not allowed ends the command.
An annotation of a Service comes before [LoadBalancerClass], and that before [LoadBalancer]; [annotations](../annotations.md) names
the option that each stands above.

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
  const sections = Object.entries(OPTIONS).flatMap(([section, options]) => [
    `\n## [${section}${section === 'LoadBalancerClass' ? ' "name"' : ''}]\n`,
    ...tableOf(
      ['option', 'what it sets', 'allowed', 'default', 'levelset'],
      Object.entries<Option>(options).map(([key, { doc, read, default: otherwise = '', ...row }]) => [
        `\`${key}\``,
        doc,
        allowedBy(read(NOTHING)),
        otherwise === '' ? '' : `\`${otherwise}\``,
        workOf(row),
      ]),
    ),
  ]);
  return [HEAD.trimEnd(), ...sections, OF_OTHERS].join('\n');
}

function allowedBy(result: unknown): string {
  return result instanceof NotAllowed ? result.allowed : '';
}

function workOf({ ignored, refused }: Pick<Option, 'ignored' | 'refused'>): string {
  if (refused !== undefined) return `refused: ${refused}`;
  return ignored === undefined ? 'works' : `ignored: ${ignored}`;
}
