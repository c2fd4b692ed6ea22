import { printable } from '../../../shared/model/text/text.ts';

/** `note`: nothing is wrong, and something is not checked, or not there and not needed. */
type Level = 'ok' | 'note' | 'warning' | 'failure';

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

export interface Finding {
  readonly area: (typeof AREAS)[number];
  readonly level: Level;
  /** What was found, with the object and the value. */
  readonly what: string;
  /** What mends it: a sentence, or commands to paste. Every warning and failure has one. */
  readonly remedy?: string;
}

const WIDTH = 'failure'.length;

/** One line for each finding, and what mends it below. A remedy that several findings in a row share is printed after the last of them. */
export function renderFindings(findings: readonly Finding[]): string {
  const lines = findings.flatMap(({ area, level, what, remedy }, at) => [
    `${level.padEnd(WIDTH)}  ${area}: ${shown(what)}`,
    ...(remedy === undefined || remedy === findings[at + 1]?.remedy ? [] : indented(remedy)),
  ]);
  const count = (wanted: Level, one: string, many = `${one}s`): string => {
    const number = findings.filter(({ level }) => level === wanted).length;
    return `${number} ${number === 1 ? one : many}`;
  };
  return [
    ...lines,
    '',
    `${count('failure', 'failure')}, ${count('warning', 'warning')}, ${count('ok', 'ok', 'ok')}`,
  ].join('\n');
}

/** Servers are repeated, so nothing of it may be an order to the terminal. */
function shown(what: string): string {
  return what.split('\n').map(printable).join('\n');
}

function indented(remedy: string): readonly string[] {
  return remedy
    .split('\n')
    .map((line, at) => `${' '.repeat(WIDTH)}  ${at === 0 ? '-> ' : '   '}${printable(line)}`);
}
