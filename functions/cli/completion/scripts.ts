import type { Command } from 'commander';

/** What a shell offers after a command. */
interface Offered {
  readonly command: string;
  readonly description: string;
  readonly flags: readonly {
    readonly long: string;
    readonly short?: string;
    readonly takesValue: boolean;
    readonly description: string;
  }[];
  /** Objects, of which a person types the rest. Other arguments are files. */
  readonly objects: readonly string[];
}

export const SHELLS = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof SHELLS)[number];

/** The script that a shell reads to complete the command line of a program, made of its commands and flags. */
export function completionScript(shell: Shell, program: Command): string {
  const offered = program.commands.map(offeredBy);
  return { bash, zsh, fish }[shell](program.name(), offered);
}

function offeredBy(command: Command): Offered {
  const [argument] = command.registeredArguments;
  const takesObjects = argument?.description.startsWith('svc/') === true;
  return {
    command: command.name(),
    description: command.summary() || command.description(),
    flags: command.options.flatMap(({ long, short, required, description }) =>
      long ? [{ long, ...(short ? { short } : {}), takesValue: required, description }] : [],
    ),
    objects: takesObjects
      ? [
          'svc/',
          'service/',
          ...(argument.description.includes('node/') ? ['node/', 'namespace/', 'all'] : []),
        ]
      : (argument?.argChoices ?? []),
  };
}

function bash(name: string, offered: readonly Offered[]): string {
  const cases = offered.map(
    ({ command, flags, objects }) =>
      `    ${command}) words='${[...flags.flatMap(({ long, short }) => [long, short ?? []].flat()), ...objects].join(' ')}' ;;`,
  );
  return `# bash completion of ${name}: source <(${name} completion bash)
_${name}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" words=''
  if [ "$COMP_CWORD" -eq 1 ]; then
    words='${offered.map(({ command }) => command).join(' ')}'
  else
    case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  case "\${COMPREPLY[0]}" in */) compopt -o nospace 2>/dev/null ;; esac
}
complete -o default -F _${name} ${name}
`;
}

function zsh(name: string, offered: readonly Offered[]): string {
  const commands = offered.map(({ command, description }) => `    ${quoted(`${command}:${description}`)}`);
  const cases = offered.map(({ command, flags, objects }) => {
    const described = flags.map(({ long, description }) => quoted(`${long}:${description}`));
    const words = objects.length > 0 ? ` compadd -S '' -- ${objects.join(' ')};` : '';
    return `      ${command}) offered=(${described.join(' ')}); _describe flag offered;${words} _files ;;`;
  });
  return `#compdef ${name}
# zsh completion of ${name}: source <(${name} completion zsh)
_${name}() {
  local -a commands offered
  commands=(
${commands.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
  else
    case "$words[2]" in
${cases.join('\n')}
    esac
  fi
}
compdef _${name} ${name}
`;
}

function fish(name: string, offered: readonly Offered[]): string {
  const lines = offered.flatMap(({ command, description, flags, objects }) => {
    const after = `complete -c ${name} -n '__fish_seen_subcommand_from ${command}'`;
    return [
      `complete -c ${name} -n __fish_use_subcommand -f -a ${command} -d ${quoted(description)}`,
      ...flags.map(
        ({ long, short, takesValue, description: text }) =>
          `${after} -l ${long.slice(2)}${short ? ` -s ${short.slice(1)}` : ''}${takesValue ? ' -r' : ''} -d ${quoted(text)}`,
      ),
      ...(objects.length > 0 ? [`${after} -a ${quoted(objects.join(' '))}`] : []),
    ];
  });
  return `# fish completion of ${name}: ${name} completion fish | source\n${lines.join('\n')}\n`;
}

/** A text in single quotes, as all three shells read it. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", '’')}'`;
}
