import { program } from '../../functions/cli/program.ts';
import { FLAGS } from '../../shared/config/flags.ts';
import { tableOf } from '../markdown-table.ts';

const HEAD = `# Commands

\`levelset COMMAND --help\` prints the same, with what each flag does; [flags](../flags.md) has all flags with their variables.

An object is \`service/NAMESPACE/NAME\`, \`node/NAME\`, \`routes\`, \`namespace/NAME\`, \`nodeset\` or \`all\`; the last three mean "what a sweep finds there".

${tableOf(
  ['exit code of `sweep` and `reconcile`', 'means'],
  [
    ['0', 'nothing is left to do'],
    ['2', 'something is still progressing, members drain, or a `sweep` changed Nodes: run it again'],
    [
      '1',
      'something failed or could not be read, or the command or its configuration is wrong; for `reconcile` also: an object is blocked',
    ],
  ],
).join('\n')}

A blocked Service, which waits for its owner to correct it, fails no \`sweep\`. \`plan\` and dry runs end with 0 however much there is to do, and
with 1 when levelset could not make a plan; so does \`gc\`, which ends with 1 also when it refuses, and with 2 while load balancers go.

Written by \`npm run generate\` from \`functions/cli/program.ts\` and \`shared/config/flags.ts\`.
`;

/** The whole page. */
export function commandsPage(): string {
  const commands = program({}, ignoreExit).commands;
  const rows = commands.map((command) => [
    `\`${[command.name(), command.usage().replace('[options]', '').trim()].join(' ').trim()}\``,
    command.description(),
    flagsOf(command.name()),
  ]);
  return [HEAD, ...tableOf(['`levelset ...`', 'what it does', 'its own flags'], rows), ''].join('\n');
}

/** The flags that at most three commands have. */
function flagsOf(command: string): string {
  return Object.entries(FLAGS)
    .filter(([, flag]) => flag.commands.length <= 3 && flag.commands.some((name) => name === command))
    .map(([name]) => `\`--${name}\``)
    .join(' ');
}

function ignoreExit(): undefined {
  return undefined;
}
