import { Option, type Command } from 'commander';
import type { Flags } from '../../shared/config/flags/flags.ts';
import { nodeOptions } from './node-options.ts';
import type { TlsFiles } from '../serve/listen.ts';
import { createLog, type LogLevel } from '../log.ts';
import type { Log } from '../../shared/ports.ts';

/** What the commands read of the command line, after LEVELSET_* and defaults. */
export interface CliFlags extends Flags, TlsFiles {
  readonly kubeconfig?: string;
  readonly listen: string;
  readonly dryRun?: true;
  readonly wait?: true;
  readonly serve?: true;
  readonly output: 'text' | 'json';
  readonly v?: string;
}

const CONNECT = [
  ['--kubeconfig <file>', 'the kube-apiserver; without it KUBECONFIG, then the Pod, then ~/.kube/config'],
  ['--cloud-config <file>', 'cloud.conf, as the Go provider reads it; without it clouds.yaml or OS_*'],
  ['--cluster-name <name>', 'makes names of what is created (default: kubernetes)'],
  ['--load-balancer-class <class>', 'only Services of this class (default: those that have none)'],
  [
    '--adopt <what>',
    'what to write to load balancers of other controllers: tags, or names-only for nothing (default: tags)',
  ],
  [
    '--reach <reach>',
    'what Services may name of OpenStack: open for all that the project sees, or allowed for --allowed-references only (default: open)',
  ],
  [
    '--allowed-references <list>',
    'NAMESPACE/KIND/ID, separated by commas, * for any: what a namespace may name; always needed for load balancers of others',
  ],
  ['--namespace <name>', 'of Leases and state (default: kube-system)'],
  ['--reconcile-timeout <duration>', 'how long one run may take (default: 1m)'],
  ['--concurrent-service-syncs <number>', 'how many load balancers are worked on at once (default: 15)'],
  [
    '--connection-draining-timeout <duration>',
    'how long a member of a node that leaves keeps its connections before it goes; up to 1h (default: 0s, at once)',
  ],
  ['-v, --v <level>', '4 and more: every step (default: 0)'],
] as const;

const SERVE = [
  ['--sweep-interval <duration>', 'how often everything is looked at (default: 5m)'],
  ['--tls-cert-file <file>', 'serve HTTPS with this certificate'],
  ['--tls-private-key-file <file>', 'and its key'],
  ['--client-ca-file <file>', 'let in only who shows a certificate signed by one of these'],
] as const;

/** A command that talks to the cluster and the cloud. Each flag has a variable: LEVELSET_ and its name in capitals. */
export function withConnection(command: Command): Command {
  const own = CONNECT.map(([flags, description]) => new Option(flags, description));
  for (const option of [...own, ...nodeOptions()]) command.addOption(withVariable(option));
  return command;
}

/** A command that listens. */
export function withServer(command: Command): Command {
  for (const [flags, description] of SERVE) command.addOption(withVariable(new Option(flags, description)));
  const listen = new Option('--listen <host:port>', 'where the HTTP server listens').default(
    '127.0.0.1:8080',
  );
  return command.addOption(withVariable(listen));
}

function withVariable(option: Option): Option {
  return option.env(`LEVELSET_${option.name().toUpperCase().replaceAll('-', '_')}`);
}

/** -v as the Go programs mean it; without it `quiet`, so that a command's own lines stand alone. */
export function logOf(flags: Pick<CliFlags, 'v'>, quiet: LogLevel): Log {
  if (flags.v === undefined) return createLog(quiet);
  return createLog(Number(flags.v) >= 4 ? 'debug' : 'info');
}
