import { printable } from '../../../shared/model/text/text.ts';
import { counted } from '../command.ts';

/** `note`: nothing is wrong, and something is not checked, or not there and not needed. */
type Level = 'ok' | 'note' | 'warning' | 'failure';

/** In the order in which they are printed. */
export const AREAS = [
  'configuration',
  'credentials',
  'network',
  'rights',
  'quotas',
  'versions',
  'clock',
  'ways in',
] as const;
type Area = (typeof AREAS)[number];

export interface Finding {
  readonly area: Area;
  readonly level: Level;
  /** What was found, with the object and the value. */
  readonly what: string;
  /** What mends it: a sentence, or commands to paste. Every warning and failure has one. */
  readonly remedy?: string;
}

export function finding(level: Level, area: Area, what: string, remedy?: string): Finding {
  return { area, level, what, ...(remedy !== undefined && { remedy }) };
}

const WIDTH = 'failure'.length;

/** One line for each finding, and what mends it below. A remedy that several findings in a row share is printed after the last of them. */
export function renderFindings(findings: readonly Finding[]): string {
  const lines = findings.flatMap(({ area, level, what, remedy }, at) => [
    `${level.padEnd(WIDTH)}  ${area}: ${eachLine(what, printable)}`,
    ...(remedy === undefined || remedy === findings[at + 1]?.remedy ? [] : [indented(remedy)]),
  ]);
  const count = (wanted: Level, many?: string): string =>
    counted(findings.filter(({ level }) => level === wanted).length, wanted, many);
  return [...lines, '', `${count('failure')}, ${count('warning')}, ${count('ok', 'ok')}`].join('\n');
}

/** Servers are repeated, so nothing of it may be an order to the terminal. */
function eachLine(text: string, shown: (line: string, at: number) => string): string {
  return text.split('\n').map(shown).join('\n');
}

function indented(remedy: string): string {
  return eachLine(
    remedy,
    (line, at) => `${' '.repeat(WIDTH)}  ${at === 0 ? '-> ' : '   '}${printable(line)}`,
  );
}

/** A text as one word of a command to paste, whatever is in it: names have spaces, and addresses come from others. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
