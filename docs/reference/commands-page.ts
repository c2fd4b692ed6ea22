import { program } from '../../functions/cli/program.ts';
import { tableOf } from '../markdown-table.ts';

/** What the exit codes of each command mean. */
export const EXIT_CODES: readonly (readonly [command: string, ...means: string[]])[] = [
  [
    '`sweep`',
    'nothing is left to do; blocked Services wait',
    'something failed or could not be read',
    'something is progressing, or Nodes were changed: run it again',
  ],
  [
    '`reconcile`',
    'nothing is left to do',
    'something failed or could not be read; an object is blocked, or is not there; a namespace is not there',
    'something is progressing',
  ],
  [
    '`plan`, `support-bundle`, `replay`',
    'planned, however much there is to do',
    'something could not be planned or read; an object is blocked, or is not there; a namespace is not there; with `--detailed-exitcode` too',
    'with `--detailed-exitcode`: there are changes',
  ],
  [
    '`drift`',
    'no drift',
    'something could not be read; an object or a namespace is not there',
    'there is drift',
  ],
  ['`explain`', 'explained', 'a Service is not there, or could not be read', ''],
  ['`lint`', 'no mistake', 'a mistake; a folder without manifests', ''],
  [
    '`gc`',
    'listed, planned or done',
    'refused, failed, or could not be read',
    'load balancers are still being deleted',
  ],
  ['`doctor`', 'no failure; warnings do not count', 'a failure', ''],
  [
    '`adopt --report`',
    'levelset would write no more than tags',
    'a problem, or something could not be read',
    'changes are pending',
  ],
  ['`serve`, `sandbox`', 'stopped by a signal', 'it could not begin', ''],
  ['`version`', 'printed', '', ''],
];

const HEAD = `# Commands

Find the command, and what its exit code means. \`levelset COMMAND --help\` prints its flags; [flags](../flags.md) has all of them.

An object is \`service/NAMESPACE/NAME\`, \`node/NAME\`, \`routes\`, \`namespace/NAME\`, \`nodeset\` or \`all\`; the last three mean what a sweep finds there.

${tableOf(['command', '0', '1', '2'], EXIT_CODES).join('\n')}

A command line, a file or a configuration that cannot be read ends every command with 1. Repeat \`sweep\` and \`reconcile\` while they end with 2. A
blocked Service waits for its owner, so a \`sweep\` ends with 0 for it. A namespace that levelset may not read counts as there. A dry run has
nothing to wait for: 0 or 1.

Written by \`npm run generate\` from \`functions/cli/program.ts\`.
`;

/** The whole page. */
export function commandsPage(): string {
  const commands = program({}, ignoreExit).commands;
  const rows = commands.map((command) => [
    `\`${[command.name(), command.usage().replace('[options]', '').trim()].join(' ').trim()}\``,
    command.description().replace(/; (?:exit [0-9]|the exit codes).*/, ''),
  ]);
  return [HEAD, ...tableOf(['`levelset ...`', 'what it does'], rows), ''].join('\n');
}

function ignoreExit(): undefined {
  return undefined;
}
