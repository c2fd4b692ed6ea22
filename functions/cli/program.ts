import { Command, Option } from 'commander';
import type { CommandName, Flag } from '../../shared/config/flag.ts';
import { flagsOf, variableOf, type Flags } from '../../shared/config/read-flags.ts';
import { VERSION } from '../version.ts';
import type { RunCommand } from './command.ts';

/** The groups of commands in `levelset --help`. */
const GROUPS = {
  look: 'Look, and change nothing:',
  work: 'Work once:',
  run: 'Run:',
  other: 'Other:',
} as const;

interface CommandRow {
  readonly group: keyof typeof GROUPS;
  readonly does: string;
  readonly argument?: readonly [name: string, description: string];
  /** Command lines; those that begin with `levelset` are written without it. */
  readonly examples: readonly string[];
  /** Loads the code of the command when it is run. */
  readonly load: () => Promise<RunCommand>;
}

const OBJECT =
  'svc/NAME (with -n NAMESPACE), service/NAMESPACE/NAME, node/NAME, routes, namespace/NAME, nodeset or all';
const OBJECTS = ['[object...]', `${OBJECT} (default: all)`] as const;

const COMMANDS: Readonly<Record<CommandName, CommandRow>> = {
  serve: {
    group: 'run',
    does: 'run the HTTP server, the queue and the sweeps in one process',
    examples: ['serve --watch --kubeconfig kubeconfig --cloud-config cloud.conf'],
    load: async () => (await import('./until-signal.ts')).serveCommand,
  },
  sweep: {
    group: 'work',
    does: 'compare everything once and work on what differs; exit 0: nothing is left to do, 2: something is progressing or draining, 1: something failed',
    examples: ['sweep --dry-run', 'sweep --deep'],
    load: async () => (await import('./sweep-command.ts')).sweepCommand,
  },
  reconcile: {
    group: 'work',
    does: 'work on these objects now; the exit codes are those of sweep, and 1 for an object that is blocked',
    argument: ['<object...>', OBJECT],
    examples: ['reconcile svc/web -n shop --wait', 'reconcile node/worker-1 --dry-run'],
    load: async () => (await import('./reconcile-command.ts')).reconcileCommand,
  },
  plan: {
    group: 'look',
    does: 'print what a sweep would do and change nothing; exit 0: planned, 1: something could not be, or an object is blocked; with --detailed-exitcode 2: there are changes',
    argument: OBJECTS,
    examples: ['plan', 'plan svc/web -n shop', 'plan --detailed-exitcode -o json'],
    load: async () => (await import('./plan-command.ts')).planCommand,
  },
  drift: {
    group: 'look',
    does: 'print the steps for what was settled and is not any more, and change nothing; exit 0: no drift, 2: drift, 1: something could not be read',
    argument: OBJECTS,
    examples: ['drift', 'drift -n shop -o yaml'],
    load: async () => (await import('./plan-command.ts')).driftCommand,
  },
  explain: {
    group: 'look',
    does: 'print each value that holds for a Service, what set it, and what was ignored and why',
    argument: ['<service...>', 'svc/NAME (with -n NAMESPACE), service/NAMESPACE/NAME'],
    examples: ['explain svc/web -n shop', 'explain svc/web -n shop -o json'],
    load: async () => (await import('./explain-command.ts')).explainCommand,
  },
  gc: {
    group: 'work',
    does: 'list the clusters that have something in the project; with a UID plan what one that is gone has left, with --approve delete it; exit 0: done, 2: load balancers are still being deleted, 1: refused or failed',
    argument: [
      '[uid]',
      'the UID of kube-system of a cluster that is gone; without --clusters also --cluster',
    ],
    examples: ['gc', 'gc 0f0f0f0f-1111-4222-8333-444444444444'],
    load: async () => (await import('./gc-command.ts')).gcCommand,
  },
  doctor: {
    group: 'look',
    does: 'look at credentials, rights, quotas, versions, networks, clock and ways in, say what mends each finding, and change nothing; exit 0: no failure, warnings do not count, 1: a failure',
    examples: ['doctor', 'doctor --server-url http://127.0.0.1:8080 -o json'],
    load: async () => (await import('./doctor/doctor-command.ts')).doctorCommand,
  },
  'support-bundle': {
    group: 'look',
    does: 'plan everything, and write what the plan was made of to a file, without secrets, for levelset replay; the exit codes are those of plan',
    examples: ['support-bundle', 'support-bundle -o prod.json.gz --clusters secrets --cluster prod'],
    load: async () => (await import('./bundle/support-bundle-command.ts')).supportBundleCommand,
  },
  replay: {
    group: 'look',
    does: 'print the plan of a support bundle, anywhere and without a network; the exit codes are those of plan',
    argument: ['<bundle>', 'a file that support-bundle has written'],
    examples: ['replay levelset-support-bundle.json.gz'],
    load: async () => (await import('./bundle/support-bundle-command.ts')).replayCommand,
  },
  adopt: {
    group: 'look',
    does: 'with --report, say of everything that another controller has made what levelset would change, and change nothing; exit 0: no more than tags, 2: changes are pending, 1: a problem',
    examples: ['adopt --report', 'adopt --report -o json'],
    load: async () => (await import('./adopt-command.ts')).adoptCommand,
  },
  sandbox: {
    group: 'run',
    does: 'run simulators of OpenStack and the kube-apiserver on loopback',
    examples: ['sandbox --serve', 'sandbox'],
    load: async () => (await import('../sandbox.ts')).sandboxCommand,
  },
  lint: {
    group: 'look',
    does: 'read manifests and print what is wrong with their Services; needs neither cluster nor cloud; exit 1: there is a mistake',
    argument: ['<file...>', 'YAML or JSON, of several documents; a folder; - for stdin'],
    examples: ['lint service.yaml', 'helm template . | levelset lint - --cloud-config cloud.conf'],
    load: async () => (await import('./lint/lint-command.ts')).lintCommand,
  },
};

/** The command line. `exit` is called with its exit code. */
export function program(env: NodeJS.ProcessEnv, exit: (code: number) => void): Command {
  const levelset = new Command('levelset')
    .description('A cloud controller for Kubernetes on OpenStack, as stateless functions')
    .version(VERSION)
    .commandsGroup(GROUPS.other)
    .helpCommand('help [command]', 'print the help of a command')
    .showHelpAfterError('levelset --help has the commands')
    .exitOverride();
  for (const [name, { group, does, argument, examples, load }] of Object.entries(COMMANDS)) {
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
    if (argument) command.argument(...argument);
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
