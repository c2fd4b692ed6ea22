import { Command } from 'commander';
import type { CommandName } from '../../shared/config/flag.ts';
import type { Flags } from '../../shared/config/read-flags.ts';
import { VERSION } from '../version.ts';
import { examplesOf, COMMAND_GROUPS, HELP } from './examples.ts';
import { withFlags } from './options.ts';
import { runUntilSignal } from './until-signal.ts';

const OBJECT =
  'svc/NAME (with -n NAMESPACE), service/NAMESPACE/NAME, node/NAME, routes, namespace/NAME, nodeset or all';

/**
 * The command line. The code of a command is loaded when it is run. `exit` is called with its exit code.
 */
export function program(env: NodeJS.ProcessEnv, exit: (code: number) => void): Command {
  const levelset = new Command('levelset')
    .description('A cloud controller for Kubernetes on OpenStack, as stateless functions')
    .version(VERSION)
    .commandsGroup(COMMAND_GROUPS.other)
    .helpCommand('help [command]', 'print the help of a command')
    .showHelpAfterError('levelset --help has the commands')
    .exitOverride();
  const command = (name: CommandName, description: string): Command =>
    withFlags(
      levelset
        .command(name)
        .description(description)
        .helpGroup(COMMAND_GROUPS[HELP[name].group])
        .addHelpText('after', examplesOf(name))
        .showHelpAfterError(`levelset ${name} --help has the arguments, the flags and examples`)
        .exitOverride(),
      name,
    );

  command('serve', 'run the HTTP server, the queue and the sweeps in one process').action(
    async (flags: Flags) => {
      const { serve } = await import('../serve.ts');
      exit(await runUntilSignal(serve, flags, env));
    },
  );
  command(
    'sweep',
    'compare everything once and work on what differs; exit 0: nothing is left to do, 2: something is progressing or draining, 1: something failed',
  ).action(async (flags: Flags) => {
    const { sweepCommand } = await import('./sweep-command.ts');
    exit(await sweepCommand(flags, env));
  });
  command(
    'reconcile',
    'work on these objects now; the exit codes are those of sweep, and 1 for an object that is blocked',
  )
    .argument('<object...>', OBJECT)
    .action(async (objects: readonly string[], flags: Flags) => {
      const { reconcileCommand } = await import('./reconcile-command.ts');
      exit(await reconcileCommand(objects, flags, env));
    });
  command(
    'plan',
    'print what a sweep would do and change nothing; exit 0: planned, 1: something could not be, or an object is blocked; with --detailed-exitcode 2: there are changes',
  )
    .argument('[object...]', `${OBJECT} (default: all)`)
    .action(async (objects: readonly string[], flags: Flags) => {
      const { planCommand } = await import('./plan-command.ts');
      exit(await planCommand(objects, flags, env));
    });
  command(
    'drift',
    'print the steps for what was settled and is not any more, and change nothing; exit 0: no drift, 2: drift, 1: something could not be read',
  )
    .argument('[object...]', `${OBJECT} (default: all)`)
    .action(async (objects: readonly string[], flags: Flags) => {
      const { driftCommand } = await import('./drift-command.ts');
      exit(await driftCommand(objects, flags, env));
    });
  command('explain', 'print each value that holds for a Service, what set it, and what was ignored and why')
    .argument('<service...>', 'svc/NAME (with -n NAMESPACE), service/NAMESPACE/NAME')
    .action(async (objects: readonly string[], flags: Flags) => {
      const { explainCommand } = await import('./explain/explain-command.ts');
      exit(await explainCommand(objects, flags, env));
    });
  command(
    'gc',
    'list the clusters that have something in the project; with a UID plan what one that is gone has left, with --approve delete it; exit 0: done, 2: load balancers are still being deleted, 1: refused or failed',
  )
    .argument('[uid]', 'the UID of kube-system of a cluster that is gone; without --clusters also --cluster')
    .action(async (uid: string | undefined, flags: Flags) => {
      const { gcCommand } = await import('./gc-command.ts');
      exit(await gcCommand(uid, flags, env));
    });
  command(
    'doctor',
    'look at credentials, rights, quotas, versions, networks, clock and ways in, say what mends each finding, and change nothing; exit 0: no failure, warnings do not count, 1: a failure',
  ).action(async (flags: Flags) => {
    const { doctorCommand } = await import('./doctor/doctor-command.ts');
    exit(await doctorCommand(flags, env));
  });
  command(
    'support-bundle',
    'plan everything, and write what the plan was made of to a file, without secrets, for levelset replay; the exit codes are those of plan',
  ).action(async (flags: Flags) => {
    const { supportBundleCommand } = await import('./bundle/support-bundle-command.ts');
    exit(await supportBundleCommand(flags, env));
  });
  command(
    'replay',
    'print the plan of a support bundle, anywhere and without a network; the exit codes are those of plan',
  )
    .argument('<bundle>', 'a file that support-bundle has written')
    .action(async (file: string, flags: Flags) => {
      const { replayCommand } = await import('./bundle/replay-command.ts');
      exit(await replayCommand(file, flags));
    });
  command(
    'adopt',
    'with --report, say of everything that another controller has made what levelset would change, and change nothing; exit 0: no more than tags, 2: changes are pending, 1: a problem',
  ).action(async (flags: Flags) => {
    const { adoptCommand } = await import('./adopt/adopt-command.ts');
    exit(await adoptCommand(flags, env));
  });
  command('sandbox', 'run simulators of OpenStack and the kube-apiserver on loopback').action(
    async (flags: Flags) => {
      const { sandboxCommand } = await import('../sandbox.ts');
      exit(await sandboxCommand(flags, env));
    },
  );
  command(
    'lint',
    'read manifests and print what is wrong with their Services; needs neither cluster nor cloud; exit 1: there is a mistake',
  )
    .argument('<file...>', 'YAML or JSON, of several documents; a folder; - for stdin')
    .action(async (files: readonly string[], flags: Flags) => {
      const { lintCommand } = await import('./lint/lint-command.ts');
      exit(await lintCommand(files, flags, env));
    });
  levelset
    .command('version')
    .helpGroup(COMMAND_GROUPS.other)
    .description('print the version')
    .action(() => {
      console.log(`levelset ${VERSION} (Node ${process.versions.node})`);
    });
  return levelset;
}
