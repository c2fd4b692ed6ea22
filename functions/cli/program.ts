import { Command, Option } from 'commander';
import { withConnection, withServer, type CliFlags } from './options.ts';
import { VERSION } from '../version.ts';

const OBJECT = 'service/NAMESPACE/NAME, node/NAME, routes, namespace/NAME, nodeset or all';

/**
 * The command line. Each command's code is loaded when it is run; `exit` is told its exit code.
 */
export function program(env: NodeJS.ProcessEnv, exit: (code: number) => void): Command {
  const levelset = new Command('levelset')
    .description('A cloud controller for Kubernetes on OpenStack, as stateless functions')
    .version(VERSION)
    .exitOverride();
  const command = (name: string, description: string): Command =>
    levelset.command(name).description(description).exitOverride();

  withServer(withConnection(command('serve', 'HTTP server, queue and sweeps in one process'))).action(
    async (flags: CliFlags) => {
      const { serveCommand } = await import('./serve-command.ts');
      exit(await serveCommand(flags, env));
    },
  );
  withConnection(
    command(
      'sweep',
      'look at everything once; exit 0: nothing left to do, 2: still progressing or draining, 1: failed',
    ),
  )
    .option('--dry-run', 'print the plans and change nothing')
    .action(async (flags: CliFlags) => {
      const { sweepCommand } = await import('./sweep-command.ts');
      exit(await sweepCommand(flags, env));
    });
  withConnection(
    command('reconcile', 'work on these objects now; exit codes as of sweep, and 1 for a blocked one'),
  )
    .argument('<object...>', OBJECT)
    .option('--dry-run', 'print the plan and change nothing')
    .option('--wait', 'go on until nothing is progressing or draining any more')
    .action(async (objects: readonly string[], flags: CliFlags) => {
      const { reconcileCommand } = await import('./reconcile-command.ts');
      exit(await reconcileCommand(objects, flags, env));
    });
  withConnection(command('plan', 'what a sweep would do; changes nothing'))
    .argument('[object...]', `${OBJECT} (default: all)`)
    .addOption(
      new Option('-o, --output <format>', 'how to print it').choices(['text', 'json']).default('text'),
    )
    .action(async (objects: readonly string[], flags: CliFlags) => {
      const { planCommand } = await import('./plan-command.ts');
      exit(await planCommand(objects, flags, env));
    });
  withServer(command('sandbox', 'OpenStack and kube-apiserver simulators on loopback'))
    .option('--serve', 'run levelset against them, apply the examples and tell the story')
    .action(async (flags: CliFlags) => {
      const { sandboxCommand } = await import('../sandbox.ts');
      exit(await sandboxCommand(flags, env));
    });
  command('version', 'print the version').action(() => {
    console.log(`levelset ${VERSION} (Node ${process.versions.node})`);
  });
  return levelset;
}
