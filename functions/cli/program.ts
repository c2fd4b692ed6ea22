import { Command, Option } from 'commander';
import type { CommandName, Flag } from '../../shared/config/flags.ts';
import { flagsOf, variableOf, type Flags } from '../../shared/config/read-flags.ts';
import { VERSION } from '../version.ts';
import type { RunCommand } from './command.ts';

const GROUPS = {
  look: 'Look, and change nothing:',
  work: 'Work once:',
  run: 'Run:',
  other: 'Other:',
} as const;

interface CommandRow {
  readonly group: keyof typeof GROUPS;
  readonly does: string;
  readonly words?: readonly [name: string, description: string];
  /** Command lines; those with a pipe are whole. */
  readonly examples: readonly string[];
  readonly load: () => Promise<RunCommand>;
}

const SERVICE = 'svc/NAME (with -n NAMESPACE), service/NAMESPACE/NAME';
const OBJECT = `${SERVICE}, node/NAME, routes, namespace/NAME, nodeset or all`;

// prettier-ignore
const COMMANDS: Readonly<Record<CommandName, CommandRow>> = {
  serve: { group: 'run', load: async () => (await import('./until-signal.ts')).serveCommand,
    does: 'run the HTTP server, the queue and the sweeps in one process',
    examples: ['serve --watch --kubeconfig kubeconfig --cloud-config cloud.conf'] },
  sweep: { group: 'work', load: async () => (await import('./work-commands.ts')).sweepCommand,
    does: 'compare everything once and work on what differs; exit 0: nothing is left to do, 2: something is progressing, 1: something failed',
    examples: ['sweep --dry-run', 'sweep --deep'] },
  reconcile: { group: 'work', load: async () => (await import('./work-commands.ts')).reconcileCommand,
    does: 'work on these objects now; the exit codes are those of sweep, and 1 for an object that is blocked',
    words: ['<object...>', OBJECT], examples: ['reconcile svc/web -n shop --wait', 'reconcile node/worker-1 --dry-run'] },
  plan: { group: 'look', load: async () => (await import('./look-commands.ts')).planCommand,
    does: 'print what a sweep would do and change nothing; exit 0: planned, 1: something could not be, or an object is blocked; with --detailed-exitcode 2: there are changes',
    words: ['[object...]', `${OBJECT} (default: all)`], examples: ['plan', 'plan svc/web -n shop', 'plan --detailed-exitcode -o json'] },
  drift: { group: 'look', load: async () => (await import('./look-commands.ts')).driftCommand,
    does: 'print what differs in OpenStack from what levelset had set up, and change nothing; exit 0: no drift, 2: drift, 1: something could not be read',
    words: ['[object...]', `${OBJECT} (default: all)`], examples: ['drift', 'drift -n shop -o yaml'] },
  explain: { group: 'look', load: async () => (await import('./look-commands.ts')).explainCommand,
    does: 'print each value that holds for a Service, what set it, and what was ignored and why',
    words: ['<service...>', SERVICE], examples: ['explain svc/web -n shop', 'explain svc/web -n shop -o json'] },
  gc: { group: 'work', load: async () => (await import('./gc-command.ts')).gcCommand,
    does: 'list the clusters that have something in the project; with a UID plan what one that is gone has left, with --approve delete it; exit 0: done, 2: load balancers are still being deleted, 1: refused or failed',
    words: ['[uid]', 'the UID of kube-system of a cluster that is gone'], examples: ['gc', 'gc 0f0f0f0f-1111-4222-8333-444444444444'] },
  doctor: { group: 'look', load: async () => (await import('./doctor/doctor-command.ts')).doctorCommand,
    does: 'look at credentials, rights, quotas, versions, networks and ways in, say what mends each finding, and change nothing; exit 0: no failure, warnings do not count, 1: a failure',
    examples: ['doctor', 'doctor --server-url http://127.0.0.1:8080 -o json'] },
  'support-bundle': { group: 'look', load: async () => (await import('./bundle/support-bundle-command.ts')).supportBundleCommand,
    does: 'plan everything, and write what the plan was made of to a file, without secrets, for levelset replay; the exit codes are those of plan',
    examples: ['support-bundle', 'support-bundle -o prod.json.gz --clusters secrets --cluster prod'] },
  replay: { group: 'look', load: async () => (await import('./bundle/support-bundle-command.ts')).replayCommand,
    does: 'print the plan of a support bundle, anywhere and without a network; the exit codes are those of plan',
    words: ['<bundle>', 'a file that support-bundle has written'], examples: ['replay levelset-support-bundle.json.gz'] },
  adopt: { group: 'look', load: async () => (await import('./look-commands.ts')).adoptCommand,
    does: 'with --report, say of everything that another controller has made what levelset would change, and change nothing; exit 0: no more than tags, 2: changes are pending, 1: a problem',
    examples: ['adopt --report', 'adopt --report -o json'] },
  sandbox: { group: 'run', load: async () => (await import('../sandbox.ts')).sandboxCommand,
    does: 'run simulators of OpenStack and the kube-apiserver on loopback',
    examples: ['sandbox --serve', 'sandbox'] },
  lint: { group: 'look', load: async () => (await import('./lint-command.ts')).lintCommand,
    does: 'read manifests and print what is wrong with their Services; needs neither cluster nor cloud; exit 1: there is a mistake',
    words: ['<file...>', 'YAML or JSON, of several documents; a folder; - for stdin'], examples: ['lint service.yaml', 'helm template . | levelset lint - --cloud-config cloud.conf'] },
};

export function program(env: NodeJS.ProcessEnv, exit: (code: number) => void): Command {
  const levelset = new Command('levelset')
    .description('A cloud controller for Kubernetes on OpenStack, as stateless functions')
    .version(VERSION)
    .commandsGroup(GROUPS.other)
    .helpCommand('help [command]', 'print the help of a command')
    .showHelpAfterError('levelset --help has the commands')
    .exitOverride();
  for (const [name, { group, does, words, examples, load }] of Object.entries(COMMANDS)) {
    const lines = examples.map((line) => `\n  ${line.includes('|') ? '' : 'levelset '}${line}`);
    const command = levelset
      .command(name)
      .description(does)
      .helpGroup(GROUPS[group])
      .addHelpText('after', `\nExamples:${lines.join('')}`)
      .showHelpAfterError(`levelset ${name} --help has the arguments, the flags and examples`)
      .exitOverride()
      .action(async () => {
        exit(await (await load())(command.args, command.opts<Flags>(), env));
      });
    if (words) command.argument(...words);
    withFlags(command, name as CommandName);
  }
  levelset
    .command('version')
    .helpGroup(GROUPS.other)
    .description('print the version')
    .action(() => {
      console.log(`levelset ${VERSION} (Node ${process.versions.node})`);
    });
  return levelset;
}

/** Adds the flags of a command to its command line. commander reads the variable of a flag that is absent. */
export function withFlags(command: Command, name: CommandName): Command {
  for (const [flag, row] of flagsOf(name)) command.addOption(optionOf(flag, row));
  return command;
}

function optionOf(name: string, row: Flag): Option {
  const spellings = row.short === undefined ? `--${name}` : `-${row.short}, --${name}`;
  const without = row.without ?? (row.default === '' ? 'none' : row.default);
  const option = new Option(
    row.value === undefined ? spellings : `${spellings} <${row.value}>`,
    without === undefined ? row.help : `${row.help} (default: ${without})`,
  );
  option.helpGroup(`${row.topic.charAt(0).toUpperCase()}${row.topic.slice(1)}:`);
  const variable = variableOf(name, row);
  // an empty variable is not set: who deploys may be able to empty one, but not to take it away
  if (variable !== undefined && process.env[variable] !== '') option.env(variable);
  if (row.repeatable)
    option.argParser((value, before?: string) => (before === undefined ? value : `${before},${value}`));
  return option;
}
