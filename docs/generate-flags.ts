import { writeFileSync } from 'node:fs';
import { FLAG_TOPICS, type Flag, FLAGS } from '../shared/config/flags.ts';
import { VARIABLES } from '../shared/config/read-flags.ts';
import { NotAllowed } from '../shared/config/read-value.ts';
import { tableOf } from './markdown-table.ts';

const HEAD = `# Flags and variables

Set up \`levelset\` by flags or variables. \`levelset COMMAND --help\` prints the flags, too. A flag with a value has a variable: \`LEVELSET_\` and
its name in capitals, \`LEVELSET_CLUSTER_CIDR\` for \`--cluster-cidr\`. The flag comes before the variable. A value that is not allowed ends the
command: the message names the flag, the value and what is allowed, for all of them at once. A duration has a unit: \`5s\`, \`1m30s\` or \`500ms\`.

A \`<bool>\` is true or false. The last column has marks. **AWS**: the functions on AWS Lambda read the variable. **own**: the flag is about one cluster; if a deployment serves
several, each may have its own value ([clusters.md](clusters.md#the-registry)). **CCM**, **KCM**: the cloud-controller-manager of OpenStack, or
the kube-controller-manager, has a flag of the same name.

[nodes.md](nodes.md) has more about Nodes and routes, [SECURITY.md](../SECURITY.md) about \`--reach\` and tokens.

Written by \`npm run generate\` from the table in \`shared/config/flags.ts\`.
`;

const IGNORED = `levelset takes the other flags of the cloud-controller-manager too (\`functions/cli/go-flags.ts\` lists them). It logs one line for each, which
says why levelset needs none, and goes on. Some have another name here: \`--listen\` is \`--secure-port\` and \`--bind-address\`,
\`--sweep-interval\` is \`--min-resync-period\`, and \`--kubeconfig\` stands for \`--master\`. The others are about the provider, the choice of a
leader (one process always leads), CIDRs of Nodes, the pace of loops and of calls, authentication and authorization (tokens and
\`--client-ca-file\` say who may call), TLS (1.2 or 1.3) and HTTP, webhooks, profiling, metrics, feature gates, and the form of the log (JSON
lines on stdout, warnings and errors on stderr).
`;

const TITLES = ['flag', 'what it sets', 'allowed', 'default', 'commands', 'marks'];

/** Not a value of any kind: every reader but that of a text says what it allows. */
const NOTHING = '\u0000';

/** What stands behind the name of such a flag says what it takes. */
const PLAIN = new Set(['bool', 'duration', 'namespace/name', 'where']);

/** Flags whose help names all that they take. */
const IN_HELP = new Set(['controllers', 'reach', 'drift', 'output']);

const ALL = ['serve', 'sweep', 'reconcile', 'plan', 'drift', 'explain', 'doctor', 'support-bundle', 'adopt'];

/** The whole page. */
export function flagsPage(): string {
  const rows = Object.entries(FLAGS) as readonly (readonly [string, Flag])[];
  const sections = FLAG_TOPICS.flatMap((topic) => [
    `\n## ${topic.charAt(0).toUpperCase()}${topic.slice(1)}\n`,
    ...tableOf(
      TITLES,
      rows.filter(([, flag]) => flag.topic === topic).map(([name, flag]) => cellsOf(name, flag)),
    ),
  ]);
  const variables = Object.entries(VARIABLES).map(([name, text]) => [`\`${name}\``, text]);
  return [
    HEAD.trimEnd(),
    ...sections,
    '\n## Variables without a flag\n',
    'cloud.conf, clouds.yaml and the `OS_*` variables of the openstack client say how to reach OpenStack.\n',
    ...tableOf(['variable', 'what it is'], variables),
    '\n## Flags of the Go program that levelset ignores\n',
    IGNORED,
  ].join('\n');
}

function cellsOf(name: string, flag: Flag): readonly string[] {
  const short = flag.short === undefined ? '' : `\`-${flag.short}\`, `;
  const value = flag.value === undefined ? '' : ` <${flag.value}>`;
  const all = ALL.every((command) => flag.commands.some((own) => own === command));
  return [
    `${short}\`--${name}${value}\``,
    flag.help,
    PLAIN.has(flag.value ?? '') || IN_HELP.has(name) ? '' : allowedBy(flag),
    flag.without ?? (flag.default ? `\`${flag.default}\`` : flag.default === '' ? 'none' : ''),
    (all ? ['all', ...flag.commands.filter((own) => !ALL.includes(own))] : flag.commands).join(', '),
    [...(flag.lambda ? ['AWS'] : []), ...(flag.cluster ? ['own'] : []), ...(flag.go ? [flag.go] : [])].join(
      ', ',
    ),
  ];
}

function allowedBy({ read }: Flag): string {
  const result = read?.(NOTHING);
  return result instanceof NotAllowed ? result.allowed.replace(/^one of /, '') : '';
}

if (import.meta.main) writeFileSync(new URL('flags.md', import.meta.url), flagsPage());
