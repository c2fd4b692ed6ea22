import { styleText } from 'node:util';

type Format = Parameters<typeof styleText>[0];

/** By the sign that a line of a plan, of drift or of an explanation begins with. */
const SIGNS: Readonly<Record<string, Format>> = {
  '+': 'green',
  '-': 'red',
  '~': 'yellow',
  '*': 'yellow',
  '?': 'yellow',
  '!': 'yellow',
  '=': 'magenta',
  '.': 'dim',
};

const DEFAULT_VALUE = / {2}the default$/;

interface Terminal {
  readonly isTTY?: boolean;
  readonly env: NodeJS.ProcessEnv;
}

/** A text for stdout, with colours if that is a terminal and NO_COLOR is unset. The text itself stays as it is. */
export function coloured(
  text: string,
  { isTTY = false, env }: Terminal = { isTTY: process.stdout.isTTY, env: process.env },
): string {
  if (!isTTY || (env['NO_COLOR'] ?? '') !== '') return text;
  return text.split('\n').map(lineInColour).join('\n');
}

function lineInColour(line: string): string {
  const [, indent = '', sign = ''] = /^( +)(\S) /.exec(line) ?? [];
  const { [sign]: format = DEFAULT_VALUE.test(line) ? 'dim' : undefined } = SIGNS;
  if (format !== undefined)
    return `${indent}${styleText(format, line.slice(indent.length), { validateStream: false })}`;
  return line === '' || line.startsWith(' ') ? line : styleText('bold', line, { validateStream: false });
}
