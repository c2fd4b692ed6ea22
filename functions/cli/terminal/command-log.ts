import type { Flags } from '../../../shared/config/read-flags.ts';
import { printable, quote } from '../../../shared/model/text/text.ts';
import type { Attributes } from '../../../shared/model/resources.ts';
import type { Log } from '../../../shared/ports.ts';
import { redactField } from '../../log.ts';
import { logOf } from '../options.ts';

/** The log of a command that ends: warnings and errors as lines for people. With -v it is that of `serve`, as JSON lines. */
export function commandLog(flags: Pick<Flags, 'v'>): Log {
  if (flags.v !== undefined) return logOf(flags, 'warn');
  const nothing = (): void => undefined;
  return {
    debug: nothing,
    info: nothing,
    warn: (message, fields) => {
      console.error(lineOf(`warning: ${message}`, fields));
    },
    error: (message, fields) => {
      console.error(lineOf(message, fields));
    },
  };
}

function lineOf(message: string, { cluster, ...fields }: Attributes = {}): string {
  const label = typeof cluster === 'string' ? `${cluster}: ` : '';
  const named = Object.entries(fields).map(([name, value]) => `${name}=${quote(redactField(name, value))}`);
  return printable(`levelset: ${label}${message}${named.length > 0 ? ` (${named.join(', ')})` : ''}`);
}
