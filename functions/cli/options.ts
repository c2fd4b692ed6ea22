import process from 'node:process';
import { Option, type Command } from 'commander';
import type { CommandName, Flag } from '../../shared/config/flag.ts';
import { flagsOf, variableOf, type Flags } from '../../shared/config/read-flags.ts';
import type { Log } from '../../shared/ports.ts';
import { createLog, type LogLevel } from '../log.ts';

/** Adds the flags of a command to its command line. commander reads the variable of a flag that is absent. */
export function withFlags(command: Command, name: CommandName): Command {
  for (const [flag, row] of flagsOf(name)) command.addOption(optionOf(flag, row));
  return command;
}

function optionOf(name: string, row: Flag): Option {
  const spellings = row.short === undefined ? `--${name}` : `-${row.short}, --${name}`;
  const option = new Option(
    row.value === undefined ? spellings : `${spellings} <${row.value}>`,
    descriptionOf(row),
  );
  option.helpGroup(`${row.topic.charAt(0).toUpperCase()}${row.topic.slice(1)}:`);
  const variable = variableOf(name, row);
  // an empty variable is not set: who deploys may be able to empty one, but not to take it away
  if (variable !== undefined && process.env[variable] !== '') option.env(variable);
  if (row.repeatable)
    option.argParser((value, before?: string) => (before === undefined ? value : `${before},${value}`));
  return option;
}

function descriptionOf({ help, default: value, without }: Flag): string {
  const otherwise = without ?? (value === '' ? 'none' : value);
  return otherwise === undefined ? help : `${help} (default: ${otherwise})`;
}

/** The log at the level of -v, as in the Go programs. Without -v at `quiet`, so that the lines of a command stand alone. */
export function logOf(flags: Pick<Flags, 'v'>, quiet: LogLevel): Log {
  if (flags.v === undefined) return createLog(quiet);
  return createLog(Number(flags.v) >= 4 ? 'debug' : 'info');
}
