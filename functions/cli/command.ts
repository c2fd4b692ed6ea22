import { styleText } from 'node:util';
import type { Flags } from '../../shared/config/read-flags.ts';
import { errorText, ERRORS, isError, ReconcileError } from '../../shared/model/errors.ts';
import { printable, quote } from '../../shared/model/text/text.ts';
import type { Log } from '../../shared/ports.ts';
import { createLog, logThrough, redactField, type LogLevel } from '../log.ts';

/** Does a command with what stood beside its flags, and returns the exit code. */
export type RunCommand = (words: readonly string[], flags: Flags, env: NodeJS.ProcessEnv) => Promise<number>;

/** A text for stdout, with colours if that is a terminal and NO_COLOR is unset. The text itself stays as it is. */
export function coloured(text: string, isTTY = process.stdout.isTTY, { NO_COLOR } = process.env): string {
  return isTTY && !NO_COLOR ? text.split('\n').map(lineInColour).join('\n') : text;
}

const SIGNS = { '+': 'green', '-': 'red', '=': 'magenta', '.': 'dim' } as const;

function lineInColour(line: string): string {
  const [, indent = '', sign = ''] = /^( +)(\S) /.exec(line) ?? [];
  const isTitle = line !== '' && !line.startsWith(' ');
  const other = line.endsWith('  the default') ? 'dim' : isTitle ? 'bold' : undefined;
  const format = sign in SIGNS ? SIGNS[sign as keyof typeof SIGNS] : /[~*?!]/.test(sign) ? 'yellow' : other;
  if (format === undefined) return line;
  return indent + styleText(format, line.slice(indent.length), { validateStream: false });
}

export function printsObjects({ output }: Pick<Flags, 'output'>): boolean {
  return output === 'json' || output === 'yaml';
}

/** Prints what a program reads. The code that writes YAML is loaded when it is asked for. */
export async function printObjects(objects: unknown, { output }: Pick<Flags, 'output'>): Promise<void> {
  if (output !== 'yaml') {
    console.log(JSON.stringify(objects, undefined, 2));
    return;
  }
  const { stringify } = await import('yaml');
  console.log(stringify(objects, { aliasDuplicateObjects: false, lineWidth: 0 }).trimEnd());
}

/** `1 Service`, `2 Services`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

export function inWords(error: unknown): string {
  if (!isError(error) || error.code === 'CONFIG_INVALID') return errorText(error);
  return `${error.message} (${ERRORS[error.code].advice})`;
}

/** What was asked for cannot be done as it stands there: an argument, a flag or a file that it names. */
export function misused(message: string): ReconcileError {
  return new ReconcileError('CONFIG_INVALID', message);
}

/** What is read of a file or folder that stands on the command line. Throws CONFIG_INVALID that names it. */
export function reading<T>(path: string, result: Promise<T>, remedy = ''): Promise<T> {
  return result.catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    throw misused(`${path} cannot be read: ${code}${remedy}`);
  });
}

/** The log at the level of -v, as in the Go programs. Without -v at `quiet`, so that the lines of a command stand alone. */
export function logOf(flags: Pick<Flags, 'v'>, quiet: LogLevel): Log {
  if (flags.v === undefined) return createLog(quiet);
  return createLog(Number(flags.v) >= 4 ? 'debug' : 'info');
}

/** The log of a command that ends: warnings and errors as lines for people. With -v it is that of `serve`, as JSON lines. */
export function commandLog(flags: Pick<Flags, 'v'>): Log {
  if (flags.v !== undefined) return logOf(flags, 'warn');
  return logThrough((level, message, { cluster, ...fields }) => {
    if (level === 'debug' || level === 'info') return;
    const label = typeof cluster === 'string' ? `${cluster}: ` : '';
    const named = Object.entries(fields).map(([name, value]) => `${name}=${quote(redactField(name, value))}`);
    const more = named.length > 0 ? ` (${named.join(', ')})` : '';
    console.error(printable(`levelset: ${label}${level === 'warn' ? 'warning: ' : ''}${message}${more}`));
  });
}
