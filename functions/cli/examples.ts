import type { CommandName } from '../../shared/config/flag.ts';

/** The groups of commands in `levelset --help`. */
export const COMMAND_GROUPS = {
  look: 'Look, and change nothing:',
  work: 'Work once:',
  run: 'Run:',
  other: 'Other:',
} as const;

interface CommandHelp {
  readonly group: keyof typeof COMMAND_GROUPS;
  /** Command lines without the name of the program. */
  readonly examples: readonly string[];
}

// prettier-ignore
export const HELP: Readonly<Record<CommandName, CommandHelp>> = {
  plan:       { group: 'look', examples: ['plan', 'plan svc/web -n shop', 'plan --detailed-exitcode -o json'] },
  drift:      { group: 'look', examples: ['drift', 'drift -n shop -o yaml'] },
  explain:    { group: 'look', examples: ['explain svc/web -n shop', 'explain svc/web -n shop -o json'] },
  lint:       { group: 'look', examples: ['lint service.yaml', 'helm template . | levelset lint - --cloud-config cloud.conf'] },
  doctor:     { group: 'look', examples: ['doctor', 'doctor --server-url http://127.0.0.1:8080 -o json'] },
  'support-bundle': { group: 'look', examples: ['support-bundle', 'support-bundle -o prod.json.gz --clusters secrets --cluster prod'] },
  replay:     { group: 'look', examples: ['replay levelset-support-bundle.json.gz'] },
  adopt:      { group: 'look', examples: ['adopt --report', 'adopt --report -o json'] },
  reconcile:  { group: 'work', examples: ['reconcile svc/web -n shop --wait', 'reconcile node/worker-1 --dry-run'] },
  sweep:      { group: 'work', examples: ['sweep --dry-run', 'sweep --deep'] },
  gc:         { group: 'work', examples: ['gc', 'gc 0f0f0f0f-1111-4222-8333-444444444444'] },
  serve:      { group: 'run', examples: ['serve --watch --kubeconfig kubeconfig --cloud-config cloud.conf'] },
  sandbox:    { group: 'run', examples: ['sandbox --serve', 'sandbox'] },
};

/** The end of the help of a command. */
export function examplesOf(name: CommandName): string {
  const lines = HELP[name].examples.map((line) =>
    line.includes('levelset') && line.includes('|') ? line : `levelset ${line}`,
  );
  return `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`;
}
